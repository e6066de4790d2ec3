import type { FeedRecord } from '../../src/listing/listing.js';
import { listingOf, type Surroundings } from './listing.js';
import { offersOf } from './offers.js';
import { type SampleProduct, productsOf } from './product.js';

export interface CatalogueOptions extends Surroundings {
  listings: number;
}

/** Above this size, the numbers of listings would exceed the range of exact integers. */
export const MAX_LISTINGS = 10_000_000;

export const SAMPLE_DEFAULTS = { seed: 42, listings: 5_000 } as const;

/** Invented products on six platforms with prices of four months until `now`; a larger catalogue begins with a smaller one. */
export function* generateCatalogue(options: CatalogueOptions): Generator<FeedRecord, void, undefined> {
  for (const { records } of generateProducts(options)) yield* records;
}

export function* sampleLines(options: CatalogueOptions): Generator<string, void, undefined> {
  for (const record of generateCatalogue(options)) yield `${JSON.stringify(record)}\n`;
}

/** Generates the sample catalogue product by product, each with all its feed records. */
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
