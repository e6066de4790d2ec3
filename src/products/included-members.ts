import type { Client } from '@elastic/elasticsearch';
import { getListingsById } from '../engine/documents.js';
import { CANDIDATE_FIELDS } from '../engine/queries/candidates.js';
import type { AdditionalRequest, ListingHit } from '../engine/search-listings.js';
import { withItems } from '../engine/listing-bytes.js';
import { includedFields, includedIn, type IncludeSettings } from './included.js';
import type { StoredListing } from '../listing/listing.js';
import { type LinkSettings, toProduct } from '../listing/product.js';
import type { Include } from '../schemas/include.js';
import { PRODUCT_FIELDS, type Product } from '../schemas/product.js';
import type { Json } from '../schemas/types.js';

/** The fields of listings that a search returns with the parameter `include`; nothing without it. */
export function includeRequest(include: Include = []): AdditionalRequest {
  const included = includedFields(include);
  return included.length === 0 ? {} : { _source: { includes: [...PRODUCT_FIELDS, ...included] } };
}

/** Reads listings again, by id, if a request includes members for which match candidates lack a field; otherwise none. */
export function readIncluded(
  { es, products }: { es: Client; products: string },
  include: Include,
  listings: readonly StoredListing[],
): Promise<Map<number, StoredListing>> {
  const fields = includedFields(include);
  const lacksNone = fields.every((field) => CANDIDATE_FIELDS.includes(field));
  return getListingsById(es, products, lacksNone ? [] : listings.map(({ id }) => id), ['id', ...fields]);
}

/** Creates a body with the members of `frame` and the found listings, with the members that `include` adds. */
export function pageOf<Frame extends object>(
  frame: Frame,
  hits: readonly ListingHit[],
  settings: IncludeSettings & { config: LinkSettings },
  include: Include = [],
): Json<Frame & { items: Product[] }> | (Frame & { items: Product[] }) {
  if (include.length === 0) return withItems(frame, hits, settings.config);
  const listings = hits.flatMap(({ _source }) => _source ?? []);
  return {
    ...frame,
    items: listings.map((listing) => ({
      ...toProduct(listing, settings.config),
      ...includedIn(listing, include, settings),
    })),
  };
}
