import { Readable } from 'node:stream';
import { assert } from 'chai';
import type { FeedItem } from '../../../src/feeds/read/feed.js';
import {
  type PlatformFormat,
  PLATFORM_FORMATS,
  platformMap,
  readFeedMap,
} from '../../../src/feeds/map/feed-map.js';
import { Mapper } from '../../../src/feeds/map/mapper.js';
import { readRecords } from '../../../src/feeds/map/records.js';
import { unfoldSchemaOrg } from '../../../src/feeds/map/schemaorg.js';
import { validateRecord } from '../../../src/listing/validate.js';
import { words } from '../../support/words.js';
import { loadFixture as load, now, recordsOf as values } from './fixtures.js';

/** Returns the errors of each record by its line; an empty text for a valid record. */
const findings = (items: FeedItem[]): Record<string, string> =>
  Object.fromEntries(
    items.map(({ line, error, reasons = [], value }) => {
      const validated = validateRecord(value, { now });
      const found = 'reasons' in validated ? validated.reasons : [];
      return [line, error ?? [...reasons, ...found].join('; ')];
    }),
  );

describe('feeds in the formats of shops and platforms', () => {
  for (const file of words(`
    google.tsv google.xml google-atom.xml shopify.csv shopify-new.csv woocommerce.csv openai.csv
    openai.jsonl schemaorg.jsonld awin.csv awin-upload.csv cj.csv cj-catalog.txt impact.txt impact.json
    rakuten.txt rakuten-delta.txt idealo.csv heureka.xml zbozi.xml amazon.txt amazon-report.txt
  `)) {
    it(`${file} loads without a map of one's own`, async () => {
      const format = PLATFORM_FORMATS.find((name) => file.startsWith(name)) ?? 'google';
      const { items } = await load(format, file);
      assert.isNotEmpty(items);
      assert.deepEqual([...new Set(Object.values(findings(items)))], ['']);
    });
  }

  it('Merchant Center: sale prices apply during the sale, availability and category paths are parsed', async () => {
    const { items } = await load('google', 'google.tsv');
    const [first, second, third] = values(items);
    assert.deepEqual(first, {
      sku: 'AX-1',
      name: 'Auralis AX-1000M5 Headphones',
      description: 'Over-ear headphones. 30 hours of battery.',
      price: '299.00',
      currency: 'SGD',
      list_price: '349.00',
      buy_url: 'https://shop.example/ax-1',
      image_url: 'https://shop.example/ax-1.jpg',
      brand: 'Auralis',
      category_path: ['Electronics', 'Audio', 'Headphones'],
      is_available: true,
      gtin: '4006381333931',
      metadata: { mpn: 'AX-1000M5', item_group_id: 'AX', condition: 'new', color: 'black' },
      source: 'shop',
    });
    assert.include(second, { price: '349.00', is_available: false });
    assert.isNull(second?.['list_price']);
    assert.include(third, { price: '1049.90', is_available: false });
    assert.notProperty(third, 'category_path');
  });

  it('Merchant Center as XML: CDATA, prefixes, repeated and nested elements, the declared encoding', async () => {
    const [first, second] = values((await load('google', 'google.xml')).items);
    assert.include(first, {
      buy_url: 'https://shop.example/ax-1?a=1&b=2',
      description: 'Over-ear headphones. 30 hours of battery.',
    });
    assert.deepInclude(first?.['metadata'], {
      additional_image_link: ['https://shop.example/ax-1b.jpg', 'https://shop.example/ax-1c.jpg'],
    });
    assert.include(second, { name: 'Kettle 1.7 L', is_available: false });
    const [entry] = values((await load('google', 'google-atom.xml')).items);
    assert.include(entry, { name: 'Café press', buy_url: 'https://shop.example/c-1', currency: 'EUR' });
    assert.include(entry, { description: 'Of glass', price: '19.99' });
  });

  it('Merchant Center: details of a product are attributes, in a cell and as elements', async () => {
    const details = async (file: string) =>
      values((await load('google', file)).items).map(({ metadata }) => metadata);
    const documented = {
      'Product Type': 'Digital player',
      'Digital Player Type': 'Flash based',
      Resolution: '432 x 240',
      'Diagonal Size': '2.5"',
    };
    assert.deepEqual(await details('google-details.tsv'), [
      { ...documented, color: 'black' },
      { Vegetarian: 'Yes', Material: 'wool, cotton: mixed', Ratio: '16:9', color: 'red' },
      { 'Display Type': 'OLED', 'Battery Type': 'Li-ion', Sizes: ['S', 'M'], Note: 'a, b' },
      undefined,
    ]);
    assert.deepEqual(await details('google-details.xml'), [documented, { Legs: '4' }]);
  });

  it('Shopify: a variant is a listing and inherits missing values from its product', async () => {
    const { items, skipped } = await load('shopify', 'shopify.csv');
    assert.strictEqual(skipped, 1);
    const shown = values(items).map(({ sku, name, price, is_available }) => [sku, name, price, is_available]);
    assert.deepEqual(shown, [
      ['TEE-S-B', 'Soft Tee - S / Blue', '29.90', true],
      ['TEE-M-B', 'Soft Tee - M / Blue', '29.90', false],
      ['gift-mug', 'Gift Mug', '12.00', true],
      ['MUG-0', 'Old Mug', '9.00', false],
    ]);
    const [, variant] = values(items);
    assert.deepInclude(variant, {
      description: 'A soft tee.\nCotton & linen',
      image_url: 'https://cdn.example/tee-m.jpg',
      buy_url: 'https://shop.example/products/soft-tee',
      category_path: ['Apparel & Accessories', 'Clothing', 'Shirts'],
      metadata: { gtin: 'not a code', handle: 'soft-tee', Size: 'M', Color: 'Blue' },
    });
    assert.deepInclude(values(items)[3], { metadata: { gtin: '4006381333931', handle: 'old-mug' } });
    // A barcode that is no number is not even an invalid GTIN; a UPC gets back its leading zero.
    assert.deepEqual(
      values(items).map(({ gtin }) => gtin),
      ['4006381333931', null, '036000291452', '4006381333931'],
    );
    const [lamp] = values((await load('shopify', 'shopify-new.csv')).items);
    assert.include(lamp, { name: 'Desk Lamp - Black', list_price: '79.00', is_available: true });
  });

  it('WooCommerce: variations are listings, their parents and groups are not', async () => {
    const { items, skipped } = await load('woocommerce', 'woocommerce.csv');
    assert.strictEqual(skipped, 2);
    const shown = values(items).map(({ sku, name, price, is_available }) => [sku, name, price, is_available]);
    assert.deepEqual(shown, [
      ['HOOD-B', 'Hoodie - Blue', '39', true],
      ['id:46', 'Hoodie - Red', '49', false],
      ['EBOOK', 'Knitting, an e-book', '9.00', false],
      ['EXT', 'Elsewhere', '7.50', true],
    ]);
    assert.deepInclude(values(items)[1], {
      description: 'A warm hoodie.',
      category_path: ['Clothing', 'Hoodies'],
      image_url: 'https://woo.example/h1.jpg',
    });
    assert.include(values(items)[2], { description: 'All of it.\nTwice \\n.' });
  });

  it('OpenAI: the column names of both versions are supported', async () => {
    const [today, before] = values((await load('openai', 'openai.jsonl')).items);
    assert.include(today, { sku: 'SKU12345', price: '59.99', list_price: '79.99', rating: '4.50' });
    assert.include(before, { sku: 'OLD-1', buy_url: 'https://shop.example/pack', is_available: false });
  });

  it('schema.org: offers in graphs, lists, groups and by reference', async () => {
    const { items } = await load('schemaorg', 'schemaorg.jsonld');
    const shown = values(items).map(({ sku, merchant_id, price, is_available }) => [
      sku,
      merchant_id,
      price,
      is_available,
    ]);
    assert.deepEqual(shown, [
      ['AX-1', 'Sound Haus', 349.9, true],
      ['AX-2/A Shop', 'A Shop', '99.00', false],
      ['AX-2/B Shop', 'B Shop', '120.00', true],
      ['TEE-S', undefined, '20.00', true],
      ['MUG', undefined, '8.50', undefined],
    ]);
  });

  it('a price of 0 or in words is no price, and invalid secondary fields are left out', async () => {
    const { items } = await load('google', 'google-broken.tsv');
    const facts = items.map(({ line, reasons, dropped, value }) => {
      const { price, is_available } = (value ?? {}) as Record<string, unknown>;
      return [line, reasons, dropped, price, is_available];
    });
    assert.deepEqual(facts.slice(2, 4), [
      [4, undefined, ['price'], null, true],
      [5, undefined, ['is_available'], '10.00', undefined],
    ]);
    assert.deepEqual(facts.at(-1), [8, undefined, ['price'], null, true]);
  });

  it('HTML pages with JSON-LD: properties, former prices and ratings on any scale', async () => {
    const { items } = await load('schemaorg', 'schemaorg-page.html');
    assert.deepEqual(
      items.map(({ line, error }) => [line, error]),
      [
        [9, undefined],
        [41, 'record: is not valid JSON: } is not expected here (line 41, column 49)'],
      ],
    );
    assert.deepEqual(values(items)[0], {
      sku: 'LAMP-1',
      source: 'shop',
      name: 'Lamp & shade',
      price: '45.00',
      list_price: '60.00',
      currency: 'SGD',
      buy_url: 'https://shop.example/lamp?a=1&b=2',
      brand: 'Glow & Co',
      category_path: ['Home & Garden', 'Lamps'],
      rating: '4.35',
      metadata: { Series: 'Dusk', Height: '42 cm', socket: 'E14, E27', item_group_id: 'LAMP' },
    });
  });

  it('of nested records: a map reads the members of the parents', async () => {
    const feed = {
      shops: [{ area: 'North', products: [{ title: 'Cap', parent: 7, variants: [{ id: 1, size: 'M' }] }] }],
    };
    const map = readFeedMap({
      fields: {
        sku: 'id',
        source: { const: 'caps' },
        name: { template: '{@parent.title}, {size}' },
        category: '@parent.@parent.area',
      },
      rest: 'metadata',
    });
    const items: FeedItem[] = [];
    const options = { map, feed: { records: 'shops.products.variants', anyColumns: true } };
    for await (const item of readRecords(Readable.from([Buffer.from(JSON.stringify(feed))]), options, now))
      items.push(item);
    assert.deepEqual(values(items), [{ sku: '1', source: 'caps', name: 'Cap, M', category: 'North' }]);
  });

  it('schema.org: types and names in every form of the vocabulary', () => {
    const offers = { price: 9, priceCurrency: 'SGD' };
    for (const type of [
      'product',
      'schema:Product',
      'http://schema.org/Product',
      'https://schema.org/Product',
      'http://www.schema.org/Product/',
      'schema.org/Product',
      ['http://schema.org/Thing', 'HTTPS://schema.org/IndividualProduct'],
    ])
      assert.deepEqual(unfoldSchemaOrg({ '@type': type, name: 'Stool', offers }), [
        {
          '@type': type,
          name: 'Stool',
          offer: { ...offers, deliveryOptions: [], deliveryThresholds: [], seller: undefined },
        },
      ]);
    const variant = { '@type': 'schema:Product', 'schema:sku': 'S-1', 'schema:offers': offers };
    const [row] = unfoldSchemaOrg({
      '@graph': [
        {
          '@type': ['https://schema.org/ProductGroup'],
          'http://schema.org/name': [{ '@value': 'Stool' }],
          'https://schema.org/hasVariant': [variant],
        },
      ],
    });
    assert.deepInclude(row, {
      sku: 'S-1',
      group: { '@type': ['https://schema.org/ProductGroup'], name: ['Stool'] },
    });
    for (const type of ['Productive', 'schema:ProductCollection', 'https://other.example/Product', null, {}])
      assert.isEmpty(unfoldSchemaOrg({ '@type': type, name: 'Stool', offers }));
  });

  it('schema.org: words in every form of the vocabulary', () => {
    const record = (prefix: string) => {
      const offer = {
        price: '9.00',
        availability: `${prefix}InStock`,
        itemCondition: `${prefix}UsedCondition`,
      };
      const value = { '@type': 'Product', sku: 'S', name: 'Stool', offers: offer };
      const mapper = new Mapper(platformMap('schemaorg'), { now, timezone: 'UTC' });
      const [item] = [...mapper.records({ line: 1, bytes: 1, raw: value, value })];
      const { is_available, metadata } = item?.value as Record<string, Record<string, unknown>>;
      return [is_available, metadata?.['condition'], item?.dropped];
    };
    for (const prefix of ['', 'schema:', 'http://schema.org/', 'https://www.schema.org/'])
      assert.deepEqual(record(prefix), [true, 'UsedCondition', undefined], prefix);
  });

  it('schema.org: each product of a document states only itself where it is rejected', () => {
    const graph = Array.from({ length: 30 }, (_, index) => ({
      '@type': 'Product',
      sku: `S-${index}`,
      name: 'Stool',
      offers: { price: `${index} or more` },
    }));
    const value = { '@graph': graph };
    const mapper = new Mapper(platformMap('schemaorg'), { now, timezone: 'UTC' });
    const items = [...mapper.records({ line: 4, bytes: 3_000, raw: value, value, repairs: ['a comment'] })];
    assert.deepEqual(
      items.map(({ raw, line, bytes, repairs }) => [(raw as { sku: string }).sku, line, bytes, repairs]),
      graph.map(({ sku }, index) => [sku, 4, 100, index === 0 ? ['a comment'] : undefined]),
    );
    assert.isBelow(JSON.stringify(items.map(({ raw }) => raw)).length, 30 * 300);
  });

  it('schema.org: a rating beyond its scale is kept as it is, to be counted as invalid', () => {
    const rated = (aggregateRating: object) => {
      const [row] = unfoldSchemaOrg({
        '@type': 'Product',
        name: 'Lamp',
        aggregateRating,
        offers: { price: 9 },
      });
      return (row?.['aggregateRating'] as { ratingOf5?: string }).ratingOf5;
    };
    assert.strictEqual(rated({ ratingValue: 88, bestRating: 100 }), '4.40');
    assert.strictEqual(rated({ ratingValue: '88' }), '88');
    assert.strictEqual(rated({ ratingValue: '4,5' }), '4.5');
  });

  it('WooCommerce: the deepest category and all attributes', async () => {
    const { items } = await load('woocommerce', 'woocommerce-attributes.csv');
    const [shirt] = values(items);
    assert.deepEqual(shirt?.['category_path'], ['Clothing', 'Shirts', 'Linen, washed']);
    assert.deepEqual(shirt?.['metadata'], {
      parent: 'SHIRT',
      Colour: 'Blue',
      Size: 'M',
      Fit: 'Slim',
      Collar: 'Kent',
      Care: 'Cold',
    });
    assert.deepEqual(items[0]?.leftover, []);
  });

  it('OpenAI: the options of a variant are attributes', async () => {
    const { items } = await load('openai', 'openai.jsonl');
    assert.deepEqual(values(items)[2]?.['metadata'], { color: 'Blue', size: 'M' });
  });

  it('invalid records are rejected line by line with all reasons by --strict, and the others are accepted', async () => {
    const broken = async (format: PlatformFormat, file: string) =>
      findings((await load(format, file, true)).items);
    const word = 'is not one of in stock, limited availability, backorder, preorder, out of stock';
    assert.deepEqual(await broken('google', 'google-broken.tsv'), {
      2: '',
      3: 'sku: is required',
      4: 'price: "on request" is not an amount of money (column price)',
      5: `is_available: "maybe" ${word} (column availability); buy_url: "shop.example/4" is not an http or https URL`,
      6: 'gtin: "4006381333932" is not a GTIN (8, 12, 13 or 14 digits, check digit included)',
      7: 'record: has 2 columns instead of 6',
      8: 'price: "0.00" is not a positive decimal number: a price is greater than 0',
    });
    assert.deepEqual(await broken('google', 'google-broken.xml'), {
      4: '',
      5: 'record: is not well-formed XML (an & has to be written &amp;) at line 5, column 35',
      6: 'record: is not well-formed XML (undefined entity) at line 6, column 32',
      7: 'record: is not well-formed XML (it has no end)',
      8: 'price: "ten" is not an amount of money (column price)',
      9: '',
    });
    assert.deepEqual(await broken('shopify', 'shopify-broken.csv'), {
      2: '',
      3: 'name: is required',
      4: 'price: "N/A" is not an amount of money (column Variant Price)',
      5: 'is_available: "some" is not a number in stock (column Variant Inventory Qty)',
      6: 'image_url: "tee.jpg" is not an http or https URL',
    });
    const over = '"next week" is not a time, and the sale may be over';
    assert.deepEqual(await broken('woocommerce', 'woocommerce-broken.csv'), {
      2: '',
      3: 'name: is required',
      4: 'price: "1.2.3" is not an amount of money (column Regular price)',
      5: `price: ${over}; is_available: "soon" is not one of 0, 1, backorder, onbackorder (column In stock?)`,
      6: 'gtin: "123" is not a GTIN (8, 12, 13 or 14 digits, check digit included)',
    });
    assert.deepEqual(await broken('openai', 'openai-broken.jsonl'), {
      1: '',
      2: 'name: is required',
      3: 'price: "USD" is not an amount of money (column price)',
      4: 'record: is not valid JSON',
      5: 'is_available: "perhaps" is not one of in stock, limited stock, out of stock, preorder, pre order, backorder, discontinued, unknown (column availability); buy_url: "not a link" is not an http or https URL',
    });
    const found = await broken('schemaorg', 'schemaorg-broken.jsonld');
    assert.deepInclude(found, {
      2: '',
      3: 'sku: is required',
      6: 'record: "no object" is not a JSON object',
    });
    assert.match(
      found[4] ?? '',
      /^price: "call us" .*; is_available: "https:\/\/schema.org\/Maybe" is not one of/,
    );
    assert.strictEqual(found[5], 'currency: "Dollars" is not an ISO 4217 currency code');
  });
});
