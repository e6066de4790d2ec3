import { DAY_MS, formatInstant, parseInstant } from '../../listing/instant.js';

const SECOND_MS = 1_000;
const HAS_TIME = /[Tt ]\d\d:\d\d/;
/** Matches the hour 24 of the end of a day, which ISO 8601 allows. */
const END_OF_DAY = /(?<=[Tt ])24(?=:00(?::00(?:[.,]0+)?)?(?![\d:]))/;
const HAS_OFFSET = /\d\s?(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/;

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** Parses a time to ms since 1970, in the time zone if without offset. @param edge the end of the day that a date means. */
export function readTime(text: string, timezone: string, edge: 'start' | 'end' = 'start'): number | null {
  const stated = text.trim();
  const trimmed = stated.replace(END_OF_DAY, '00');
  const dated = HAS_TIME.test(trimmed) ? trimmed : `${trimmed}T00:00:00`;
  const start = parseInstant(dated);
  if (start === null) return null;
  const ms = trimmed === stated ? start : start + DAY_MS;
  if (dated === trimmed && HAS_OFFSET.test(trimmed)) return ms;
  const wall = dated === trimmed || edge === 'start' ? ms : ms + 86_399_999;
  return fromWallClock(wall, timezone);
}

/** Matches the date `0000-00-00`, which databases such as MySQL store for a date that is not set. */
const ZERO_DATE = /^\s*0000-00-00/;

/** Parses the start or the end of a period. A blank or the date `0000-00-00` is no limit; null if the text cannot be read. */
export function readLimit(text: string, timezone: string, edge: 'start' | 'end'): number | null {
  if (text.trim() !== '' && !ZERO_DATE.test(text)) return readTime(text, timezone, edge);
  return edge === 'start' ? -Infinity : Infinity;
}

/** A period between two times in milliseconds since 1970, both inclusive. */
export interface Interval {
  start: number;
  end: number;
}

/** Parses an interval of ISO 8601: `START/END`, `START/P7D` or `P7D/END`. A blank side is no limit; null if it cannot be read. */
export function readInterval(text: string, timezone: string): Interval | null {
  const [from = '', to = '', ...more] = text.split('/').map((side) => side.trim());
  if (!text.includes('/') || more.length > 0 || from + to === '') return null;
  const start = readLimit(from, timezone, 'start');
  const end = readLimit(to, timezone, 'end');
  if (start !== null && end !== null) return { start, end };
  if (start !== null && Number.isFinite(start)) {
    const after = shifted(start, to, 1);
    return after === null ? null : { start, end: after };
  }
  const before = end === null || !Number.isFinite(end) ? null : shifted(end, from, -1);
  return before === null || end === null ? null : { start: before, end };
}

const DURATION =
  /^P(?=\d|T\d)(?:(\d{1,4})Y)?(?:(\d{1,4})M)?(?:(\d{1,4})W)?(?:(\d{1,4})D)?(?:T(?=\d)(?:(\d{1,5})H)?(?:(\d{1,5})M)?(?:(\d{1,5})S)?)?$/i;

/** A time after or before another one by a duration such as `P1M` or `PT36H`; null if the text is not one. */
function shifted(ms: number, duration: string, sign: 1 | -1): number | null {
  const parts = DURATION.exec(duration)?.slice(1);
  if (parts === undefined) return null;
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map(
    (part: string | undefined) => sign * Number(part ?? 0),
  );
  const moved = new Date(ms);
  moved.setUTCMonth(moved.getUTCMonth() + 12 * years + months);
  return moved.getTime() + (7 * weeks + days) * DAY_MS + ((hours * 60 + minutes) * 60 + seconds) * SECOND_MS;
}

/** Converts a time to the canonical form; null if the text is not a time. */
export function canonicalTime(text: string, timezone: string): string | null {
  const ms = readTime(text, timezone);
  return ms === null ? null : formatInstant(ms);
}

/** Converts local time to ms since 1970. The offset is looked up again at the first result, where it may differ. */
function fromWallClock(wall: number, timezone: string): number {
  const guess = wall - offsetAt(wall, timezone);
  return wall - offsetAt(guess, timezone);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function offsetAt(ms: number, timezone: string): number {
  if (timezone === 'UTC') return 0;
  const clock =
    clocks.get(timezone) ??
    new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' });
  clocks.set(timezone, clock);
  // The offset is written as GMT, GMT-05:30 or, before there were time zones, GMT+00:53:28.
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/.exec(clock.format(ms)) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds);
  return (sign === '-' ? -offset : offset) * SECOND_MS;
}
