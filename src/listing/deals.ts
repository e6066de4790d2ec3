import { toUnits } from './price.js';
import type { PriceObservation } from './record.js';

const DAY_MS = 86_400_000;
const REFERENCE_WINDOW_MS = 90 * DAY_MS;
const LOWEST_WINDOW_MS = 30 * DAY_MS;

/** A listing younger than this in the catalogue is judged by the "was" price that its feed declares. */
export const DECLARED_UNTIL_MS = 7 * DAY_MS;

/**
 * What a listing's price history says of its current price, fixed from the moment that price came into force:
 * nothing here depends on today, so a deal needs no re-ingestion to stay one.
 */
export interface DealFacts {
  /** Time-weighted median of the 90 days before the current price came into force, in units; null: nothing before it. */
  reference_units: number | null;
  /** How far the price is below the observed reference, in ten-millionths of a percent, rounded down; null: not below. */
  observed_discount: number | null;
  /** The same against the declared list price. */
  declared_discount: number | null;
  /** Whether the declared list price, or more, was ever asked; null: none is declared. */
  list_price_observed: boolean | null;
}

/** Discounts are kept in ten-millionths of a percent, so that an inclusive threshold is compared exactly. */
export const DISCOUNT_SCALE = 10_000_000;

/**
 * @param history observations, oldest first; the last one is the current price.
 * @param priceUnits the current price in units; null: unknown, so there is no deal.
 * @param listUnits the declared "was" price in units.
 */
export function dealFacts(
  history: readonly PriceObservation[],
  priceUnits: number | null,
  listUnits: number | null,
): DealFacts {
  const list_price_observed =
    listUnits === null ? null : history.some(({ price }) => toUnits(price) >= listUnits);
  if (priceUnits === null) {
    return { reference_units: null, observed_discount: null, declared_discount: null, list_price_observed };
  }
  const reference = referencePrice(history);
  return {
    reference_units: reference,
    observed_discount: discount(reference, priceUnits),
    declared_discount: discount(listUnits, priceUnits),
    list_price_observed,
  };
}

/** @returns the discount in ten-millionths of a percent, rounded down; null where there is none. */
function discount(reference: number | null, price: number): number | null {
  if (reference === null || price >= reference) return null;
  return Number((BigInt(reference - price) * 100n * BigInt(DISCOUNT_SCALE)) / BigInt(reference));
}

/**
 * The time-weighted median of the prices in the 90 days before the current price came into force: the price that
 * held for half of that time or more. A price that was raised for a day before a "sale" carries a day's weight.
 * @returns units; null when nothing was observed before the current price.
 */
export function referencePrice(history: readonly PriceObservation[]): number | null {
  const current = history.at(-1);
  if (current === undefined) return null;
  const units = toUnits(current.price);
  let first = history.length - 1;
  while (first > 0 && toUnits(history[first - 1]?.price ?? '') === units) first -= 1;
  const points = history
    .slice(0, first)
    .map(({ price, at }) => ({ units: toUnits(price), at: Date.parse(at) }));
  const until = Date.parse(history[first]?.at ?? current.at);
  const since = until - REFERENCE_WINDOW_MS;
  const held = points
    .map(({ units, at }, index) => ({ units, ms: (points[index + 1]?.at ?? until) - Math.max(at, since) }))
    .filter(({ ms }) => ms > 0)
    .sort((a, b) => a.units - b.units);
  const half = held.reduce((sum, { ms }) => sum + ms, 0) / 2;
  let passed = 0;
  for (const { units, ms } of held) {
    passed += ms;
    if (passed >= half) return units;
  }
  return null;
}

/**
 * The lowest price in force at any time in the 30 days before `now`, in the listing's currency of today.
 * @returns units; null without an observation.
 */
export function lowestPrice(history: readonly PriceObservation[], now: Date): number | null {
  const since = now.getTime() - LOWEST_WINDOW_MS;
  const comparable = history.filter(({ currency }) => currency === undefined);
  const inForce = comparable.filter((_, index) => {
    const next = comparable[index + 1];
    return next === undefined || Date.parse(next.at) > since;
  });
  return inForce.reduce<number | null>((lowest, { price }) => {
    const units = toUnits(price);
    return lowest === null || units < lowest ? units : lowest;
  }, null);
}
