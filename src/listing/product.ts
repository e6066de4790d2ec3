import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import type { StoredListing } from './listing.js';
import type { FeedRecord } from './record.js';

/**
 * What a record says of its listing as a Product: exactly its fields, in their order. What the record leaves out is
 * unknown, but for `last_checked`, which is not forgotten.
 */
export function productOf(
  existing: StoredListing | null,
  record: FeedRecord,
  id: number,
  updated_at: string,
): Product {
  const path = record.category_path ?? [];
  // By assignment, in one order: objects of one shape are three times as fast to make and to write as others.
  const product: Partial<Record<keyof Product, unknown>> = {};
  for (const field of PRODUCT_FIELDS) product[field] = (record as Partial<Product>)[field] ?? null;
  product.id = id;
  if (isOwnLink(record.affiliate_url, id)) product.affiliate_url = null;
  product.category ??= path.at(-1) ?? null;
  product.category_path = path;
  product.last_checked ??= existing?.last_checked ?? null;
  product.updated_at = updated_at;
  return product as Product;
}

/** An export carries this service's own tracked link where the feed brought none; loading it must not make it the feed's. */
function isOwnLink(url: string | null | undefined, id: number): boolean {
  return typeof url === 'string' && url.includes('/track/') && new URL(url).pathname.endsWith(`/track/${id}`);
}
