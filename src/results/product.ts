import type { Product } from '../schemas/product.js';
import type { StoredListing } from '../listing/listing.js';

/** How links to shops are made where the feed brings none. The configuration is one. */
export interface Links {
  /** Where clients reach the service, without a trailing slash. */
  publicUrl: string;
  /** By source: a URL in which `{id}`, `{sku}` and `{buy_url}` are replaced by the listing's, percent-encoded. */
  affiliateTemplates: Readonly<Record<string, string>>;
}

/**
 * The one place that makes a Product of a stored listing: nothing internal, and where the feed brought no affiliate
 * link, the operator's for that source, else a tracked one of this service. What is stored has the public shape and
 * order already.
 */
export function toProduct(listing: Product | StoredListing, links: Links): Product {
  const { internal: _internal, ...product } = listing as StoredListing;
  return { ...product, affiliate_url: product.affiliate_url ?? affiliateUrl(product, links) };
}

/** The link of a listing whose feed brought none. */
export function affiliateUrl(
  { id, sku, source, buy_url }: Pick<Product, 'id' | 'sku' | 'source' | 'buy_url'>,
  { publicUrl, affiliateTemplates }: Links,
): string {
  const template = Object.hasOwn(affiliateTemplates, source) ? affiliateTemplates[source] : undefined;
  if (template === undefined) return `${publicUrl}/track/${id}`;
  const values: Record<string, string> = { id: String(id), sku, buy_url: buy_url ?? '' };
  return template.replaceAll(/\{(id|sku|buy_url)\}/g, (_all, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
