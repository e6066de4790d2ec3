import { type PriceHistory, priceHistory, type Window } from '../../listing/price-history.js';
import type { StoredListing } from '../../listing/listing.js';
import { dealOf, type DealTerms } from '../../listing/deal-terms.js';

/** A price history as answers show it: with the deal that the price of now is, if it is one. */
export type ShownHistory = PriceHistory & { deal: DealTerms | null };

export function toPriceHistory(listing: StoredListing, window: Window, now: Date): ShownHistory {
  const { coverage, ...history } = priceHistory(listing, window, now);
  return { ...history, deal: dealOf(listing, now), coverage };
}

/** What of a stored listing its history is made of. */
export const HISTORY_SOURCE = [
  'id',
  'name',
  'price',
  'currency',
  'last_checked',
  ...['price_history', 'observed_at', 'first_observed_at', 'list_price', 'price_units'].map(
    (name) => `internal.${name}`,
  ),
  ...['reference_units', 'observed_discount', 'declared_discount', 'flags'].map((name) => `internal.${name}`),
];
