import type { FeedRecord } from '../../src/listing/listing.js';
import { writtenName } from './family.js';
import type { SampleProduct } from './product.js';

/** The columns of the files that `npm run evaluate -- match` reads with `--gold` and `--sources`. */
export const PAIR_COLUMNS = ['a_source', 'a_sku', 'b_source', 'b_sku'] as const;
export const LISTING_COLUMNS = ['a_source', 'a_sku', 'product', 'brand', 'model'] as const;

/** Returns all pairs of listings that offer the same product, in both directions. */
export function truePairs(records: readonly FeedRecord[]): string[][] {
  return records.flatMap((a) =>
    records.filter((b) => b !== a).map((b) => [a, b].flatMap(({ source, sku }) => [source, sku])),
  );
}

/** Returns each listing with its product's number, brand and, if there is one, model. */
export function trueListings(
  { index, type, model }: SampleProduct,
  records: readonly FeedRecord[],
): string[][] {
  const name = type.naming === 'variety' ? '' : writtenName(model);
  return records.map(({ source, sku }) => [source, sku, String(index), model.brand, name]);
}
