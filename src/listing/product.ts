import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import { type AffiliateTemplates, isOwnLink } from './affiliate.js';
import type { StoredListing } from './listing.js';
import type { FeedRecord } from './record.js';

/** What a record does not say. */
interface ProductContext {
  id: number;
  /** Of a change, ISO 8601 in UTC. */
  updated_at: string;
  /** The operator's, to know the links that an export has of the service itself. */
  affiliateTemplates: AffiliateTemplates;
}

/**
 * What a record says of its listing as a Product: exactly its fields, in their order. What the record leaves out is
 * unknown, but for `last_checked`, which is not forgotten.
 */
export function productOf(
  existing: StoredListing | null,
  record: FeedRecord,
  { id, updated_at, affiliateTemplates }: ProductContext,
): Product {
  const path = record.category_path ?? [];
  // By assignment, in one order: objects of one shape are three times as fast to make and to write as others.
  const product: Partial<Record<keyof Product, unknown>> = {};
  for (const field of PRODUCT_FIELDS) product[field] = (record as Partial<Product>)[field] ?? null;
  product.id = id;
  product.category ??= path.at(-1) ?? null;
  product.category_path = path;
  product.last_checked ??= existing?.last_checked ?? null;
  product.updated_at = updated_at;
  return withoutOwnLink(product as Product, affiliateTemplates);
}

function withoutOwnLink(product: Product, templates: AffiliateTemplates): Product {
  const { affiliate_url: url } = product;
  if (url !== null && isOwnLink(url, product, templates)) product.affiliate_url = null;
  return product;
}
