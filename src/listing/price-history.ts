import type { PriceHistoryWithDeal } from '../schemas/price-history.js';
import { DAY_MS, formatInstant } from './instant.js';
import type { StoredListing } from './listing.js';
import { formatUnits, toUnits } from './price.js';
import {
  cheapest,
  dearest,
  knownParts,
  lowestPriceBetween,
  MIN_KNOWN_DAYS,
  partsBetween,
  type PriceSegment,
  type SegmentPart,
  seenBetween,
  segmentsOf,
  timeByPrice,
  timeWeightedQuantile,
  totalTime,
} from './price-statistics.js';

/** The maximum number of points in a price history. More daily points are combined into weeks. */
export const MAX_POINTS = 1_000;

/** The prices of a listing between two times, in its current currency. */
export type PriceHistory = Omit<PriceHistoryWithDeal, 'deal'>;
export type HistoryInterval = PriceHistory['interval'];
type HistoryPoint = PriceHistory['points'][number];

/** The requested part of a price history. Times are ms since 1970; both are inclusive. */
export interface HistoryWindow {
  from: number;
  to: number;
  interval: HistoryInterval;
}

type ListingWithHistory = Pick<StoredListing, 'id' | 'price' | 'currency' | 'last_checked'> & {
  internal: Pick<
    StoredListing['internal'],
    'price_history' | 'observed_at' | 'first_observed_at' | 'price_from'
  >;
};

/**
 * Computes the price history of a listing. A price counts until the next observation in the same currency,
 * the last one until now. More than 14 days without an observation are a gap. Mean, median and percentile leave it out, and the
 * lowest and highest prices of a period include its price only if the price was observed in the period.
 */
export function priceHistory(listing: ListingWithHistory, window: HistoryWindow, now: Date): PriceHistory {
  const segments = segmentsOf(listing, now.getTime());
  const within = partsBetween(segments, window.from, window.to);
  const time = timeByPrice(knownParts(within));
  const { interval, points } = pointsOf(within, window, listing.currency);
  const position = positionOf(listing, segments, time);
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
    statistics: segments.length === 0 ? null : statistics(listing, segments, window, time, now),
    position,
    coverage: {
      first_observed_at: listing.internal.first_observed_at,
      last_checked: listing.last_checked,
      observations: segments.filter(({ at, isObserved }) => isObserved && inWindow(at)).length,
      days_observed: position.basis_days,
      gaps: within
        .filter(({ whole, at, until }) => whole.isGap && until > at)
        .map(({ at, until }) => ({ from: formatInstant(at), to: formatInstant(until) })),
      other_currency: others.length,
    },
  };
}

function pointsOf(
  parts: readonly SegmentPart[],
  { from, interval }: Pick<HistoryWindow, 'from' | 'interval'>,
  currency: string | null,
): { interval: HistoryInterval; points: HistoryPoint[] } {
  if (interval === 'raw') {
    const seen = parts.filter(({ whole }) => whole.isObserved && whole.at >= from);
    return { interval, points: seen.slice(-MAX_POINTS).map(({ at, units }) => toPoint(at, units, currency)) };
  }
  const lowest = new Map<number, number>();
  for (const { units, at, until } of parts) {
    const last = startOf(Math.max(at, until - 1), interval);
    const step = interval === 'day' ? DAY_MS : 7 * DAY_MS;
    for (let bucket = startOf(at, interval); bucket <= last; bucket += step) {
      lowest.set(bucket, Math.min(lowest.get(bucket) ?? Infinity, units));
    }
  }
  if (lowest.size > MAX_POINTS && interval === 'day')
    return pointsOf(parts, { from, interval: 'week' }, currency);
  const points = [...lowest].sort(([a], [b]) => a - b).map(([at, units]) => toPoint(at, units, currency));
  return { interval, points: points.slice(-MAX_POINTS) };
}

const toPoint = (at: number, units: number, currency: string | null): HistoryPoint => ({
  at: formatInstant(at),
  price: formatUnits(units, currency),
});

/** The midnight in UTC at which a day or a week from Monday begins. */
function startOf(at: number, interval: 'day' | 'week'): number {
  const day = Math.floor(at / DAY_MS);
  // 1 January 1970, which is day 0, was a Thursday, so 3 is added to count the days since a Monday.
  return (interval === 'day' ? day : day - ((((day + 3) % 7) + 7) % 7)) * DAY_MS;
}

function statistics(
  { price, currency }: ListingWithHistory,
  segments: readonly PriceSegment[],
  { from, to }: HistoryWindow,
  time: ReadonlyMap<number, number>,
  now: Date,
): PriceHistory['statistics'] {
  const seen = seenBetween(segments, from, to);
  const moves = segments.filter(({ units }, index) => index > 0 && segments[index - 1]?.units !== units);
  const median = timeWeightedQuantile(time, 50);
  const lowestOf = (days: number) =>
    lowestPriceBetween(segments, now.getTime() - days * DAY_MS, now.getTime());
  const text = (units: number | null) => (units === null ? null : formatUnits(units, currency));
  const point = (part: PriceSegment | null) =>
    part === null ? null : toPoint(part.at, part.units, currency);
  const since = moves.at(-1)?.at ?? segments[0]?.at ?? now.getTime();
  return {
    current: price,
    lowest: point(cheapest(seen)),
    highest: point(dearest(seen)),
    mean: text(meanOf(time)),
    median: text(median),
    lowest_30d: text(lowestOf(30)),
    lowest_90d: text(lowestOf(90)),
    lowest_ever: formatUnits(cheapest(segments)?.units ?? 0, currency),
    changes: moves.filter(({ at }) => at >= from && at <= to).length,
    last_change_at: moves.length === 0 ? null : formatInstant(moves.at(-1)?.at ?? 0),
    days_at_current: price === null ? null : Math.floor((now.getTime() - since) / DAY_MS),
  };
}

/** The exact time-weighted mean price in units, rounded half up to as many decimals as the prices have, at least two. */
function meanOf(time: ReadonlyMap<number, number>): number | null {
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
  return Number(((2n * sum + divisor) / (2n * divisor)) * step);
}

/** How the current price of a listing compares with its earlier ones. */
type PricePosition = PriceHistory['position'];

/** The fields of a stored listing that `currentPosition` reads. */
export const POSITION_FIELDS = [
  'price',
  'currency',
  ...['price_history', 'observed_at', 'price_from'].map((name) => `internal.${name}`),
];

/** The number of days with which the price history compares the current price by default. */
export const POSITION_DAYS = 90;

/** How the current price of a listing compares with its prices of the last 90 days, as in its price history. */
export function currentPosition(
  { price = null, internal = {} }: { price?: string | null; internal?: Partial<StoredListing['internal']> },
  now: Date,
): PricePosition {
  const { price_history = [], observed_at = formatInstant(0) } = internal;
  const segments = segmentsOf({ price, internal: { price_history, observed_at } }, now.getTime());
  const since = now.getTime() - POSITION_DAYS * DAY_MS;
  const time = timeByPrice(knownParts(partsBetween(segments, since, now.getTime())));
  return positionOf({ price, internal }, segments, time);
}

/** Compares the current price with those in a period, and `lowest_ever` and `highest_ever` with all prices. */
export function positionOf(
  { price, internal }: { price: string | null; internal: Pick<StoredListing['internal'], 'price_from'> },
  segments: readonly PriceSegment[],
  time: ReadonlyMap<number, number>,
): PricePosition {
  const total = totalTime(time);
  const basis_days = Math.floor(total / DAY_MS);
  const median = timeWeightedQuantile(time, 50);
  if (price === null || median === null) return { percentile: null, verdict: 'unknown', basis_days };
  const current = toUnits(price);
  const below = [...time].reduce((sum, [units, ms]) => (units < current ? sum + ms : sum), 0);
  const percentile = Math.round((below / total) * 1_000) / 10;
  // A "from" price is not comparable with plain ones.
  const isComparable = internal.price_from !== true || segments.every(({ isFrom }) => isFrom);
  if (basis_days < MIN_KNOWN_DAYS || !isComparable) return { percentile, verdict: 'unknown', basis_days };
  const [low, high] = [timeWeightedQuantile(time, 25) ?? 0, timeWeightedQuantile(time, 75) ?? 0];
  return { percentile, verdict: verdictOf(current, { median, low, high }, segments), basis_days };
}

/** Classifies the current price. The lowest price is `lowest_ever` unless the price never moved; the median is `typical`. */
function verdictOf(
  current: number,
  { median, low, high }: { median: number; low: number; high: number },
  segments: readonly PriceSegment[],
): PricePosition['verdict'] {
  const dearestUnits = dearest(segments)?.units ?? current;
  if (current < dearestUnits && current <= (cheapest(segments)?.units ?? 0)) return 'lowest_ever';
  if (current < median) return current <= low ? 'low' : 'typical';
  if (current > median) {
    if (current >= dearestUnits) return 'highest_ever';
    return current >= high ? 'high' : 'typical';
  }
  return 'typical';
}
