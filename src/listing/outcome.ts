import type { Product } from '../schemas/product.js';
import type { ListingInternals, StoredListing } from './listing.js';

/**
 * What a record did to its listing. `checked`: nothing but `last_checked` is new. `history`: nothing that anybody
 * sees is new, e.g. an older price came in. `unchanged`: nothing has to be written.
 */
export type Outcome = 'created' | 'price_moved' | 'changed' | 'checked' | 'history' | 'unchanged';

/** Compares by JSON, the form in which listings are stored; what was derived counts as soon as it differs. */
export function outcomeOf(existing: StoredListing, product: Product, internal: ListingInternals): Outcome {
  const before = existing.internal;
  if (product.price !== existing.price || product.currency !== existing.currency) return 'price_moved';
  const seen = { ...product, last_checked: null, updated_at: null, list_price: internal.list_price };
  const saw = {
    ...existing,
    last_checked: null,
    updated_at: null,
    list_price: before.list_price,
    internal: undefined,
  };
  if (!sameJson(seen, saw) || !sameJson(internal.gtins, before.gtins)) return 'changed';
  if (product.last_checked !== existing.last_checked) return 'checked';
  if (internal.price_history !== before.price_history) return 'history';
  const kept = { ...internal, observed_at: null, first_observed_at: null, price_history: null };
  const had = { ...before, observed_at: null, first_observed_at: null, price_history: null };
  return sameJson(kept, had) ? 'unchanged' : 'history';
}

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
