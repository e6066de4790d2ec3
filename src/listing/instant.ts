const ISO_8601 =
  /^(?!0000)(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Reads a point in time as feeds state it: ISO 8601, a date alone is midnight, without an offset it is UTC.
 * @returns milliseconds since 1970 (finer digits are dropped); null when the text is none, such as 30 February.
 */
export function parseInstant(text: string): number | null {
  const match = ISO_8601.exec(text);
  if (!match) return null;
  const [, year = '', month = '', day = '', hour = '0', minute = '0', second = '0', fraction, zone = 'Z'] =
    match;
  const offset = parseOffset(zone);
  if (offset === null || +hour > 23 || +minute > 59 || +second > 59) return null;
  const midnight = new Date(0);
  midnight.setUTCFullYear(+year, +month - 1, +day);
  // What is out of range was carried over.
  if (midnight.getUTCDate() !== +day || midnight.getUTCMonth() !== +month - 1) return null;
  const ms = fraction === undefined ? 0 : +fraction.slice(0, 3).padEnd(3, '0');
  return midnight.getTime() + +hour * 3_600_000 + +minute * 60_000 + +second * 1_000 + ms - offset;
}

function parseOffset(zone: string): number | null {
  if (zone === 'Z' || zone === 'z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(3).replace(':', ''));
  if (hours > 23 || minutes > 59) return null;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}

/** The one way a point in time is written: ISO 8601, UTC, `Z`, milliseconds only where there are any. */
export function formatInstant(ms: number): string {
  if (ms !== formatted.ms) {
    const text = new Date(ms).toISOString();
    formatted = { ms, text: text.endsWith('.000Z') ? `${text.slice(0, -5)}Z` : text };
  }
  return formatted.text;
}

/** The last one: of a load thousands of records in a row ask for the same. */
let formatted = { ms: 0, text: '1970-01-01T00:00:00Z' };

/** As it is written here, on a day that every month has. */
const CANONICAL =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\dZ$/;

/** What `formatInstant` makes of `parseInstant`, without the detour for text that is as it should be already. */
export function canonicalInstant(text: string): string | null {
  if (CANONICAL.test(text)) return text;
  const ms = parseInstant(text);
  return ms === null ? null : formatInstant(ms);
}

/** Orders two points in time as `formatInstant` writes them: without the `Z`, one is a prefix of its own fractions. */
export function compareInstants(a: string, b: string): number {
  if (a === b) return 0;
  if (a.length === b.length) return a < b ? -1 : 1;
  return a.slice(0, -1) < b.slice(0, -1) ? -1 : 1;
}
