const ISO_8601 =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d+))?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/;

/**
 * Reads a point in time as feeds state it: ISO 8601, a date alone is midnight, without an offset it is UTC.
 * @returns milliseconds since 1970 (finer digits are dropped); null when the text is none, such as 30 February.
 */
export function parseInstant(text: string): number | null {
  const match = ISO_8601.exec(text);
  if (!match) return null;
  const [
    ,
    year = '',
    month = '',
    day = '',
    hour = '00',
    minute = '00',
    second = '00',
    fraction = '',
    zone = 'Z',
  ] = match;
  const local = Date.UTC(
    +year,
    +month - 1,
    +day,
    +hour,
    +minute,
    +second,
    +fraction.slice(0, 3).padEnd(3, '0'),
  );
  const offset = parseOffset(zone);
  // Date.UTC carries what is out of range over, so what comes back differs.
  const date = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  if (offset === null || !Number.isFinite(local) || !new Date(local).toISOString().startsWith(date))
    return null;
  return local - offset;
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
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}

/** Orders two points in time as `formatInstant` writes them: without the `Z`, one is a prefix of its own fractions. */
export function compareInstants(a: string, b: string): number {
  if (a === b) return 0;
  return a.slice(0, -1) < b.slice(0, -1) ? -1 : 1;
}
