import { formatInstant, parseInstant } from '../../listing/instant.js';

const HAS_TIME = /[Tt ]\d\d:\d\d/;
const HAS_OFFSET = /\d\s?(?:[Zz]|[+-]\d\d(?::?\d\d)?)$/;

export function isTimezone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * Parses a time in a feed to milliseconds since 1970. Without an offset, it is local time in the time zone.
 * @param edge whether a date without a time means the beginning or the end of the day.
 */
export function readTime(text: string, timezone: string, edge: 'start' | 'end' = 'start'): number | null {
  const trimmed = text.trim();
  const dated = HAS_TIME.test(trimmed) ? trimmed : `${trimmed}T00:00:00`;
  const ms = parseInstant(dated);
  if (ms === null) return null;
  if (dated === trimmed && HAS_OFFSET.test(trimmed)) return ms;
  const wall = dated === trimmed || edge === 'start' ? ms : ms + 86_399_999;
  return fromWallClock(wall, timezone);
}

/** Converts a time to the canonical form; null if the text is not a time. */
export function canonicalTime(text: string, timezone: string): string | null {
  const ms = readTime(text, timezone);
  return ms === null ? null : formatInstant(ms);
}

/**
 * Converts local time to milliseconds since 1970. The offset of the time zone is determined a second time for
 * the result of the first conversion, because it may differ there, for example after a change to daylight
 * saving time.
 */
function fromWallClock(wall: number, timezone: string): number {
  const guess = wall - offsetAt(wall, timezone);
  return wall - offsetAt(guess, timezone);
}

const clocks = new Map<string, Intl.DateTimeFormat>();

function offsetAt(ms: number, timezone: string): number {
  if (timezone === 'UTC') return 0;
  const clock =
    clocks.get(timezone) ??
    new Intl.DateTimeFormat('en-US', {
      timeZone: timezone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  clocks.set(timezone, clock);
  const { year, month, day, hour, minute, second } = Object.fromEntries(
    clock.formatToParts(ms).map(({ type, value }) => [type, Number(value)]),
  ) as Record<string, number | undefined>;
  const wall = Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
  return wall - Math.floor(ms / 1000) * 1000;
}
