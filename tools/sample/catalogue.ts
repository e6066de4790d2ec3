import type { FeedRecord } from '../../src/listing/listing.js';
import { listingOf, type Surroundings } from './listing.js';
import { offersOf } from './offers.js';
import { type SampleProduct, productsOf } from './product.js';

export interface CatalogueOptions extends Surroundings {
  /** How many feed records are wanted; about 3.3 to a product. */
  listings: number;
}

/** Up to here, numbers of listings are exact, and so unique. */
export const MAX_LISTINGS = 10_000_000;

/** What the demo loads, and `npm run sample` writes. */
export const SAMPLE_DEFAULTS = { seed: 42, listings: 5_000 } as const;

/** Where the demo has the pictures. */
export const SAMPLE_IMAGES_PATH = '/sample/images';

/**
 * The sample catalogue: listings of invented products on six platforms of a Singapore shopper's world, in SGD, with
 * four months of prices. The same options give the same records; asking for more gives the same ones first. Nothing
 * is kept in memory, so there may be millions.
 * @param options.now the latest time in the records; they have nothing else to do with the clock.
 * @param options.imageBaseUrl where `renderImage` is served, without a slash at the end.
 */
export function* generateCatalogue(options: CatalogueOptions): Generator<FeedRecord, void, undefined> {
  for (const { records } of generateProducts(options)) yield* records;
}

/** The same, product by product: the records of one are offers of the same thing. */
export function* generateProducts(
  options: CatalogueOptions,
): Generator<{ product: SampleProduct; records: FeedRecord[] }, void, undefined> {
  const { seed, listings } = options;
  const productAt = productsOf(seed);
  for (let index = 0, written = 0; written < listings; index += 1) {
    const product = productAt(index);
    const offers = offersOf(seed, product).slice(0, listings - written);
    written += offers.length;
    yield { product, records: offers.map((offer) => listingOf(product, offer, options)) };
  }
}
