import { Components } from '../../src/matching/grouping/components.js';
import type { ListingKey } from '../../src/schemas/decisions.js';
import { listingKey } from '../../src/listing/identify.js';
import { readCsv, refuse } from '../../scripts/shared/csv-file.js';
import type { Listing } from './api.js';
import type { Retrieved } from './statistics.js';

export interface JudgedPair {
  a: ListingKey;
  b: ListingKey;
  same: boolean;
}

/** Reads pairs with the columns `a_source,a_sku,b_source,b_sku` and perhaps `label`, 0 for different products. */
export async function readPairs(file: string): Promise<JudgedPair[]> {
  const rows: (Record<'a_source' | 'a_sku' | 'b_source' | 'b_sku', string> & { label?: string })[] =
    await readCsv(file, ['a_source', 'a_sku', 'b_source', 'b_sku']);
  const wrong = rows.filter(({ label }) => label !== undefined && label !== '0' && label !== '1');
  refuse(
    file,
    wrong.map(({ a_sku, b_sku, label }) => `"${label}" for ${a_sku} and ${b_sku}`),
    'a label is 1 or 0',
  );
  return rows.map((row) => ({
    a: { source: row.a_source, sku: row.a_sku },
    b: { source: row.b_source, sku: row.b_sku },
    same: row.label !== '0',
  }));
}

/** Counts a judged pair as an answer to itself. @param isFound whether it was taken for the same product. */
export const countsOf = ({ same }: Pick<JudgedPair, 'same'>, isFound: boolean): Retrieved => ({
  right: Number(same && isFound),
  found: Number(isFound),
  all: Number(same),
});

/** Reads judged listings from a CSV file with the columns `a_source,a_sku`. */
export async function readSources(file: string): Promise<ListingKey[]> {
  const rows = await readCsv(file, ['a_source', 'a_sku']);
  return rows.map(({ a_source: source, a_sku: sku }) => ({ source, sku }));
}

/** Joins judged pairs to products. @returns a function from a listing to the lowest id of the listings connected with it. */
export function judgedProducts(
  pairs: readonly JudgedPair[],
  listings: readonly Listing[],
): (listing: Listing) => number {
  const ids = new Map(listings.map((listing) => [listingKey(listing), listing.id]));
  const products = new Components();
  for (const { a, b, same } of pairs) {
    const [one, other] = [ids.get(listingKey(a)), ids.get(listingKey(b))];
    if (same && one !== undefined && other !== undefined) products.join(one, other);
  }
  return ({ id }) => products.find(id);
}
