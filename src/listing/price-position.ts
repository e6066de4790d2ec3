import type { PriceHistoryWithDeal } from '../schemas/price-history.js';
import { DAY_MS, formatInstant } from './instant.js';
import type { StoredListing } from './listing.js';
import { toUnits } from './price.js';
import {
  cheapest,
  dearest,
  knownParts,
  MIN_KNOWN_DAYS,
  partsBetween,
  type PriceSegment,
  segmentsOf,
  timeByPrice,
  timeWeightedQuantile,
  totalTime,
} from './price-statistics.js';

/** How the current price of a listing compares with its earlier ones. */
type PricePosition = PriceHistoryWithDeal['position'];

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
