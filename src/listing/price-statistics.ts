import { DAY_MS } from './instant.js';
import type { PriceObservation, StoredListing } from './listing.js';
import { toUnits } from './price.js';
import { addSighting, GAP_MS, observedPrices } from './price-observations.js';

/** The number of days for which prices must be known before they say what a listing usually costs. */
export const MIN_KNOWN_DAYS = 14;

/** A price and the time during which it was in force, in milliseconds since 1970. */
export interface PriceSegment {
  /** The price in ten-thousandths of the currency's unit. */
  units: number;
  at: number;
  until: number;
  /** Whether nothing was observed for more than 14 days, so that the price is unknown. */
  isGap: boolean;
  /** Whether the segment begins with an observation. Otherwise it begins when the price was last seen again. */
  isObserved: boolean;
  isFrom: boolean;
}

/** The part of a price segment that lies in a time window. */
export interface SegmentPart extends PriceSegment {
  whole: PriceSegment;
}

type PricedListing = Pick<StoredListing, 'price'> & {
  internal: Pick<StoredListing['internal'], 'price_history' | 'observed_at'>;
};

/**
 * Builds the times for which a listing had a price from observations in one currency, until `end`. A price that was seen again,
 * and then not for more than 14 days, has two segments: until it was last seen, and the gap afterwards.
 */
function segmentsBetween(observations: readonly PriceObservation[], end: number): PriceSegment[] {
  return observations.flatMap(({ price, at: from, seen_until, from: isFrom = false }, index) => {
    const next = observations[index + 1];
    const at = Date.parse(from);
    const until = next === undefined ? end : Date.parse(next.at);
    const seen = Math.min(seen_until === undefined ? at : Date.parse(seen_until), Math.max(at, until));
    const isGap = until - seen > GAP_MS;
    const segment = { units: toUnits(price), at, until, isGap, isObserved: true, isFrom };
    if (!isGap || seen === at) return [segment];
    return [
      { ...segment, until: seen, isGap: false },
      { ...segment, at: seen, isObserved: false },
    ];
  });
}

/** A listing's price segments in its current currency, without "from" prices if there are others; they may end before `now`. */
export function segmentsOf({ price, internal }: PricedListing, now: number): PriceSegment[] {
  const { observed_at, price_history } = internal;
  const observed = observedPrices(price_history);
  // The listing still had its price when it was last observed, even if the history does not repeat it.
  const isLater = Date.parse(observed_at) > Date.parse(observed.at(-1)?.at ?? '1970-01-01');
  const seen =
    price !== null && isLater ? addSighting(observed, currentOf(observed, price, observed_at)) : observed;
  const past = seen.filter(({ at }) => Date.parse(at) <= now);
  const lastAt = Date.parse(past.at(-1)?.at ?? '1970-01-01');
  // The newest observation, in whatever currency, says when the listing lost its price. An older one may still say when it
  // lost its price for a while.
  const ended_at = price_history.findLast(({ declared }) => declared !== true)?.ended_at;
  const end = price === null ? Math.max(Date.parse(ended_at ?? observed_at), lastAt) : now;
  const segments = segmentsBetween(past, Math.min(now, end));
  const plain = segments.filter(({ isFrom }) => !isFrom);
  return plain.length > 0 ? plain : segments;
}

/** The current price as it was last observed, which is a "from" price if the history ends with it as one. */
function currentOf(observed: readonly PriceObservation[], price: string, at: string): PriceObservation {
  const last = observed.at(-1);
  return last?.from === true && toUnits(last.price) === toUnits(price)
    ? { price, at, from: true }
    : { price, at };
}

/** The parts of price segments that lie between two times, both inclusive. */
export const partsBetween = (segments: readonly PriceSegment[], from: number, to: number): SegmentPart[] =>
  segments.flatMap((whole) => {
    const isInForce = whole.at < from && from < whole.until;
    const begins = whole.at >= from && whole.at <= to;
    if (!isInForce && !begins) return [];
    const at = Math.max(whole.at, from);
    return [{ ...whole, at, until: Math.max(at, Math.min(whole.until, to)), whole }];
  });

export const knownParts = (parts: readonly SegmentPart[]): SegmentPart[] =>
  parts.filter(({ whole }) => !whole.isGap);

/** The total time in ms for which the listing had each price, sorted by price. */
export function timeByPrice(segments: readonly PriceSegment[]): Map<number, number> {
  const time = new Map<number, number>();
  for (const { units, at, until } of segments) time.set(units, (time.get(units) ?? 0) + until - at);
  return new Map([...time].filter(([, ms]) => ms > 0).sort(([a], [b]) => a - b));
}

/** The total time in ms of the segments that are not gaps. */
export const knownTime = (segments: readonly PriceSegment[]): number =>
  segments.reduce((sum, { isGap, at, until }) => (isGap ? sum : sum + until - at), 0);

export const totalTime = (time: ReadonlyMap<number, number>): number =>
  [...time.values()].reduce((sum, ms) => sum + ms, 0);

/** The lowest price not exceeded for a percentage of the time; null without one. @param time in ms by price, lowest first. */
export function timeWeightedQuantile(time: ReadonlyMap<number, number>, percent: number): number | null {
  const total = totalTime(time);
  let passed = 0;
  for (const [units, ms] of time) {
    passed += ms;
    if (passed * 100 >= total * percent) return units;
  }
  return null;
}

/**
 * The time-weighted median price, in ten-thousandths of the currency's unit. Gaps count if prices are known for fewer than
 * 14 days, because a price of a few days would otherwise outweigh one that was observed rarely.
 */
function timeWeightedMedian(segments: readonly PriceSegment[], from: number, to: number): number | null {
  const parts = partsBetween(segments, from, to);
  const known = timeByPrice(knownParts(parts));
  const time = totalTime(known) < MIN_KNOWN_DAYS * DAY_MS ? timeByPrice(parts) : known;
  return timeWeightedQuantile(time, 50);
}

/** The parts of segments between two times, without gaps that began before `from`, in which the price is unknown. */
export const seenBetween = (segments: readonly PriceSegment[], from: number, to: number): SegmentPart[] =>
  partsBetween(segments, from, to).filter(({ whole }) => !whole.isGap || whole.at >= from);

/** The lowest price, in ten-thousandths, that was observed or known to apply between two times; null if there is none. */
export function lowestPriceBetween(segments: readonly PriceSegment[], from: number, to: number) {
  const seen = seenBetween(segments, from, to);
  return seen.length === 0 ? null : Math.min(...seen.map(({ units }) => units));
}

/** The segment with the lowest price, the first one if there are several; null if there is none. */
export const cheapest = (segments: readonly PriceSegment[]): PriceSegment | null =>
  segments.toSorted((a, b) => a.units - b.units)[0] ?? null;

/** The segment with the highest price, the first one if there are several; null if there is none. */
export const dearest = (segments: readonly PriceSegment[]): PriceSegment | null =>
  segments.toSorted((a, b) => b.units - a.units)[0] ?? null;

/** The lowest price of the last 30 days in the listing's current currency, in ten-thousandths of its unit. */
export const lowestOf30Days = (listing: PricedListing, now: Date): number | null =>
  lowestPriceBetween(segmentsOf(listing, now.getTime()), now.getTime() - 30 * DAY_MS, now.getTime());

/** The period before the current price from which its reference price is computed. */
export const REFERENCE_WINDOW_MS = 90 * DAY_MS;

/** The minimum time, in ms, for which prices were observed before the current one, so that they make a reference price. */
const MIN_BEFORE_MS = DAY_MS;

/**
 * The reference price of a listing, in ten-thousandths of the currency's unit: the time-weighted median of
 * the 90 days before its current price began. Raising the price for a day before a "sale" therefore hardly
 * changes it. Null if nothing was observed a day before the current price.
 * @param history observed prices in one currency, sorted by time; the last one is the current price.
 */
export function referencePrice(history: readonly PriceObservation[]): number | null {
  const before = beforeCurrentPrice(history);
  const first = before?.segments[0];
  if (before === null || first === undefined || before.began - first.at < MIN_BEFORE_MS) return null;
  return timeWeightedMedian(before.segments, before.began - REFERENCE_WINDOW_MS, before.began);
}

/**
 * When the current price took effect, and the price segments before; null if the history is empty.
 * @param history observed prices in one currency, sorted by time; the last one is the current price.
 */
export function beforeCurrentPrice(history: readonly PriceObservation[]) {
  const current = history.at(-1);
  if (current === undefined) return null;
  const units = toUnits(current.price);
  const first = history.findLastIndex(({ price }) => toUnits(price) !== units) + 1;
  const began = Date.parse(history[first]?.at ?? current.at);
  return { began, segments: segmentsBetween(history.slice(0, first), began) };
}
