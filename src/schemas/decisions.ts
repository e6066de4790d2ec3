/** The source and SKU of a listing, which identify it in feeds. */
export interface ListingKey {
  source: string;
  sku: string;
}

/** A person's decision on whether two listings are the same product, as its index stores it. */
export interface StoredDecision {
  a_source: string;
  a_sku: string;
  b_source: string;
  b_sku: string;
  decision: 'same' | 'different';
}
