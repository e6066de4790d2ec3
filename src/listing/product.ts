import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import type { StoredListing } from './listing.js';

/** The templates of affiliate links by source. `{id}`, `{sku}` and `{buy_url}` stand for percent-encoded values. */
export type AffiliateTemplates = Readonly<Record<string, string>>;

/** The configuration of links to shops for listings whose feed has no affiliate link. */
export interface LinkSettings {
  /** The URL at which clients reach the service, without a trailing slash. */
  publicUrl: string;
  affiliateTemplates: AffiliateTemplates;
}

type LinkedListing = Pick<Product, 'id' | 'sku' | 'source' | 'buy_url'>;

/** A listing as the API returns it, with the fields in the order of the schema. A missing affiliate link is added. */
export function toProduct(listing: Product | StoredListing, links: LinkSettings): Product {
  const product = Object.fromEntries(PRODUCT_FIELDS.map((field) => [field, listing[field]])) as Product;
  return { ...product, affiliate_url: product.affiliate_url ?? affiliateUrl(product, links) };
}

/** The affiliate link by the template of the source, or else a tracked link of this service; null without a `buy_url`. */
export function affiliateUrl(listing: LinkedListing, { publicUrl, affiliateTemplates }: LinkSettings) {
  if (listing.buy_url === null) return null;
  return templateLink(listing, affiliateTemplates) ?? `${publicUrl}/track/${listing.id}`;
}

/** Whether this service made a link, which must not be stored as that of a feed when an export is loaded. */
export function isOwnLink(url: string, listing: LinkedListing, templates: AffiliateTemplates): boolean {
  if (url.includes('/track/') && new URL(url).pathname.endsWith(`/track/${listing.id}`)) return true;
  return url === templateLink(listing, templates);
}

function templateLink({ id, sku, source, buy_url }: LinkedListing, templates: AffiliateTemplates) {
  const template = Object.hasOwn(templates, source) ? templates[source] : undefined;
  if (template === undefined) return null;
  const values: Record<string, string> = { id: String(id), sku, buy_url: buy_url ?? '' };
  return template.replaceAll(/\{(id|sku|buy_url)\}/g, (_all, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}
