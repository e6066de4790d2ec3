import type { Client } from '@elastic/elasticsearch';
import { Type } from 'typebox';
import { getStoredListing } from '../engine/documents.js';
import type { StoredListing } from '../listing/listing.js';
import { invalid, notFound } from '../platform/errors.js';
import { failure } from '../schemas/errors.js';
import { ListedId } from '../schemas/types.js';

/** The product index. */
export interface Catalogue {
  es: Client;
  /** Its alias. */
  products: string;
}

/** Whether a number can be the id of a listing. Every other number is treated like an unknown id. */
export const isPossibleId = (id: number): boolean => Number.isSafeInteger(id) && id > 0;

/** Reads a listing with the given fields, by default all of them. @throws ApiError 404 if no listing has the id. */
export async function knownListing(
  { es, products }: Catalogue,
  id: number,
  fields?: readonly string[],
): Promise<StoredListing> {
  const listing = isPossibleId(id) ? await getStoredListing(es, products, id, fields) : null;
  if (listing === null) throw notFound('Product not found');
  return listing;
}

/** The path parameter of the endpoints of one listing, and their documented 404. */
export const productPath = Type.Object({ product_id: Type.Integer({ description: 'Product id' }) });
export const noSuchProduct = failure('No listing has this id', 'Product not found');
export const noSuchProducts = failure('At least one id that no listing has', 'Product not found: 12');

/** The schema of the member `product_ids` of a request body, with at least two ids. */
export const productIds = (maxItems: number) =>
  Type.Array(ListedId, {
    minItems: 2,
    maxItems,
    examples: [[4503599627370496, 4503599627370497]],
    description: `2 to ${maxItems} product ids; one that is named again counts once`,
  });

/** Returns each id once, in order. @throws ApiError 422 if fewer than two different ids remain. */
export function distinctIds(ids: readonly number[]): number[] {
  const distinct = [...new Set(ids)];
  if (distinct.length < 2) {
    const msg = `List should have at least 2 different items after validation, not ${distinct.length}`;
    throw invalid([{ loc: ['body', 'product_ids'], msg, type: 'too_short' }]);
  }
  return distinct;
}

/** Returns the listings of ids, in their order, null where no listing has one. @throws ApiError 404 that names those ids. */
export function allKnown<T>(ids: readonly number[], listings: readonly (T | null)[]): T[] {
  const unknown = ids.filter((_id, i) => (listings[i] ?? null) === null);
  if (unknown.length > 0) throw notFound(`Product not found: ${unknown.join(', ')}`);
  return listings.filter((listing) => listing !== null);
}
