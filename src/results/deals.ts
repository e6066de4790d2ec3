import { DECLARED_UNTIL_MS, DISCOUNT_SCALE, lowestPrice } from '../listing/deals.js';
import type { StoredListing } from '../listing/listing.js';
import { formatUnits, toUnits } from '../listing/price.js';
import { type Links, toProduct } from './product.js';

/**
 * A listing below its reference price.
 * @param listing one that matched `queries/deals.ts` at the same `now`.
 */
export function toDeal(listing: StoredListing, now: Date, links: Links) {
  const { internal } = listing;
  const declared = now.getTime() - Date.parse(internal.first_observed_at) < DECLARED_UNTIL_MS;
  const reference = declared ? toUnits(internal.list_price ?? '0') : (internal.reference_units ?? 0);
  const discount = (declared ? internal.declared_discount : internal.observed_discount) ?? 0;
  const current = internal.price_units ?? 0;
  return {
    ...toProduct(listing, links),
    original_price: formatUnits(reference),
    // The threshold and the order use the unrounded figure.
    discount_pct: Math.round(discount / (DISCOUNT_SCALE / 100)) / 100,
    price_basis: declared ? ('declared' as const) : ('observed' as const),
    lowest_price_30d: formatUnits(lowestPrice(internal.price_history, now) ?? current),
  };
}
