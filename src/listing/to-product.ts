import { templateLink, type AffiliateTemplates } from './affiliate.js';
import type { StoredListing } from './listing.js';
import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';

/** How links to shops are made where the feed brings none. The configuration is one. */
export interface Links {
  /** Where clients reach the service, without a trailing slash. */
  publicUrl: string;
  affiliateTemplates: AffiliateTemplates;
}

/**
 * The one place that makes a Product of a stored listing: nothing internal, and where the feed brought no affiliate
 * link, the operator's for that source, else a tracked one of this service, if there is a shop to lead to. What is
 * stored has the public shape already, but the engine shuffles the fields where it was asked for some of them.
 */
export function toProduct(listing: Product | StoredListing, links: Links): Product {
  const product = Object.fromEntries(PRODUCT_FIELDS.map((field) => [field, listing[field]])) as Product;
  return { ...product, affiliate_url: product.affiliate_url ?? affiliateUrl(product, links) };
}

/** The link of a listing whose feed brought none; null where there is no `buy_url`, for it would lead nowhere. */
export function affiliateUrl(
  listing: Pick<Product, 'id' | 'sku' | 'source' | 'buy_url'>,
  { publicUrl, affiliateTemplates }: Links,
): string | null {
  if (listing.buy_url === null) return null;
  return templateLink(listing, affiliateTemplates) ?? `${publicUrl}/track/${listing.id}`;
}
