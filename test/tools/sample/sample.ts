import type { FeedRecord } from '../../../src/listing/listing.js';
import { generateCatalogue, SAMPLE_DEFAULTS } from '../../../tools/sample-catalogue/catalogue.js';
import { offersOf } from '../../../tools/sample-catalogue/offers.js';
import { type SampleProduct, productsOf } from '../../../tools/sample-catalogue/product.js';

export const NOW = new Date('2026-03-01T04:05:06Z');
export const OPTIONS = { ...SAMPLE_DEFAULTS, now: NOW, imageBaseUrl: 'http://shop.test/tools/sample/images' };

export const RECORDS: readonly FeedRecord[] = [...generateCatalogue(OPTIONS)];

/** The products of the sample catalogue, each with its feed records. */
export const PRODUCTS: readonly { product: SampleProduct; records: readonly FeedRecord[] }[] =
  productsBehind();

function productsBehind() {
  const productAt = productsOf(OPTIONS.seed);
  const products = [];
  for (let index = 0, start = 0; start < RECORDS.length; index += 1) {
    const product = productAt(index);
    const end = start + offersOf(OPTIONS.seed, product).length;
    products.push({ product, records: RECORDS.slice(start, end) });
    start = end;
  }
  return products;
}

export const share = (count: number): number => count / RECORDS.length;

/** Converts a decimal string with two decimals to cents. */
export const cents = (price: string): number => Number(price.replace('.', ''));
