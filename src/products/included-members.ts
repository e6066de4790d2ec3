import type { AdditionalRequest, ListingHit } from '../engine/search-listings.js';
import { withItems } from '../engine/listing-bytes.js';
import { includedFields, includedIn } from './included.js';
import { type LinkSettings, toProduct } from '../listing/product.js';
import type { ExchangeRates } from '../listing/rates.js';
import type { Include } from '../schemas/include.js';
import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import type { Json } from '../schemas/types.js';

/** The fields of listings that a search returns with the parameter `include`; nothing without it. */
export function includeRequest(include: Include = []): AdditionalRequest {
  const included = includedFields(include);
  return included.length === 0 ? {} : { _source: { includes: [...PRODUCT_FIELDS, ...included] } };
}

/** Creates a body with the members of `frame` and the found listings, with the members that `include` adds. */
export function pageOf<Frame extends object>(
  frame: Frame,
  hits: readonly ListingHit[],
  {
    links,
    rates,
    include = [],
  }: { links: LinkSettings; rates: ExchangeRates; include?: Include | undefined },
): Json<Frame & { items: Product[] }> | (Frame & { items: Product[] }) {
  if (include.length === 0) return withItems(frame, hits, links);
  const listings = hits.flatMap(({ _source }) => _source ?? []);
  return {
    ...frame,
    items: listings.map((listing) => ({
      ...toProduct(listing, links),
      ...includedIn(listing, include, rates),
    })),
  };
}
