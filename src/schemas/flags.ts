/** What may be wrong with a listing: first its price, then what it says it is, then what it lacks. */
export const FLAG_NAMES = [
  ...(['price_placeholder', 'price_outlier', 'gtin_check', 'gtin_conflict', 'duplicate', 'stale'] as const),
  ...(['no_brand', 'no_category', 'no_image', 'no_price', 'short_name'] as const),
] as const;
export type Flag = (typeof FLAG_NAMES)[number];
