import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import type { StoredListing } from './listing.js';

/** For each source, a URL in which `{id}`, `{sku}` and `{buy_url}` are replaced by the listing's, percent-encoded. */
export type AffiliateTemplates = Readonly<Record<string, string>>;

/** The configuration of links to shops for listings whose feed has no affiliate link. */
export interface LinkSettings {
  /** The URL at which clients reach the service, without a trailing slash. */
  publicUrl: string;
  affiliateTemplates: AffiliateTemplates;
}

type LinkedListing = Pick<Product, 'id' | 'sku' | 'source' | 'buy_url'>;

/**
 * Converts a listing to the product that the API returns. It has no internal fields, and its fields are in
 * the order of the schema, which Elasticsearch does not keep. A missing affiliate link is filled in.
 */
export function toProduct(listing: Product | StoredListing, links: LinkSettings): Product {
  const product = Object.fromEntries(PRODUCT_FIELDS.map((field) => [field, listing[field]])) as Product;
  return { ...product, affiliate_url: product.affiliate_url ?? affiliateUrl(product, links) };
}

/**
 * The link for a listing whose feed has no affiliate link: the operator's template for the source, otherwise a tracked
 * link of this service.
 * @returns null without a `buy_url`, because the link would lead nowhere.
 */
export function affiliateUrl(
  listing: LinkedListing,
  { publicUrl, affiliateTemplates }: LinkSettings,
): string | null {
  if (listing.buy_url === null) return null;
  return templateLink(listing, affiliateTemplates) ?? `${publicUrl}/track/${listing.id}`;
}

/**
 * Whether this service made the link for a listing whose feed has none. Exports contain such links, and loading an
 * export must not store them as the feed's.
 */
export function isOwnLink(url: string, listing: LinkedListing, templates: AffiliateTemplates): boolean {
  if (url.includes('/track/') && new URL(url).pathname.endsWith(`/track/${listing.id}`)) return true;
  return url === templateLink(listing, templates);
}

/**
 * The link to a shop that follows from the operator's template for the source.
 * @returns null if the source has no template.
 */
function templateLink(
  { id, sku, source, buy_url }: LinkedListing,
  templates: AffiliateTemplates,
): string | null {
  const template = Object.hasOwn(templates, source) ? templates[source] : undefined;
  if (template === undefined) return null;
  const values: Record<string, string> = { id: String(id), sku, buy_url: buy_url ?? '' };
  return template.replaceAll(/\{(id|sku|buy_url)\}/g, (_all, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
