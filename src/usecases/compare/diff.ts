import type { StoredListing } from '../../listing/listing.js';
import { imageSimilarities } from '../../matching/image-similarity.js';
import type { ExchangeRates } from '../../listing/rates/convert.js';
import { fieldDiffs } from './field-diffs.js';
import { comparePriced } from '../shared/price-spread.js';
import { type Links, toProduct } from '../../listing/to-product.js';

/**
 * Products side by side.
 * @param listings in the order of the request, each once.
 */
export function toDiff(
  listings: readonly StoredListing[],
  options: { rates: ExchangeRates; links: Links; withImages: boolean },
) {
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
