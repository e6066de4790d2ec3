import { DECLARED_UNTIL_MS, DISCOUNT_SCALE, lowestPrice } from '../listing/deals.js';
import type { StoredListing } from '../listing/listing.js';
import { formatUnits, toUnits } from '../listing/price.js';
import { type Links, toProduct } from './product.js';

/** How far a price is below its reference. */
export interface DealTerms {
  /** The reference, decimal string in the listing's own currency. */
  original_price: string;
  /** Rounded to two decimals; the threshold and the order use the unrounded figure. */
  discount_pct: number;
  price_basis: 'observed' | 'declared';
}

/**
 * The reference is the feed's in a listing's first days, then what was observed.
 * @returns null where the price is not below it.
 */
export function dealOf({ internal }: Pick<StoredListing, 'internal'>, now: Date): DealTerms | null {
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
  const { price_units, price_history } = listing.internal;
  const terms = dealOf(listing, now);
  if (terms === null) throw new Error(`listing ${listing.id} matched as a deal and is none`);
  return {
    ...toProduct(listing, links),
    ...terms,
    lowest_price_30d: formatUnits(lowestPrice(price_history, now) ?? price_units ?? 0),
  };
}
