import { DECLARED_UNTIL_MS, DISCOUNT_SCALE, lowestOf30Days } from './deals.js';
import { hasMistrustedPrice } from './flags.js';
import type { StoredListing } from './listing.js';
import { formatUnits, toUnits } from './price.js';
import { type Links, toProduct } from './to-product.js';

/** How far a price is below its reference. */
export interface DealTerms {
  /** The reference, decimal string in the listing's own currency. */
  original_price: string;
  /** Rounded to two decimals; the threshold and the order use the unrounded figure. */
  discount_pct: number;
  price_basis: 'observed' | 'declared';
}

/**
 * The one rule of what a deal is, which `queries/deals.ts` states for the engine: the price is below its reference, which
 * is the feed's in a listing's first days and then the observed one, and the price is not flagged.
 * @param includeFlagged whether flagged prices count as well.
 * @returns null if the price is not a deal.
 */
export function dealOf(
  { internal }: Pick<StoredListing, 'internal'>,
  now: Date,
  includeFlagged = false,
): DealTerms | null {
  if (!includeFlagged && hasMistrustedPrice(internal)) return null;
  const declared = now.getTime() - Date.parse(internal.first_observed_at) < DECLARED_UNTIL_MS;
  const reference = declared ? toUnits(internal.list_price ?? '0') : (internal.reference_units ?? 0);
  const discount = declared ? internal.declared_discount : internal.observed_discount;
  if (typeof discount !== 'number') return null;
  return {
    original_price: formatUnits(reference),
    discount_pct: Math.round(discount / (DISCOUNT_SCALE / 100)) / 100,
    price_basis: declared ? 'declared' : 'observed',
  };
}

/**
 * A listing below its reference price.
 * @param listing one that matched `queries/deals.ts` at the same `now`.
 */
export function toDeal(listing: StoredListing, now: Date, links: Links) {
  // The query has left out flagged prices, or was asked for them.
  const terms = dealOf(listing, now, true);
  if (terms === null) throw new Error(`listing ${listing.id} matched as a deal and is not one`);
  return {
    ...toProduct(listing, links),
    ...terms,
    lowest_price_30d: formatUnits(lowestOf30Days(listing, now) ?? listing.internal.price_units ?? 0),
  };
}
