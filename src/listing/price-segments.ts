import { GAP_MS, observedPrices } from './history.js';
import type { StoredListing } from './listing.js';
import { toUnits } from './price.js';
import type { PriceObservation } from './record.js';

const DAY_MS = 86_400_000;

/** Fewer known days say nothing about what a listing usually costs. */
export const MIN_KNOWN_DAYS = 14;

/** A price and when it was in force: from one observation until the next; ms since 1970. */
export interface PriceSegment {
  /** In ten-thousandths of the currency's unit. */
  units: number;
  at: number;
  until: number;
}

/** The part of a segment that lies in a window, with the whole segment. */
export interface SegmentPart extends PriceSegment {
  whole: PriceSegment;
}

type Listing = Pick<StoredListing, 'price'> & {
  internal: Pick<StoredListing['internal'], 'price_history' | 'observed_at'>;
};

/** The segments of observations in one currency, oldest first. @param end when the last one ends. */
export const segmentsBetween = (
  observations: readonly Pick<PriceObservation, 'price' | 'at'>[],
  end: number,
): PriceSegment[] => {
  const points = observations.map(({ price, at }) => ({ units: toUnits(price), at: Date.parse(at) }));
  return points.map((point, index) => ({ ...point, until: points[index + 1]?.at ?? end }));
};

/**
 * Every price that a listing was observed at in its currency of today, oldest first. The last one holds until now, or
 * until the listing was seen without a price.
 */
export function segmentsOf({ price, internal }: Listing, now: number): PriceSegment[] {
  const seen: Pick<PriceObservation, 'price' | 'at'>[] = observedPrices(internal.price_history);
  const observedAt = Date.parse(internal.observed_at);
  // The listing had the price that it shows when it was last observed, also where the history does not repeat it.
  if (price !== null && observedAt > Date.parse(seen.at(-1)?.at ?? '1970-01-01')) {
    seen.push({ price, at: internal.observed_at });
  }
  const past = seen.filter(({ at }) => Date.parse(at) <= now);
  const last = Date.parse(past.at(-1)?.at ?? '1970-01-01');
  return segmentsBetween(past, price === null ? Math.min(now, Math.max(observedAt, last)) : now);
}

/** More than 14 days without an observation are a gap: nobody knows what the price was meanwhile. */
export const isGap = ({ at, until }: PriceSegment): boolean => until - at > GAP_MS;

/** The parts of segments between two times, both included. */
export const partsBetween = (segments: readonly PriceSegment[], from: number, to: number): SegmentPart[] =>
  segments.flatMap((whole) => {
    const at = Math.max(whole.at, from);
    const until = Math.min(whole.until, to);
    const begins = whole.at >= from && whole.at <= to;
    return at < until || begins ? [{ units: whole.units, at, until: Math.max(at, until), whole }] : [];
  });

/** The parts whose price is known: those that are not in a gap. */
export const knownParts = (parts: readonly SegmentPart[]): SegmentPart[] =>
  parts.filter(({ whole }) => !isGap(whole));

/** For how many ms each price was in force, cheapest first. */
export function timeByPrice(segments: readonly PriceSegment[]): Map<number, number> {
  const time = new Map<number, number>();
  for (const { units, at, until } of segments) time.set(units, (time.get(units) ?? 0) + until - at);
  return new Map([...time].filter(([, ms]) => ms > 0).sort(([a], [b]) => a - b));
}

/** How long any price was in force, in ms. */
export const totalTime = (time: ReadonlyMap<number, number>): number =>
  [...time.values()].reduce((sum, ms) => sum + ms, 0);

/** The lowest price at or below which it was for a percentage of the time; null: at no time. */
export function quantile(time: ReadonlyMap<number, number>, percent: number): number | null {
  const total = totalTime(time);
  let passed = 0;
  for (const [units, ms] of time) {
    passed += ms;
    if (passed * 100 >= total * percent) return units;
  }
  return null;
}

/**
 * The time-weighted median price of a window: over the known time, as the median of a price history is.
 * Where fewer than 14 days are known, each price counts until the next observation, so that a price that was raised for
 * some days outweighs no price that was seen rarely.
 */
export function usualBetween(segments: readonly PriceSegment[], from: number, to: number): number | null {
  const parts = partsBetween(segments, from, to);
  const known = timeByPrice(knownParts(parts));
  return quantile(totalTime(known) < MIN_KNOWN_DAYS * DAY_MS ? timeByPrice(parts) : known, 50);
}

/** The lowest price that was known to be in force, or observed, between two times; null: none. */
export function lowestBetween(segments: readonly PriceSegment[], from: number, to: number): number | null {
  const seen = partsBetween(segments, from, to).filter(({ whole }) => !isGap(whole) || whole.at >= from);
  return seen.length === 0 ? null : Math.min(...seen.map(({ units }) => units));
}
