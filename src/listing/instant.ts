export const DAY_MS = 86_400_000;

const ISO_8601 =
  /^(?!0000)(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

/** Parses an ISO 8601 time to ms since 1970. Without an offset it is UTC, without a time midnight. */
export function parseInstant(text: string): number | null {
  const match = ISO_8601.exec(text);
  if (!match) return null;
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0', fraction, zone = 'Z'] =
    match;
  const offset = parseOffset(zone);
  if (offset === null || +hour > 23 || +minute > 59 || +second > 59) return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(+year, +month - 1, +day);
  // JavaScript converts a day that does not exist, such as 30 February, to a later one, so the result is compared.
  if (midnight.getUTCDate() !== +day || midnight.getUTCMonth() !== +month - 1) return null;
  const ms = fraction === undefined ? 0 : +fraction.slice(0, 3).padEnd(3, '0');
  return midnight.getTime() + +hour * 3_600_000 + +minute * 60_000 + +second * 1_000 + ms - offset;
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: DAY_MS };

/** Parses a duration such as `30m`, `12h` or `7d` to ms; null if it is not one. */
export function parseDuration(text: string): number | null {
  const [, number, unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  return number === undefined ? null : Number(number) * (UNIT_MS[unit] ?? NaN);
}

function parseOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** Formats a time in the canonical form: ISO 8601 in UTC, with milliseconds only if they are not zero. */
export function formatInstant(ms: number): string {
  if (ms !== formatted.ms) {
    const text = new Date(ms).toISOString();
    formatted = { ms, text: text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text };
  }
  return formatted.text;
}

/** The last formatted time, cached because thousands of records in a row have the same one. */
let formatted = { ms: 0, text: '1970-01-01T00:00:00Z' };

/** Matches a canonical time on a day that exists in every month, so that it need not be parsed. */
const CANONICAL =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** Converts a time to the canonical form; null if it is invalid. */
export function canonicalInstant(text: string): string | null {
  if (CANONICAL.test(text)) return text;
  const ms = parseInstant(text);
  return ms === null ? null : formatInstant(ms);
}

/** Compares two canonical times as text, even if only one of them has milliseconds. */
export function compareInstants(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length === b.length) return a < b ? -1 : 1;
  return a.slice(0, -1) < b.slice(0, -1) ? -1 : 1;
}
