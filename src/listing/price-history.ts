import { formatInstant } from './instant.js';
import type { StoredListing } from './listing.js';
import { formatUnits, toUnits } from './price.js';
import {
  isGap,
  knownParts,
  lowestBetween,
  MIN_KNOWN_DAYS,
  partsBetween,
  type PriceSegment,
  quantile,
  type SegmentPart,
  segmentsOf,
  timeByPrice,
  totalTime,
} from './price-segments.js';

const DAY_MS = 86_400_000;

/** A history has no more points; days become weeks before there are more. */
export const MAX_POINTS = 1_000;

export type Interval = 'raw' | 'day' | 'week';
export type Verdict = 'unknown' | 'lowest_ever' | 'low' | 'typical' | 'high' | 'highest_ever';

/** A price at a time: decimal string; ISO 8601, UTC. */
export interface PricePoint {
  at: string;
  price: string;
}

/** What a listing cost between two times, in its currency of today. */
export interface PriceHistory {
  product_id: number;
  currency: string | null;
  from: string;
  to: string;
  /** The one that the points have: days become weeks where there are too many. */
  interval: Interval;
  points: PricePoint[];
  /** null: there never was a price. Of `from` to `to`, but for what is named after now (`lowest_30d`, …) or always. */
  statistics: {
    current: string | null;
    lowest: PricePoint | null;
    highest: PricePoint | null;
    /** Weighted by time, as the median; null: at no time. */
    mean: string | null;
    median: string | null;
    lowest_30d: string | null;
    lowest_90d: string | null;
    lowest_ever: string;
    changes: number;
    last_change_at: string | null;
    /** Whole days since the current price came into force. */
    days_at_current: number | null;
  } | null;
  position: {
    /** Share of the time, in percent, at which it cost less than now. */
    percentile: number | null;
    verdict: Verdict;
    basis_days: number;
  };
  coverage: {
    first_observed_at: string;
    last_checked: string | null;
    /** Those that are kept, in the currency of today. */
    observations: number;
    /** Whole days of which the price is known. */
    days_observed: number;
    gaps: { from: string; to: string }[];
    /** Observations in another currency, which count for nothing else. */
    other_currency: number;
  };
}

/** Which part of a history is wanted, in ms since 1970; `to` is included. */
export interface Window {
  from: number;
  to: number;
  interval: Interval;
}

type Listing = Pick<StoredListing, 'id' | 'price' | 'currency' | 'last_checked'> & {
  internal: Pick<StoredListing['internal'], 'price_history' | 'observed_at' | 'first_observed_at'>;
};

/**
 * The history of a listing. A price is in force until the next observation in the same currency, the last one until now;
 * more than 14 days without an observation are a gap, which is in no mean, median, percentile, `lowest_30d` or
 * `lowest_90d`.
 */
export function priceHistory(listing: Listing, window: Window, now: Date): PriceHistory {
  const segments = segmentsOf(listing, now.getTime());
  const within = partsBetween(segments, window.from, window.to);
  const time = timeByPrice(knownParts(within));
  const { interval, points } = pointsOf(within, window);
  const days = Math.floor(totalTime(time) / DAY_MS);
  const inWindow = (at: number) => at >= window.from && at <= window.to;
  const others = listing.internal.price_history.filter(
    ({ currency, declared, at }) => currency !== undefined && !declared && inWindow(Date.parse(at)),
  );
  return {
    product_id: listing.id,
    currency: listing.currency,
    from: formatInstant(window.from),
    to: formatInstant(window.to),
    interval,
    points,
    statistics: segments.length === 0 ? null : statistics(listing, { segments, within, time, inWindow }, now),
    position: { ...position(listing, segments, time, days), basis_days: days },
    coverage: {
      first_observed_at: listing.internal.first_observed_at,
      last_checked: listing.last_checked,
      observations: segments.filter(({ at }) => inWindow(at)).length,
      days_observed: days,
      gaps: within
        .filter(({ whole, at, until }) => isGap(whole) && until > at)
        .map(({ at, until }) => ({ from: formatInstant(at), to: formatInstant(until) })),
      other_currency: others.length,
    },
  };
}

function pointsOf(
  parts: readonly SegmentPart[],
  { from, interval }: Pick<Window, 'from' | 'interval'>,
): { interval: Interval; points: PricePoint[] } {
  if (interval === 'raw') {
    const seen = parts.filter(({ whole }) => whole.at >= from);
    return { interval, points: seen.slice(-MAX_POINTS).map(({ at, units }) => toPoint(at, units)) };
  }
  const lowest = new Map<number, number>();
  for (const { units, at, until } of parts) {
    const last = startOf(Math.max(at, until - 1), interval);
    for (
      let bucket = startOf(at, interval);
      bucket <= last;
      bucket += interval === 'day' ? DAY_MS : 7 * DAY_MS
    ) {
      lowest.set(bucket, Math.min(lowest.get(bucket) ?? Infinity, units));
    }
  }
  if (lowest.size > MAX_POINTS && interval === 'day') return pointsOf(parts, { from, interval: 'week' });
  const points = [...lowest].sort(([a], [b]) => a - b).map(([at, units]) => toPoint(at, units));
  return { interval, points: points.slice(-MAX_POINTS) };
}

const toPoint = (at: number, units: number): PricePoint => ({
  at: formatInstant(at),
  price: formatUnits(units),
});

/** The midnight, UTC, with which a day or a week (from Monday on) begins. */
function startOf(at: number, interval: 'day' | 'week'): number {
  const day = Math.floor(at / DAY_MS);
  // The first of January 1970 was a Thursday.
  return (interval === 'day' ? day : day - ((((day + 3) % 7) + 7) % 7)) * DAY_MS;
}

function statistics(
  { price }: Listing,
  {
    segments,
    within,
    time,
    inWindow,
  }: {
    segments: readonly PriceSegment[];
    within: readonly SegmentPart[];
    time: ReadonlyMap<number, number>;
    inWindow: (at: number) => boolean;
  },
  now: Date,
): PriceHistory['statistics'] {
  const moves = segments.filter(({ units }, index) => index > 0 && segments[index - 1]?.units !== units);
  const median = quantile(time, 50);
  const lowestOf = (days: number) => lowestBetween(segments, now.getTime() - days * DAY_MS, now.getTime());
  const since = moves.at(-1)?.at ?? segments[0]?.at ?? now.getTime();
  return {
    current: price,
    lowest: pointOrNull(cheapest(within)),
    highest: pointOrNull(dearest(within)),
    mean: meanOf(time),
    median: median === null ? null : formatUnits(median),
    lowest_30d: textOrNull(lowestOf(30)),
    lowest_90d: textOrNull(lowestOf(90)),
    lowest_ever: formatUnits(cheapest(segments)?.units ?? 0),
    changes: moves.filter(({ at }) => inWindow(at)).length,
    last_change_at: moves.length === 0 ? null : formatInstant(moves.at(-1)?.at ?? 0),
    days_at_current: price === null ? null : Math.floor((now.getTime() - since) / DAY_MS),
  };
}

const pointOrNull = (part: PriceSegment | null): PricePoint | null =>
  part === null ? null : toPoint(part.at, part.units);
const textOrNull = (units: number | null): string | null => (units === null ? null : formatUnits(units));

/** The first of the lowest. */
const cheapest = <T extends PriceSegment>(segments: readonly T[]): T | null =>
  segments.reduce<T | null>((best, one) => (best === null || one.units < best.units ? one : best), null);
const dearest = <T extends PriceSegment>(segments: readonly T[]): T | null =>
  segments.reduce<T | null>((best, one) => (best === null || one.units > best.units ? one : best), null);

/** Exact, then rounded half up to the decimals that the prices have, two at least. */
function meanOf(time: ReadonlyMap<number, number>): string | null {
  if (time.size === 0) return null;
  let sum = 0n;
  let total = 0n;
  for (const [units, ms] of time) {
    sum += BigInt(units) * BigInt(ms);
    total += BigInt(ms);
  }
  const step =
    [100n, 10n].find((size) => [...time.keys()].every((units) => BigInt(units) % size === 0n)) ?? 1n;
  const divisor = total * step;
  return formatUnits(Number(((2n * sum + divisor) / (2n * divisor)) * step));
}

/** Where the price of now stands among those of the window; lowest and highest are of all times. */
function position(
  { price }: Listing,
  segments: readonly PriceSegment[],
  time: ReadonlyMap<number, number>,
  days: number,
): { percentile: number | null; verdict: Verdict } {
  const median = quantile(time, 50);
  if (price === null || median === null) return { percentile: null, verdict: 'unknown' };
  const current = toUnits(price);
  const total = totalTime(time);
  const below = [...time].reduce((sum, [units, ms]) => (units < current ? sum + ms : sum), 0);
  const percentile = Math.round((below / total) * 1_000) / 10;
  if (days < MIN_KNOWN_DAYS) return { percentile, verdict: 'unknown' };
  const [low, high] = [quantile(time, 25) ?? 0, quantile(time, 75) ?? 0];
  const verdict = (): Verdict => {
    // A price that it has most of the time is typical, also where it never was lower or higher.
    if (current < median) {
      if (current <= (cheapest(segments)?.units ?? 0)) return 'lowest_ever';
      return current <= low ? 'low' : 'typical';
    }
    if (current > median) {
      if (current >= (dearest(segments)?.units ?? 0)) return 'highest_ever';
      return current >= high ? 'high' : 'typical';
    }
    return 'typical';
  };
  return { percentile, verdict: verdict() };
}
