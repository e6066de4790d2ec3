import type { FeedRecord } from '../../src/listing/listing.js';
import { listingOf, type Surroundings } from './listing.js';
import { offersOf } from './offers.js';
import { type SampleProduct, productsOf } from './product.js';

export interface CatalogueOptions extends Surroundings {
  /** The number of feed records to generate. There are about 3.3 records per product. */
  listings: number;
}

/**
 * The maximum size of the sample catalogue. Above it, the numbers of listings would exceed the range of
 * exact integers and could repeat.
 */
export const MAX_LISTINGS = 10_000_000;

/**
 * The seed and the number of listings of the sample catalogue that the demo loads and that `npm run sample`
 * writes by default.
 */
export const SAMPLE_DEFAULTS = { seed: 42, listings: 5_000 } as const;

/** The path under which the demo serves the images of the sample catalogue. */
export const SAMPLE_IMAGES_PATH = '/sample/images';

/**
 * Generates the feed records of the sample catalogue: listings of invented products from six platforms in
 * Singapore, in SGD, with prices of four months. The same options give the same records, and a larger
 * catalogue starts with the records of a smaller one. Records are not kept in memory, so there may be
 * millions.
 * @param options.now the latest time in the records; nothing else depends on the clock.
 * @param options.imageBaseUrl the address at which `renderImage` is served, without a slash at the end.
 */
export function* generateCatalogue(options: CatalogueOptions): Generator<FeedRecord, void, undefined> {
  for (const { records } of generateProducts(options)) yield* records;
}

/**
 * Generates the sample catalogue product by product. Each item contains a product and all feed records that
 * offer it.
 */
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
