import { toUnits } from './price.js';
import { lowestBetween, segmentsBetween, segmentsOf, usualBetween } from './price-segments.js';
import type { PriceObservation } from './record.js';

const DAY_MS = 86_400_000;
const REFERENCE_WINDOW_MS = 90 * DAY_MS;
const LOWEST_WINDOW_MS = 30 * DAY_MS;

/** A new listing that is dear for some hours makes no reference of that. */
const MIN_BEFORE_MS = DAY_MS;

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
 * @param history observed prices in one currency, oldest first; the last one is the current price.
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
 * The time-weighted median (`usualBetween`) of the 90 days before the current price came into force. A price that was
 * raised for a day before a "sale" has the weight of a day.
 * @returns units; null when nothing was observed a day or more before the current price.
 */
export function referencePrice(history: readonly PriceObservation[]): number | null {
  const current = history.at(-1);
  if (current === undefined) return null;
  const units = toUnits(current.price);
  const first = history.findLastIndex(({ price }) => toUnits(price) !== units) + 1;
  const until = Date.parse(history[first]?.at ?? current.at);
  if (until - Date.parse(history[0]?.at ?? current.at) < MIN_BEFORE_MS) return null;
  return usualBetween(segmentsBetween(history.slice(0, first), until), until - REFERENCE_WINDOW_MS, until);
}

/**
 * The lowest price of the 30 days before `now`, in the listing's currency of today.
 * @returns units; null where nobody knows any.
 */
export const lowestOf30Days = (listing: Parameters<typeof segmentsOf>[0], now: Date): number | null =>
  lowestBetween(segmentsOf(listing, now.getTime()), now.getTime() - LOWEST_WINDOW_MS, now.getTime());
