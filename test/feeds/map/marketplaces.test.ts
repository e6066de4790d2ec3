import { Readable } from 'node:stream';
import { assert } from 'chai';
import { readFeedMap, MapError, type PlatformFormat } from '../../../src/feeds/map/feed-map.js';
import { Mapper } from '../../../src/feeds/map/mapper.js';
import { readFeed } from '../../../src/feeds/read/feed.js';
import { loadFixture, now, recordsOf } from './fixtures.js';

const load = async (format: PlatformFormat, file: string) =>
  recordsOf((await loadFixture(format, file)).items);

describe('feeds in the formats of affiliate networks and marketplaces', () => {
  it('Awin: prices with a comma, several GTINs and pictures, an ISBN of ten digits and a UPC without its zero', async () => {
    const [scales, shirt] = await load('awin', 'awin.csv');
    assert.deepEqual(scales, {
      sku: '24518347',
      merchant_id: 'Haushalt Huber',
      name: 'Küchenwaage "Präzisa", bis 5 kg',
      description: 'Misst auf 1 g genau.\nMit Tara',
      price: '19.99',
      currency: 'EUR',
      list_price: '24.99',
      buy_url: 'https://shop.example/kw5?a=1&b=2',
      affiliate_url: 'https://www.awin1.com/pclick.php?p=24518347&a=1&m=2',
      image_url: 'https://shop.example/kw5.jpg',
      brand: 'Präzisa',
      category_path: ['Küche', 'Waagen'],
      rating: '4.5',
      is_available: true,
      gtin: '4006381333931',
      delivery: { price: '4.95' },
      metadata: {
        merchant_product_id: 'KW-5',
        mpn: 'PZ-5000',
        color: 'weiß',
        additional_image_link: ['https://shop.example/kw5b.jpg', 'https://shop.example/kw5c.jpg'],
      },
      source: 'shop',
    });
    assert.deepInclude(shirt, {
      name: 'Leinenhemd & Krawatte',
      is_available: false,
      gtin: ['036000291452', '9783161484100'],
    });
    const [uploaded] = await load('awin', 'awin-upload.csv');
    assert.include(uploaded, { sku: 'P1', price: '99.99', currency: 'GBP', is_available: true });
  });

  it('CJ: the shopping feed and the product catalog', async () => {
    const [tee, glasses] = await load('cj', 'cj.csv');
    assert.deepInclude(tee, {
      price: '46.50',
      list_price: '78.00',
      currency: 'EUR',
      category_path: ['Herren', 'Sale'],
    });
    assert.deepInclude(tee?.['metadata'], {
      additional_image_link: ['https://shop.example/tee-1b.jpg', 'https://shop.example/tee-1c.jpg'],
    });
    assert.deepInclude(glasses, {
      is_available: false,
      category_path: ['Bekleidung & Accessoires', 'Sonnenbrillen'],
    });
    const [book, lamp] = await load('cj', 'cj-catalog.txt');
    assert.deepInclude(book, {
      name: 'The Winter Garden, Hardcover',
      price: '12.50',
      list_price: '20.00',
      gtin: ['036000291452', '9783161484100'],
    });
    assert.include(lamp, { price: '45.00', is_available: false });
  });

  it('impact.com: the file and the items of the API', async () => {
    const [shoe, sock] = await load('impact', 'impact.txt');
    assert.include(shoe, { name: 'Trail shoe 12" shaft', price: '79.00', list_price: '99.00' });
    assert.include(sock, { is_available: false });
    const [cape, mask] = await load('impact', 'impact.json');
    assert.deepInclude(cape, { sku: 'A-1', is_available: true, category_path: ['Apparel', 'Capes'] });
    assert.include(mask, { is_available: false });
  });

  it('Rakuten: no names of columns, no quoted cells, and lines before and after the records', async () => {
    const { items } = await loadFixture('rakuten', 'rakuten.txt');
    assert.deepEqual(
      items.map(({ line, error }) => [line, error]),
      [
        [2, undefined],
        [3, undefined],
      ],
    );
    const [shirt, lamp] = recordsOf(items);
    assert.deepInclude(shirt, {
      name: '"Classic" Shirt, 15" collar',
      price: '39.90',
      list_price: '49.90',
      category_path: ['Apparel', 'Men', 'Shirts'],
      gtin: '036000291452',
    });
    assert.deepInclude(shirt?.['metadata'], { size: 'L', color: 'Blue' });
    // The sale price of 0.00 is none, and attributes of other classes are not those of clothing.
    assert.include(lamp, { price: '20.00', brand: 'Glow' });
    assert.isNull(lamp?.['list_price']);
    assert.deepEqual(lamp?.['metadata'], { merchant_sku: 'L-1' });
    const changes = await load('rakuten', 'rakuten-delta.txt');
    assert.deepEqual(
      changes.map(({ sku, is_available }) => [sku, is_available]),
      [
        ['1001', true],
        ['1003', false],
      ],
    );
  });

  it('idealo: lists in a cell, and amounts with a comma or a point', async () => {
    const { items } = await loadFixture('idealo', 'idealo.csv');
    const [phone, washer] = recordsOf(items);
    // The guard of missing columns needs to know that the columns of the carriers state the delivery.
    assert.include(items[0]?.header ?? [], 'delivery');
    assert.notInclude(items[0]?.leftover ?? [], 'deliveryCosts_dhl');
    assert.deepInclude(phone, {
      price: '499.99',
      list_price: '549.00',
      image_url: 'https://shop.example/s20.jpg',
      gtin: ['8806090311161', '8806090311178'],
      is_available: true,
    });
    assert.deepInclude(phone?.['metadata'], {
      mpn: ['SM-G980', 'SM-G980F'],
      condition: 'new',
      additional_image_link: ['https://shop.example/s20b.jpg', 'https://shop.example/s20c.jpg'],
    });
    assert.include(washer, { price: '1299.00', currency: 'EUR', is_available: false });
  });

  it('Heureka and Zboží: repeated elements, parameters with units, days until delivery', async () => {
    const [iron, book] = await load('heureka', 'heureka.xml');
    assert.deepInclude(iron, {
      name: 'Žehlička Philips "Azur" 3000 W',
      description: 'Napařovací žehlička & kryt.',
      price: '2499.50',
      category_path: ['Bílé zboží', 'Žehličky'],
      is_available: true,
      metadata: {
        Barva: 'modrá',
        Příkon: '3000 W',
        mpn: 'GC4567',
        item_group_id: 'EF789',
        additional_image_link: ['https://obchod.example/z2.jpg', 'https://obchod.example/z3.jpg'],
      },
    });
    assert.deepInclude(book, {
      price: '25000.50',
      is_available: false,
      gtin: '9783161484100',
      metadata: { Vazba: 'pevná', condition: 'used' },
    });
    const [umbrella, stand] = await load('zbozi', 'zbozi.xml');
    assert.deepInclude(umbrella, {
      price: '1990',
      list_price: '2490.90',
      currency: 'CZK',
      image_url: 'https://obchod.example/62448.jpg',
      category_path: ['Dům, byt a zahrada', 'Zahrada', 'Slunečníky'],
    });
    assert.deepInclude(umbrella?.['metadata'], {
      weight: '10 kg',
      additional_image_link: ['https://obchod.example/62448b.jpg'],
    });
    assert.notProperty(stand, 'is_available');
  });

  it('Amazon: the rows before the names of the columns are no records, nor are parents of variations', async () => {
    const { items, skipped } = await loadFixture('amazon', 'amazon.txt');
    assert.strictEqual(skipped, 1);
    const [shirt, mug] = recordsOf(items);
    assert.deepInclude(shirt, {
      sku: 'TS-M',
      name: 'Shirt, 15" collar, M',
      description: 'Soft & warm',
      price: '39.90',
      list_price: '49.90',
      gtin: '4006381333931',
      is_available: true,
    });
    assert.deepInclude(mug, { list_price: '12.00', buy_url: 'https://shop.example/dp/B000000001' });
    assert.isNull(mug?.['gtin']);
    const report = await load('amazon', 'amazon-report.txt');
    assert.deepEqual(
      report.map(({ sku, gtin, is_available }) => [sku, gtin, is_available]),
      [
        ['LAMP', '4006381333931', true],
        ['OLD', null, false],
      ],
    );
  });
});

describe('list prices and GTINs that a row does not state', () => {
  const map = readFeedMap({ fields: { sku: 'id', price: 'price', list_price: 'was', gtin: 'ean' } });
  const mapped = (cells: object, { header, patch = false }: { header?: string[]; patch?: boolean } = {}) => {
    const mapper = new Mapper(map, { now, timezone: 'UTC', patch });
    const item = { line: 1, bytes: 1, raw: null, value: cells, ...(header === undefined ? {} : { header }) };
    const { list_price, gtin } = [...mapper.records(item)][0]?.value as Record<string, unknown>;
    return [list_price, gtin];
  };

  it('are cleared if the feed has columns for them; a list price also without a header', () => {
    const header = ['id', 'price', 'was', 'ean'];
    assert.deepEqual(mapped({ id: 'a', price: '5.00', was: '', ean: '' }, { header }), [null, null]);
    assert.deepEqual(mapped({ id: 'a', price: '5.00' }, { header: ['id', 'price'] }), [undefined, undefined]);
    assert.deepEqual(mapped({ id: 'a', price: '5.00' }), [null, undefined]);
  });

  it('are kept by a patch', () => {
    assert.deepEqual(mapped({ id: 'a', price: '5.00' }, { patch: true }), [undefined, undefined]);
  });

  it('a list price that is the price is none', () => {
    assert.deepEqual(mapped({ id: 'a', price: '5.00', was: '5' }), [null, undefined]);
  });

  it('of several GTINs, the valid ones are kept', () => {
    const ean = ['4006381333931', '123', '04006381333931'];
    assert.deepEqual(mapped({ id: 'a', price: '5.00', ean }), [null, '4006381333931']);
  });
});

describe('the layout of a CSV feed', () => {
  const read = async (text: string, layout: object) => {
    const found: unknown[] = [];
    const feed = { anyColumns: true, format: 'csv' as const, layout };
    for await (const { line, value, error } of readFeed(Readable.from([text]), feed))
      found.push([line, error ?? value]);
    return found;
  };

  it('columns beyond the stated ones are numbered, and rows with fewer are rejected', async () => {
    assert.deepEqual(await read('a|b|c\nd|e\n', { columns: ['x', 'y'] }), [
      [1, { x: 'a', y: 'b', 'column 3': 'c' }],
      [2, 'record: has 2 columns instead of 3'],
    ]);
  });

  it('a feed whose first rows do not name the columns is refused', async () => {
    const rows = 'a,b\n'.repeat(30);
    await read(rows, { header: ['sku'] }).then(
      () => assert.fail('the feed was read'),
      (error: Error) => assert.match(error.message, /^None of the first 20 rows names a column sku/),
    );
  });

  it('an invalid pattern of lines is reported', () => {
    assert.throws(() => readFeedMap({ fields: {}, csv: { ignore: '(' } }), MapError, /^ignore: /);
  });
});

describe('amounts with a comma or a point', () => {
  const priceOf = (text: string) => {
    const map = readFeedMap({ decimal: 'either', fields: { price: { from: 'p', money: 'amount' } } });
    const mapper = new Mapper(map, { now, timezone: 'UTC', currency: 'EUR' });
    const [item] = mapper.records({ line: 1, bytes: 1, raw: null, value: { p: text } });
    return item?.reasons?.[0] ?? (item?.value as Record<string, unknown>)['price'];
  };

  it('the last separator is that of the decimals, unless it occurs several times', () => {
    assert.deepEqual(['19,99', '19.99', '1.299,00', '1,299.00', '1 299,5', '1.299.000', '7'].map(priceOf), [
      '19.99',
      '19.99',
      '1299.00',
      '1299.00',
      '1299.5',
      '1299000',
      '7',
    ]);
  });

  it('three decimals are ambiguous with both separators', () => {
    for (const text of ['1.299', '1,299']) assert.match(String(priceOf(text)), /^price: .*; specify/);
  });
});
