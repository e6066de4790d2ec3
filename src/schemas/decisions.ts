/** What names a listing in feeds. */
export interface ListingKey {
  source: string;
  sku: string;
}

/** What people decided of two listings, which they name as feeds do. */
export interface StoredDecision {
  a_source: string;
  a_sku: string;
  b_source: string;
  b_sku: string;
  decision: 'same' | 'different';
}
