import type { Product } from '../schemas/product.js';

/** What a feed may state of a Product: all but what the service itself says. */
type Stated = Omit<Product, 'id' | 'updated_at'>;

/**
 * One listing as a feed states it: a line of NDJSON, an element of a JSON array or a row of a CSV file.
 * What is absent or null is unknown. The checks live in `validate.ts`; this is the shape after them.
 */
export interface FeedRecord extends Partial<{ [Field in keyof Stated]: Stated[Field] | null }> {
  sku: string;
  source: string;
  name: string;
  /** A declared "was" price, decimal string. Absent: as it was; null: there is none. */
  list_price?: string | null;
  /** Digits. Absent: as they were; null: there are none. */
  gtin?: string | string[] | null;
  price_history?: PriceObservation[] | null;
  /** The fields that a patch states; undefined: the record states the whole listing. */
  stated?: readonly string[];
}

/** A price seen at a time. */
export interface PriceObservation {
  /** Decimal string. */
  price: string;
  /** ISO 8601, UTC. */
  at: string;
  /** Only in stored histories: the currency, where it is not the listing's of today; null: none was stated. */
  currency?: string | null;
  /** An untrusted sender stated it of the past: it is stored, and no statistic uses it. Absent: it was observed. */
  declared?: true;
}
