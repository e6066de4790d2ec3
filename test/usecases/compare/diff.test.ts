import { assert } from 'chai';
import type { Product } from '../../../src/schemas/product.js';
import type { StoredListing } from '../../../src/listing/listing.js';
import { hashSimilarity, imageSimilarities } from '../../../src/usecases/compare/image-similarity.js';
import { parseRates } from '../../../src/products/read-rates.js';
import { fieldDiffs } from '../../../src/usecases/compare/diff.js';
import { comparePriced, type Priced } from '../../../src/products/price-spread.js';
import { pluck, product as completeProduct } from '../../support/listings.js';
import { words } from '../../support/words.js';

const rates = parseRates({ base: 'USD', date: '2026-01-31', rates: { SGD: '1.25', EUR: '0.8', KWD: '0.3' } });

/**
 * Creates products from prices such as `10.00 USD`. A price may have no currency (`10.00`), and a product no
 * price (an empty text or ` USD`).
 */
const priced = (...prices: string[]): Priced[] =>
  prices.map((text, i) => {
    const [price, currency] = text.split(' ');
    return { id: i + 1, price: price || null, currency: currency ?? null };
  });

const compare = (...prices: string[]) => comparePriced(priced(...prices), rates);

describe('comparePriced', () => {
  it('ranks the cheapest product first, in request order', () => {
    const { ranks, spread } = compare('300.00 USD', '100.00 USD', '250.00 USD');
    assert.deepEqual(ranks, [3, 1, 2]);
    assert.deepEqual(spread, {
      cheapest_product_id: 2,
      most_expensive_product_id: 1,
      price_spread: '200.00',
      price_spread_pct: 200,
      currency: 'USD',
    });
  });

  it('gives ties one rank, skips the next rank, and reports the lowest id', () => {
    const { ranks, spread } = compare('5.00 USD', '9.00 USD', '5.00 USD', '9.00 USD', '7.00 USD');
    assert.deepEqual(ranks, [1, 4, 1, 4, 3]);
    assert.strictEqual(spread.cheapest_product_id, 1);
    assert.strictEqual(spread.most_expensive_product_id, 2);
  });

  it('compares prices regardless of their number of decimals', () => {
    const { ranks, spread } = compare('1.5000 USD', '1.50 USD');
    assert.deepEqual(ranks, [1, 1]);
    assert.strictEqual(spread.price_spread, '0.00');
    assert.strictEqual(spread.price_spread_pct, 0);
  });

  it('ranks missing prices last and excludes them from the spread', () => {
    const { ranks, spread } = compare(' USD', '20.00 USD', '10.00 USD', '');
    assert.deepEqual(ranks, [3, 2, 1, 3]);
    assert.strictEqual(spread.price_spread, '10.00');
    assert.strictEqual(spread.cheapest_product_id, 3);
  });

  it('returns null figures if there is no price', () => {
    const { ranks, spread } = compare(' USD', '');
    assert.deepEqual(ranks, [1, 1]);
    assert.deepEqual(Object.values(spread), [null, null, null, null, null]);
  });

  it('returns a spread of zero for one price', () => {
    const { spread } = compare('', '20.00 USD');
    assert.deepInclude(spread, {
      cheapest_product_id: 2,
      most_expensive_product_id: 2,
      price_spread: '0.00',
    });
  });

  it("converts before comparing, and states the spread in the first product's currency", () => {
    // With the exchange rates of this test, 100 SGD are 80 USD, and 72 EUR are 90 USD.
    const { ranks, spread } = compare('100.00 SGD', '85.00 USD', '72.00 EUR');
    assert.deepEqual(ranks, [1, 2, 3]);
    assert.deepInclude(spread, { price_spread: '12.50', price_spread_pct: 12.5, currency: 'SGD' });
  });

  it('rounds once, half up, to the decimals of the currency', () => {
    // 0.03 SGD are 0.024 USD. The price spread of 0.006 USD is rounded to 0.01 in dollars; it is 0.0018 in
    // dinars, which have three decimals.
    assert.strictEqual(compare('0.03 USD', '0.03 SGD').spread.price_spread, '0.01');
    assert.strictEqual(compare(' KWD', '0.03 USD', '0.03 SGD').spread.price_spread, '0.002');
  });

  it('keeps the decimals of prices that are not converted', () => {
    const { spread } = compare('1.2345 KWD', '0.1 KWD');
    assert.deepInclude(spread, { price_spread: '1.1345', price_spread_pct: 1134.5 });
  });

  it('is exact where floating-point numbers are not', () => {
    assert.strictEqual(compare('0.10 USD', '0.30 USD').spread.price_spread, '0.20');
    const { spread } = compare('900000000000.01 USD', '900000000000.02 USD');
    assert.strictEqual(spread.price_spread, '0.01');
    // Percentages are rounded to two decimals: a third is 33.333…, two thirds are 66.666….
    assert.strictEqual(compare('3.00 USD', '4.00 USD').spread.price_spread_pct, 33.33);
    assert.strictEqual(compare('3.00 USD', '5.00 USD').spread.price_spread_pct, 66.67);
    // The difference is 0.125 %, which is rounded up.
    assert.strictEqual(compare('8.00 USD', '8.01 USD').spread.price_spread_pct, 0.13);
  });

  it('ranks a currency without a rate last if there are several currencies', () => {
    const { ranks, spread } = compare('1.00 XTS', '20.00 USD', '10.00 USD', '2.00');
    assert.deepEqual(ranks, [3, 2, 1, 3]);
    assert.deepInclude(spread, { price_spread: '10.00', currency: 'USD', cheapest_product_id: 3 });
  });

  it('needs no rate if all prices have one currency, or none', () => {
    const unrated = compare('3.00 XTS', '1.00 XTS');
    assert.deepEqual(unrated.ranks, [2, 1]);
    assert.deepInclude(unrated.spread, { price_spread: '2.00', currency: 'XTS' });
    const bare = compare('3.00', '1.00');
    assert.deepEqual(bare.ranks, [2, 1]);
    assert.deepInclude(bare.spread, { price_spread: '2.00', currency: null });
    // There is no exchange rate from XTS to the currency of the first product, so the spread is in XTS.
    assert.deepInclude(compare(' USD', '3.00 XTS', '1.00 XTS').spread, {
      price_spread: '2.00',
      currency: 'XTS',
    });
  });
});

const PRODUCT = completeProduct({
  brand: 'Acme',
  category: 'Kettles',
  category_path: ['Home', 'Kettles'],
  rating: '4.5',
  last_checked: '2026-01-01T00:00:00Z',
});
const product = (fields: Partial<Product>): Product => ({ ...PRODUCT, ...fields });
const valuesOf = (products: Product[], name: string) =>
  fieldDiffs(products).find(({ field }) => field === name)?.values;
const metadataFields = (...metadata: unknown[]) =>
  fieldDiffs(metadata.map((value) => product({ metadata: value })))
    .filter(({ field }) => field.startsWith('metadata'))
    .map(({ field, values, all_identical }) => [field, values, all_identical]);

describe('fieldDiffs', () => {
  it('contains every field except id, links, times and metadata, in the order of the Product', () => {
    assert.deepEqual(
      pluck(fieldDiffs([PRODUCT, PRODUCT]), 'field'),
      words('sku source merchant_id name description price currency brand category').concat([
        'category_path',
        'rating',
        'is_available',
      ]),
    );
  });

  it('formats values as text: unknown values are empty, lists are joined, booleans are words', () => {
    const products = [
      PRODUCT,
      product({ brand: null, category_path: [], is_available: null, price: '9.90' }),
    ];
    assert.deepEqual(valuesOf(products, 'brand'), ['Acme', '']);
    assert.deepEqual(valuesOf(products, 'category_path'), ['Home > Kettles', '']);
    assert.deepEqual(valuesOf(products, 'is_available'), ['true', '']);
    assert.deepEqual(valuesOf(products, 'price'), ['10.00', '9.90']);
  });

  it('reports fields that are identical in all products, not in some', () => {
    const diffs = fieldDiffs([PRODUCT, PRODUCT, product({ name: 'Kettle ' })]);
    const identical = diffs.filter(({ all_identical }) => all_identical).map(({ field }) => field);
    assert.notInclude(identical, 'name');
    assert.include(identical, 'merchant_id');
    assert.lengthOf(identical, diffs.length - 1);
  });

  it('contains the metadata attributes that at least two products have', () => {
    assert.deepEqual(
      metadataFields({ colour: 'red', weight: 2, only: 'a' }, { weight: 2.5, colour: 'red' }, null),
      [
        ['metadata.colour', ['red', 'red', ''], false],
        ['metadata.weight', ['2', '2.5', ''], false],
      ],
    );
    assert.deepEqual(metadataFields({ wifi: true }, { wifi: true }), [
      ['metadata.wifi', ['true', 'true'], true],
    ]);
  });

  it('treats an attribute that is null as missing', () => {
    assert.deepEqual(metadataFields({ a: null, b: 1 }, { a: 1, b: null }), []);
  });

  it('reads objects one level deep, and compares deeper values as JSON with sorted keys', () => {
    assert.deepEqual(
      metadataFields(
        { attributes: { colour: 'red', size: { h: 1, w: 2 } }, tags: ['a', { y: 1, x: 2 }] },
        { attributes: { size: { w: 2, h: 1 }, colour: 'blue' }, tags: ['a', { x: 2, y: 1 }] },
      ),
      [
        ['metadata.attributes.colour', ['red', 'blue'], false],
        ['metadata.attributes.size', ['{"h":1,"w":2}', '{"h":1,"w":2}'], true],
        ['metadata.tags', ['a > {"x":2,"y":1}', 'a > {"x":2,"y":1}'], true],
      ],
    );
  });

  it('ignores metadata that is not an object', () => {
    assert.deepEqual(metadataFields(['a'], ['a']), []);
    assert.deepEqual(metadataFields('text', 7), []);
  });

  it('compares attributes with names of object members', () => {
    const odd = JSON.parse('{"__proto__": "p", "constructor": "c", "toString": "t"}') as unknown;
    const fields = metadataFields(odd, odd).map(([field]) => field);
    assert.deepEqual(fields, ['metadata.__proto__', 'metadata.constructor', 'metadata.toString']);
    assert.deepEqual(metadataFields({ toString: 'only one has it' }, {}), []);
  });
});

describe('imageSimilarities', () => {
  const listing = (id: number, url: string | null, seen?: { url?: string; hash: string | null }) =>
    ({
      ...product({ id, image_url: url }),
      internal: {
        image: seen && {
          url: seen.url ?? url,
          seen_at: '2026-01-01T00:00:00Z',
          hash: seen.hash,
          failure: seen.hash === null ? 'timeout' : null,
        },
      },
    }) as StoredListing;
  const [zeros, nine] = ['0000000000000000', '00000000000001ff'];

  it('returns every pair, in the order of the products', () => {
    const listings = [listing(3, 'c'), listing(1, 'a'), listing(2, 'b')];
    assert.deepEqual(pluck(imageSimilarities(listings), 'product_ids'), [
      [3, 1],
      [3, 2],
      [1, 2],
    ]);
  });

  const pair = (a: StoredListing, b: StoredListing) => {
    const [found] = imageSimilarities([a, b]);
    return [found?.similarity, found?.reason];
  };

  it('states the reason if there is no similarity', () => {
    const hashed = listing(1, 'a', { hash: zeros });
    assert.deepEqual(pair(hashed, listing(2, null)), [null, 'no image']);
    assert.deepEqual(pair(hashed, listing(2, 'b')), [null, 'image not hashed yet']);
    assert.deepEqual(pair(hashed, listing(2, 'b', { hash: null })), [null, 'image unavailable']);
  });

  it('ignores the hash of an earlier image', () => {
    const changed = listing(2, 'new', { url: 'old', hash: zeros });
    assert.deepEqual(pair(listing(1, 'a', { hash: zeros }), changed), [null, 'image not hashed yet']);
  });

  it('needs no hash if both listings have the same image', () => {
    assert.deepEqual(pair(listing(1, 'a'), listing(2, 'a')), [1, 'identical image']);
  });

  it('decreases with every bit that differs, from 1 to 0', () => {
    const same = pair(listing(1, 'a', { hash: zeros }), listing(2, 'b', { hash: zeros }));
    assert.deepEqual(same, [1, 'perceptual hash']);
    assert.strictEqual(hashSimilarity(zeros, nine), 0.904);
    assert.strictEqual(hashSimilarity('00000000000003ff', zeros), 0.882);
    assert.strictEqual(hashSimilarity('ffffffff00000000', zeros), 0);
    assert.strictEqual(hashSimilarity('ffffffffffffffff', zeros), 0);
  });
});
