import type { PriceHistoryWithDeal } from '../schemas/price-history.js';
import { DAY_MS, formatInstant } from './instant.js';
import type { StoredListing } from './listing.js';
import { formatUnits } from './price.js';
import { positionOf } from './price-position.js';
import {
  cheapest,
  dearest,
  knownParts,
  lowestPriceBetween,
  partsBetween,
  type PriceSegment,
  type SegmentPart,
  seenBetween,
  segmentsOf,
  timeByPrice,
  timeWeightedQuantile,
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
