import { DAY_MS } from './instant.js';

/** How long the deal of a new listing is based on the "was" price that its feed declares: seven days. */
export const DECLARED_UNTIL_MS = 7 * DAY_MS;

/** A declared "was" price that is cut by more than this percentage is not believed, so there is no deal. */
export const MAX_DECLARED_PCT = 90;

/** The scale of stored discounts: ten-millionths of a percent, so that thresholds are exact. */
export const DISCOUNT_SCALE = 10_000_000;

/** How far a price is below a reference price, in ten-millionths of a percent; null if it is not. */
export function discountOf(reference: number | null, price: number): number | null {
  if (reference === null || price >= reference) return null;
  return Number((BigInt(reference - price) * 100n * BigInt(DISCOUNT_SCALE)) / BigInt(reference));
}

/** The smallest discount that answers show, in the scale of stored ones: a hundredth of a percent. */
export const SHOWN_DISCOUNT = DISCOUNT_SCALE / 100;

/** Converts a discount in ten-millionths of a percent to a percentage with two decimals. */
export const roundedDiscount = (discount: number): number => Math.round(discount / SHOWN_DISCOUNT) / 100;
