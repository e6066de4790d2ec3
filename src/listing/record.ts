/**
 * One listing as a feed states it: a line of NDJSON, an element of a JSON array or a row of a CSV file.
 * What is absent or null is unknown. The checks live in `validate.ts`; this is the shape after them.
 */
export interface FeedRecord {
  sku: string;
  source: string;
  name: string;
  merchant_id?: string | null;
  description?: string | null;
  /** Decimal string, at least two decimals after validation. */
  price?: string | null;
  /** ISO 4217 code, upper case. */
  currency?: string | null;
  buy_url?: string | null;
  affiliate_url?: string | null;
  image_url?: string | null;
  brand?: string | null;
  category?: string | null;
  /** Top level first. */
  category_path?: string[] | null;
  /** Decimal string on a 0 to 5 scale. */
  rating?: string | null;
  is_available?: boolean | null;
  /** ISO 8601, UTC. */
  last_checked?: string | null;
  /** Any JSON value, 32 kB of text at most. */
  metadata?: unknown;
  /** A declared "was" price, decimal string. Absent: as it was; null: there is none. */
  list_price?: string | null;
  /** Digits. Absent: as they were; null: there are none. */
  gtin?: string | string[] | null;
  price_history?: PriceObservation[] | null;
}

/** A price seen at a time. */
export interface PriceObservation {
  /** Decimal string. */
  price: string;
  /** ISO 8601, UTC. */
  at: string;
  /** Only in stored histories: the currency, where it is not the listing's of today; null: none was stated. */
  currency?: string | null;
}
