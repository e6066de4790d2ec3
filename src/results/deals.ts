import { DECLARED_UNTIL_MS, DISCOUNT_SCALE, lowestPrice } from '../listing/deals.js';
import type { Product, StoredListing } from '../listing/listing.js';
import { formatUnits, toUnits } from '../listing/price.js';
import { type Links, toProduct } from './product.js';

/** A listing below its reference price. */
export interface Deal extends Product {
  /** The reference, decimal string in the listing's own currency. */
  original_price: string;
  /** Rounded to two decimals; the threshold and the order use the unrounded figure. */
  discount_pct: number;
  price_basis: 'observed' | 'declared';
  /** Lowest price of the last 30 days, decimal string. */
  lowest_price_30d: string;
}

/** @param listing one that matched `queries/deals.ts` at the same `now`. */
export function toDeal(listing: StoredListing, now: Date, links: Links): Deal {
  const { internal } = listing;
  const declared = now.getTime() - Date.parse(internal.first_observed_at) < DECLARED_UNTIL_MS;
  const reference = declared ? toUnits(internal.list_price ?? '0') : (internal.reference_units ?? 0);
  const discount = (declared ? internal.declared_discount : internal.observed_discount) ?? 0;
  const current = internal.price_units ?? 0;
  return {
    ...toProduct(listing, links),
    original_price: formatUnits(reference),
    discount_pct: Math.round(discount / (DISCOUNT_SCALE / 100)) / 100,
    price_basis: declared ? 'declared' : 'observed',
    lowest_price_30d: formatUnits(lowestPrice(internal.price_history, now) ?? current),
  };
}
