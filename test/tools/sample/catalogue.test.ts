// Chaos only (oracles, sampled): it compares the generated catalogue with an oracle in many rounds.
import { assert } from 'chai';
import { toGtin } from '../../../src/listing/gtin.js';
import { validateRecord } from '../../../src/listing/validate.js';
import { generateCatalogue } from '../../../tools/sample-catalogue/catalogue.js';
import { writtenName } from '../../../tools/sample-catalogue/family.js';
import { PRODUCT_TYPES } from '../../../tools/sample-catalogue/product-types.js';
import { productName, productsOf } from '../../../tools/sample-catalogue/product.js';
import { cents, NOW, OPTIONS, PRODUCTS, RECORDS, share } from './sample.js';
import { isChaos } from '../../support/chaos.js';

const FIELDS = [
  'sku',
  'source',
  'merchant_id',
  'name',
  'description',
  'price',
  'currency',
  'buy_url',
  'image_url',
  'brand',
  'category',
  'category_path',
  'rating',
  'is_available',
  'last_checked',
  'price_history',
] as const;

const between = (value: number, low: number, high: number, what: string) => {
  assert.isAtLeast(value, low, what);
  assert.isAtMost(value, high, what);
};

describe('sample catalogue', () => {
  it('is the same for the same options, and different for another seed', () => {
    const some = { ...OPTIONS, listings: 50 };
    assert.deepEqual([...generateCatalogue(some)], [...generateCatalogue(some)]);
    const others = [...generateCatalogue({ ...some, seed: 7 })];
    assert.notDeepEqual(
      others.map(({ name }) => name),
      RECORDS.slice(0, 50).map(({ name }) => name),
    );
  });

  it('starts with the same listings whatever its size', () => {
    for (const listings of [1, 2, 137]) {
      assert.deepEqual([...generateCatalogue({ ...OPTIONS, listings })], RECORDS.slice(0, listings));
    }
  });

  it('depends on the time only in its times', () => {
    const later = { ...OPTIONS, listings: 30, now: new Date('2027-01-01T00:00:00Z') };
    const timeless = (records: Iterable<unknown>) =>
      [...records].map((record) => JSON.stringify(record).replace(/\d{4}-\d\d-\d\dT[\d:]+Z/g, 'T'));
    assert.deepEqual(timeless(generateCatalogue(later)), timeless(RECORDS.slice(0, 30)));
  });

  it('has five thousand listings of about fifteen hundred products on six platforms', () => {
    assert.lengthOf(RECORDS, 5_000);
    between(PRODUCTS.length, 1_400, 1_600, 'products');
    for (const source of ['lazada_sg', 'shopee_sg', 'amazon_sg', 'qoo10_sg', 'courts_sg', 'challenger_sg']) {
      const { length } = RECORDS.filter((record) => record.source === source);
      assert.isAtLeast(share(length), 0.06, source);
    }
    assert.equal(new Set(RECORDS.map(({ source }) => source)).size, 6);
  });

  it('fills every field of every listing with values that the loader accepts', () => {
    for (const record of RECORDS) {
      assert.isEmpty(
        FIELDS.filter((field) => `${record[field]}` === ''),
        `empty fields of ${record.name}`,
      );
      const validated = validateRecord(record, { now: NOW });
      if ('reasons' in validated) assert.fail(`${record.name}: ${validated.reasons}`);
      const {
        affiliate_url,
        list_price,
        gtin,
        condition = null,
        price_from = null,
        ...rest
      } = validated.record;
      // The sample has plain prices of new goods.
      assert.deepEqual([affiliate_url, condition, price_from], [null, null, null]);
      assert.deepInclude(record, rest);
      assert.equal(list_price ?? undefined, record.list_price);
      assert.deepEqual(gtin ?? undefined, record.gtin);
    }
  });

  it('is in Singapore dollars, checked within a day, mostly available, at reserved addresses', () => {
    for (const { currency, last_checked, buy_url, rating } of RECORDS) {
      assert.equal(currency, 'SGD');
      const age = NOW.getTime() - Date.parse(last_checked ?? '');
      between(age, 1, 86_400_000, 'age');
      assert.match(new URL(buy_url ?? '').hostname, /\.example$/);
      assert.match(rating ?? '', /^[3-5]\.\d$/);
    }
    between(share(RECORDS.filter(({ is_available }) => is_available).length), 0.86, 0.9, 'available');
    between(share(RECORDS.filter(({ metadata }) => metadata === null).length), 0.02, 0.06, 'no metadata');
  });

  it('never uses a SKU of a source twice', () => {
    const many = generateCatalogue({ ...OPTIONS, listings: isChaos ? 20_000 : 6_000 });
    const keys = Array.from(many, ({ source, sku }) => `${source} ${sku}`);
    assert.equal(new Set(keys).size, keys.length);
  });

  it('never repeats a product', () => {
    const productAt = productsOf(OPTIONS.seed);
    const keys = Array.from({ length: isChaos ? 50_000 : 10_000 }, (_, index) => {
      const product = productAt(index);
      const { option, colour, device } = product;
      const variant = [option?.value, colour?.en, device && device.brand + writtenName(device)];
      return [product.type.id, productName(product), ...variant].join('|');
    });
    assert.equal(new Set(keys).size, keys.length);
  });

  it('has 60 to 120 primary categories at the third level', () => {
    between(new Set(PRODUCT_TYPES.map(({ path }) => path[2])).size, 60, 120, 'categories');
    assert.equal(new Set(PRODUCTS.map(({ product }) => product.type)).size, PRODUCT_TYPES.length);
    for (const { category, category_path } of RECORDS) {
      assert.lengthOf(category_path ?? [], 3);
      assert.equal(category_path?.[2], category);
    }
  });

  it('gives two of five products a valid internal-use GTIN of their own', () => {
    const gtins = PRODUCTS.flatMap(({ product }) => product.gtin ?? []);
    between(gtins.length / PRODUCTS.length, 0.36, 0.44, 'share');
    assert.equal(new Set(gtins).size, gtins.length);
    for (const gtin of gtins) {
      assert.match(gtin, /^2\d{12}$/);
      assert.isNotNull(toGtin(gtin), gtin);
    }
    for (const { product, records } of PRODUCTS) {
      for (const { gtin, metadata } of records) {
        const stated = gtin?.[0] ?? (metadata as { ean?: string } | null)?.ean ?? product.gtin;
        assert.equal(stated, product.gtin);
      }
    }
  });
});

describe('sample listings', () => {
  it('cost less than the device if they are accessories', () => {
    for (const type of PRODUCT_TYPES.filter(({ accessoryOf }) => accessoryOf !== null)) {
      const priced = (id: string | null) =>
        PRODUCTS.filter(({ product }) => product.type.id === id).map(({ product }) => product.cents);
      const device = Math.min(...priced(type.accessoryOf));
      assert.isBelow(Math.min(...priced(type.id)), device, type.id);
      assert.isBelow(Math.max(...priced(type.id)), 18_000, type.id);
    }
  });

  it('offer accessories for devices that are offered too', () => {
    const named = RECORDS.filter(({ name }) => /\b(for|compatible with)\b/i.test(name));
    assert.isAbove(share(named.length), 0.04);
    const devices = new Set(PRODUCTS.map(({ product }) => productName(product)));
    const accessories = PRODUCTS.flatMap(({ product: { device } }) => device ?? []);
    const sold = accessories.filter((device) => devices.has(`${device.brand} ${writtenName(device)}`));
    assert.isAbove(sold.length / accessories.length, 0.6);
  });

  it('have near misses, such as the previous model and the Pro model', () => {
    const models = new Set(PRODUCTS.map(({ product }) => productName(product)));
    const before = [...models].filter((name) =>
      models.has(name.replace(/\d$/, (digit) => `${Number(digit) - 1}`)),
    );
    assert.isAbove(before.length, 50);
    assert.isAbove([...models].filter((name) => models.has(`${name} Pro`)).length, 10);
  });

  it('have similar prices for the same product', () => {
    for (const { product, records } of PRODUCTS) {
      const firsts = records.map(({ price_history }) => cents(price_history?.[0]?.price ?? ''));
      const slack = product.cents < 2_000 ? 20 : 200;
      assert.isBelow(Math.max(...firsts) - slack, 1.3 * Math.min(...firsts), productName(product));
    }
  });

  it('have prices as shops write them', () => {
    const prices = RECORDS.map(({ price }) => price ?? '');
    assert.isEmpty(prices.filter((price) => !/^(\d{2,}\.(00|90|99)|\d{1,2}\.\d[05])$/.test(price)));
  });
});
