import type { Product } from '../schemas/product.js';

/** By source: a URL in which `{id}`, `{sku}` and `{buy_url}` are replaced by the listing's, percent-encoded. */
export type AffiliateTemplates = Readonly<Record<string, string>>;

type Linked = Pick<Product, 'id' | 'sku' | 'source' | 'buy_url'>;

/** The operator's link of a listing; null: there is no template for its source. */
export function templateLink(
  { id, sku, source, buy_url }: Linked,
  templates: AffiliateTemplates,
): string | null {
  const template = Object.hasOwn(templates, source) ? templates[source] : undefined;
  if (template === undefined) return null;
  const values: Record<string, string> = { id: String(id), sku, buy_url: buy_url ?? '' };
  return template.replaceAll(/\{(id|sku|buy_url)\}/g, (_all, name: string) =>
    encodeURIComponent(values[name] ?? ''),
  );
}

/**
 * Whether a link is one that this service makes for listings whose feed brings none. Exports carry them, and loading one
 * must not make them the feed's.
 */
export function isOwnLink(url: string, listing: Linked, templates: AffiliateTemplates): boolean {
  if (url.includes('/track/') && new URL(url).pathname.endsWith(`/track/${listing.id}`)) return true;
  return url === templateLink(listing, templates);
}
