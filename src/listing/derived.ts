import type { Product } from '../schemas/product.js';
import type { ListingInternals, StoredListing } from './listing.js';
import { normaliseUrl } from './url.js';

/** The first version of the mapping whose listings can be looked up by URL. */
export const URL_SCHEMA = 3;

/** What `mappings/products.json` says of itself. */
export const TODAYS_SCHEMA = 3;

/**
 * What is kept about a listing, with the fields that a schema version adds and without those that it does not know yet.
 * Everything that is added follows from the listing itself, so a document of any version becomes one of any other.
 */
export function completeFor(
  schema: number,
  { buy_url }: Pick<Product, 'buy_url'>,
  internal: ListingInternals,
): ListingInternals {
  const { url: _url, ...earlier } = internal;
  return schema < URL_SCHEMA ? earlier : { ...earlier, url: buy_url === null ? null : normaliseUrl(buy_url) };
}

/** A stored listing as an index of a schema version has it. */
export function listingFor(schema: number, listing: StoredListing): StoredListing {
  return { ...listing, internal: completeFor(schema, listing, listing.internal) };
}
