import type { FeedRecord } from '../../src/listing/listing.js';
import { writtenName } from './family.js';
import type { SampleProduct } from './product.js';

/** Headers of the two files: pairs as `npm run evaluate -- match --gold` reads them, and listings as `--sources` does. */
export const PAIR_COLUMNS = ['a_source', 'a_sku', 'b_source', 'b_sku'] as const;
export const LISTING_COLUMNS = ['a_source', 'a_sku', 'product', 'brand', 'model'] as const;

/** Every two offers of a product, in both directions. */
export function truePairs(records: readonly FeedRecord[]): string[][] {
  return records.flatMap((a) =>
    records.filter((b) => b !== a).map((b) => [a, b].flatMap(({ source, sku }) => [source, sku])),
  );
}

/** Each offer with the product's number, its brand, and its model as shops write it most; empty where it has none. */
export function trueListings(
  { index, type, model }: SampleProduct,
  records: readonly FeedRecord[],
): string[][] {
  const name = type.naming === 'variety' ? '' : writtenName(model);
  return records.map(({ source, sku }) => [source, sku, String(index), model.brand, name]);
}
