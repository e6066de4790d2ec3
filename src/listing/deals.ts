import { hasMistrustedPrice } from './usual-price.js';
import { DAY_MS } from './instant.js';
import type { PriceObservation, StoredListing } from './listing.js';
import { formatUnits, toUnits } from './price.js';
import { lowestOf30Days, referencePrice } from './price-statistics.js';
import { type LinkSettings, toProduct } from './product.js';

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

/**
 * Computes what the prices until the current one took effect say about it. It does not depend on the time, so a deal
 * remains valid without loading the listing again.
 * @param history observed prices in one currency, sorted by time; the last one is the current price.
 * @param listUnits the declared "was" price in ten-thousandths of the currency's unit.
 * @param usualUnits the usual price at other owners, up to which the declared price counts; null if it is unknown.
 */
export function dealFacts(
  history: readonly PriceObservation[],
  priceUnits: number | null,
  listUnits: number | null,
  usualUnits: number | null = null,
) {
  const list_price_observed =
    listUnits === null ? null : history.some(({ price }) => toUnits(price) >= listUnits);
  if (priceUnits === null) {
    return { reference_units: null, observed_discount: null, declared_discount: null, list_price_observed };
  }
  const reference = referencePrice(history);
  return {
    reference_units: reference,
    observed_discount: discountOf(reference, priceUnits),
    declared_discount: declaredDiscount(priceUnits, listUnits, usualUnits),
    list_price_observed,
  };
}

/** The discount from the declared "was" price, see `dealFacts`. */
export const declaredDiscount = (priceUnits: number, listUnits: number | null, usualUnits: number | null) =>
  discountOf(declaredReference(listUnits, usualUnits), priceUnits);

const declaredReference = (listUnits: number | null, usualUnits: number | null): number | null =>
  listUnits === null || usualUnits === null ? listUnits : Math.min(listUnits, usualUnits);

interface DealTerms {
  /** The reference price, a decimal string in the listing's own currency. */
  original_price: string;
  /** The discount in percent, rounded to two decimals. Deals are sorted by it; thresholds use the unrounded value. */
  discount_pct: number;
  price_basis: 'observed' | 'declared';
}

/**
 * The terms of a deal; null if the listing is none. A deal's price is not flagged and is below its reference:
 * in a listing's first seven days the declared list price, as far as it can be believed, afterwards the observed reference price.
 * `engine/queries/deals.ts` has the same rule.
 * @param includeFlagged whether a listing with a flagged price may be a deal.
 */
export function dealOf(
  { currency, internal }: Pick<StoredListing, 'currency' | 'internal'>,
  now: Date,
  includeFlagged = false,
): DealTerms | null {
  if (!includeFlagged && hasMistrustedPrice(internal)) return null;
  const declared = now.getTime() - Date.parse(internal.first_observed_at) < DECLARED_UNTIL_MS;
  const listUnits = declaredReference(
    toUnits(internal.list_price ?? '0'),
    internal.judged?.usual_units ?? null,
  );
  const reference = declared ? (listUnits ?? 0) : (internal.reference_units ?? 0);
  const discount = declared ? internal.declared_discount : internal.observed_discount;
  if (typeof discount !== 'number' || (declared && discount > MAX_DECLARED_PCT * DISCOUNT_SCALE)) return null;
  return {
    original_price: formatUnits(reference, currency),
    discount_pct: roundedDiscount(discount),
    price_basis: declared ? 'declared' : 'observed',
  };
}

/** Converts a hit of the deals query to a deal in the API. @param now the time that the query used. */
export function toDeal(listing: StoredListing, now: Date, links: LinkSettings) {
  const terms = dealOf(listing, now, true);
  if (terms === null) throw new Error(`listing ${listing.id} matched the deals query but is not a deal`);
  return {
    ...toProduct(listing, links),
    ...terms,
    lowest_price_30d: formatUnits(
      lowestOf30Days(listing, now) ?? listing.internal.price_units ?? 0,
      listing.currency,
    ),
  };
}
