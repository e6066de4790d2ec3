import type { Product, StoredListing } from '../listing/listing.js';
import { imageSimilarities, type ImageSimilarity } from './image-similarity.js';
import type { ExchangeRates } from '../rates/convert.js';
import { fieldDiffs, type FieldDiff } from './field-diffs.js';
import { comparePriced, type PriceSpread } from './price-spread.js';
import { type Links, toProduct } from '../results/product.js';

/** Products side by side. */
export interface CompareDiff extends PriceSpread {
  products: (Product & { price_rank: number })[];
  field_diffs: FieldDiff[];
  /** Names of the fields that are equal in all products. */
  identical_fields: string[];
  image_similarity?: ImageSimilarity[];
}

/** @param listings in the order of the request, each once. */
export function toDiff(
  listings: readonly StoredListing[],
  options: { rates: ExchangeRates; links: Links; withImages: boolean },
): CompareDiff {
  const products = listings.map((listing) => toProduct(listing, options.links));
  const { ranks, spread } = comparePriced(products, options.rates);
  const diffs = fieldDiffs(products);
  return {
    products: products.map((product, i) => ({ ...product, price_rank: ranks[i] ?? products.length })),
    field_diffs: diffs,
    identical_fields: diffs.filter(({ all_identical }) => all_identical).map(({ field }) => field),
    ...spread,
    ...(options.withImages ? { image_similarity: imageSimilarities(listings) } : {}),
  };
}
