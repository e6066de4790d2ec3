import { assert } from 'chai';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';

const PATH = '/v1/products/best-price';

describe('GET /v1/products/best-price', () => {
  let api: Api;

  before(async () => {
    api = await startApi();
    await api.load([
      record({
        sku: 'phone',
        name: 'Apple iPhone 13 128GB Blue',
        brand: 'Apple',
        category: 'Mobile Phones',
        price: '900.00',
      }),
      record({
        sku: 'cheap',
        source: 'shop_b',
        name: 'iPhone 13 (128 GB, Pink) [Local Warranty]',
        category: 'Phones',
        price: '850.00',
      }),
      record({
        sku: 'sold-out',
        source: 'shop_c',
        name: 'Apple iPhone 13 128GB Black',
        price: '700.00',
        is_available: false,
      }),
      record({ sku: 'big', source: 'shop_b', name: 'Apple iPhone 13 512GB Blue', price: '1300.00' }),
      record({ sku: 'unpriced', source: 'shop_d', name: 'Apple iPhone 13 128GB Green', price: null }),
      record({ sku: 'pro', name: 'Apple iPhone 13 Pro 128GB Blue', price: '800.00' }),
      record({ sku: 'mini', name: 'Apple iPhone 13 mini 128GB', price: '600.00' }),
      record({ sku: 'older', name: 'Apple iPhone 12 128GB Blue', price: '500.00' }),
      record({ sku: 'case', name: 'Silicone Case for iPhone 13', price: '9.00' }),
      record({ sku: 'cover', name: 'iPhone 13 Leather Cover, Blue', price: '12.00' }),
      record({ sku: 'film', name: 'Tempered glass compatible with Apple iPhone 13', price: '3.00' }),
      record({ sku: 'cable', name: 'USB cable for Apple iPhone 13', price: '4.00' }),
      record({
        sku: 'xm5-sgd',
        name: 'Sony WH-1000XM5 Wireless Headphones',
        price: '450.00',
        currency: 'SGD',
      }),
      record({ sku: 'xm5-usd', source: 'shop_b', name: 'Sony WH1000XM5', price: '340.00', currency: 'USD' }),
      record({ sku: 'xm4', source: 'shop_b', name: 'Sony WH-1000XM4 Wireless Headphones', price: '250.00' }),
      record({ sku: 'tie-b', source: 'shop_b', name: 'Philips HD9252 airfryer', price: '99.00' }),
      record({ sku: 'tie-a', name: 'Philips HD9252 airfryer', price: '99.00' }),
      record({
        sku: 'only-sold-out',
        name: 'Dyson V11 vacuum cleaner',
        price: '799.00',
        is_available: false,
      }),
      record({ sku: 'no-price', name: 'Roborock S8 robot', price: null }),
      record({ sku: 'tarn-8', name: 'Kestrel Tarn 8 5G Smartphone 128GB', price: '400.00' }),
      record({ sku: 'tarn-9', name: 'Kestrel Tarn 9 5G Smartphone 128GB', price: '500.00' }),
      record({ sku: 'tarn-9-charger', name: '快速充电器 适用于 Kestrel Tarn 9 25W', price: '17.00' }),
      record({ sku: 'tarn-9-casing', name: 'Sarung silikon untuk Kestrel Tarn 9', price: '7.00' }),
      record({ sku: 'paper', name: 'Papyrine A4 Paper 500 sheets', price: '5.00' }),
      record({ sku: 'PEN-77-X', name: 'Stabilo highlighter', price: '2.00', gtin: ['4006381333931'] }),
      record({
        sku: 'bank',
        brand: 'Voltaro',
        name: 'Voltaro VPW-2005 Power Bank 10000mAh Black',
        price: '64.00',
        metadata: { model: 'VPW-2005' },
        buy_url: 'https://www.shop.example/voltaro-bank',
      }),
      record({
        sku: 'portable',
        source: 'shop_b',
        brand: 'Voltaro',
        name: 'Voltaro VPW-2005 Portable Charger 10000mAh Black',
        price: '60.00',
        metadata: { model: 'VPW-2005' },
      }),
      ...['6 US9', '6 US10', '7 US6'].map((which, at) =>
        record({
          sku: ['rally-6-us9', 'rally-6', 'rally-7'][at] ?? '',
          brand: 'Velocet',
          name: `Velocet Rally ${which} Badminton Shoes`,
          price: ['80.00', '70.00', '40.00'][at] ?? '',
        }),
      ),
      record({
        sku: 'folia-kestrel',
        brand: 'Kestrel',
        name: 'Kestrel Folia 8 Tablet 64GB',
        price: '400.00',
      }),
      record({
        sku: 'folia-mirevo',
        source: 'shop_b',
        brand: 'Mirevo',
        name: 'Mirevo Folia 8 Tablet 64GB',
        price: '300.00',
      }),
      record({ sku: 'bottle', name: 'Littlelark bottle 240ml', price: '20.00' }),
      record({ sku: 'bottles', source: 'shop_b', name: 'Littlelark bottle 240ml x 2', price: '19.00' }),
      record({ sku: 'memory-16', name: 'Memorix memory 16GB DDR4', price: '60.00' }),
      record({
        sku: 'memory-2x16',
        source: 'shop_b',
        name: 'Memorix memory 32GB (2 x 16GB) DDR4',
        price: '50.00',
      }),
      record({
        sku: 'spinner',
        brand: 'Farrowby',
        category: 'Luggage',
        name: 'Farrowby Voyage 9 Spinner Suitcase 20 inch',
        price: '220.00',
      }),
      record({
        sku: 'hard-case',
        source: 'shop_b',
        brand: 'Farrowby',
        category: 'Luggage',
        name: 'Farrowby Voyage 9 20 inch Hard Case Luggage',
        price: '150.00',
      }),
      ...Array.from({ length: 130 }, (_, at) =>
        record({
          sku: `band-${at}`,
          name: `Mirevo Orbit 5 ${at % 2 === 0 ? 'Strap' : 'Case'} ${at}`,
          price: `${at + 1}.00`,
        }),
      ),
      record({
        sku: 'orbit',
        brand: 'Mirevo',
        name: 'Mirevo Orbit 5 Smartwatch 45mm with GPS, long life',
        price: '300.00',
      }),
      record({
        sku: 'both',
        brand: 'Ostrel',
        name: 'Ostrel Dash Cam D20 Front and Rear 1080p',
        price: '120.00',
      }),
      record({
        sku: 'front',
        source: 'shop_b',
        brand: 'Ostrel',
        name: 'Ostrel D20 Dash Cam, Front Only, 1080p',
        price: '90.00',
      }),
      record({
        sku: 'kit',
        brand: 'Fotura',
        name: 'Fotura FX-1005 Mirrorless Camera with 16-50mm Lens Black',
        price: '900.00',
      }),
      record({
        sku: 'body',
        source: 'shop_b',
        brand: 'Fotura',
        name: 'Fotura FX-1005 Mirrorless Camera Body Only (Black)',
        price: '700.00',
      }),
      record({
        sku: 'beside',
        name: 'Lumera Office Screen',
        category: 'Screens',
        category_path: ['Rice Cookers & Screens', 'Screens'],
        description: 'To a projector.',
        price: '60.00',
      }),
      record({ sku: 'notebook', name: 'Tarnix Harbour Notebook, 14 Inch', category: null, price: '700.00' }),
      record({
        sku: 'small-mouse',
        source: 'shop_b',
        name: 'Tarnix Notebook mouse',
        category: null,
        price: '650.00',
      }),
      record({ sku: 'screen-24', name: 'Lumera IPS Monitor, 24 Inch, 75Hz', price: '100.00' }),
      record({
        sku: 'screen-27',
        source: 'shop_b',
        name: 'Lumera IPS Monitor, 27 Inch, 75Hz',
        price: '180.00',
      }),
      record({ sku: 'arm', source: 'shop_b', name: 'Steel Monitor Bracket 17-27 inch', price: '20.00' }),
      record({ sku: 'projector', name: 'Kandela Smart Projector, 720p', price: '300.00' }),
      record({
        sku: 'microsd',
        name: 'Norvik Pebble 256GB microSD Card',
        price: '39.00',
        category: 'Flash Storage',
      }),
      record({
        sku: 'slate',
        name: 'Norvik Slate 256GB Tablet',
        price: '29.00',
        category: 'Tablets',
        description: 'For films and notes. Its microSD slot takes more.',
      }),
      record({ sku: 'lamp', source: 'shop_b', name: 'Kandela projector lamp 190 W', price: '80.00' }),
      record({ sku: 'cooker-1', name: 'Delmora Rice Cooker 1 L', price: '26.00' }),
      record({ sku: 'cooker-2', name: 'Kuchenfee Rice Cooker 1.8L', price: '38.00' }),
    ]);
  });
  after(() => api.stop());

  const ask = (q: string, more = '') => api.get(`${PATH}?q=${encodeURIComponent(q)}${more}`);
  const best = async (q: string, more = ''): Promise<string> => (await ask(q, more)).body.sku;

  it('returns the cheapest listing in stock as a Product', async () => {
    const { status, body } = await ask('iphone 13');
    assert.strictEqual(status, 200);
    assert.strictEqual(body.sku, 'cheap');
    assert.deepEqual(body, (await api.get(`/v1/products/${body.id}`)).body);
  });

  it('never returns an accessory or another model', async () => {
    for (const q of ['iphone 13', 'apple iphone 13', 'iPhone 13 128GB', 'iphone13'])
      assert.strictEqual(await best(q), 'cheap', q);
    for (const q of ['WH-1000XM5', 'wh1000xm5', 'WH 1000 XM5', 'sony wh-1000xm5 headphones']) {
      assert.oneOf(await best(q), ['xm5-usd', 'xm5-sgd'], q);
    }
  });

  it('returns an accessory or another model if the query names it', async () => {
    assert.strictEqual(await best('case for iphone 13'), 'case');
    assert.strictEqual(await best('iphone 13 tempered glass'), 'film');
    assert.strictEqual(await best('iphone 13 pro'), 'pro');
    assert.strictEqual(await best('iphone 13 mini'), 'mini');
    assert.strictEqual(await best('iphone 12'), 'older');
  });

  it('obeys the colour and capacity of the query', async () => {
    assert.strictEqual(await best('iphone 13 blue 128gb'), 'phone');
    assert.strictEqual(await best('iphone 13 512 GB'), 'big');
  });

  it('compares prices in one currency', async () => {
    assert.strictEqual(await best('sony wh-1000xm5'), 'xm5-usd');
  });

  it('returns the lowest id among equal prices', async () => {
    const ids = [await api.id('tie-a'), await api.id('tie-b')];
    const { body } = await ask('Philips HD9252');
    assert.strictEqual(body.id, Math.min(...ids));
  });

  it('returns a listing that is out of stock if there is no other, and never one without a price', async () => {
    assert.strictEqual(await best('dyson v11'), 'only-sold-out');
    assert.strictEqual((await ask('roborock s8')).status, 404);
  });

  it('obeys the category filter', async () => {
    assert.strictEqual(await best('iphone 13', '&category=mobile'), 'phone');
    assert.strictEqual((await ask('iphone 13', '&category=garden')).status, 404);
  });

  it('corrects transposed letters, but does not confuse words for different products or ignore a word', async () => {
    assert.strictEqual(await best('iphnoe 13'), 'cheap');
    for (const q of ['pampers', 'iphone 13 zzgrub', 'sony iphone 13', 'iphone 13 headphones'])
      assert.strictEqual((await ask(q)).status, 404, q);
    assert.strictEqual(await best('paper'), 'paper');
  });

  it('ignores shopping words and sales talk', async () => {
    assert.strictEqual(await best('buy the cheapest iphone 13 online, best price'), 'cheap');
    assert.strictEqual(await best('[Official Store] iPhone 13 Ready Stock'), 'cheap');
  });

  it('finds a GTIN in any form and a SKU, and prefers the listing that states a model number', async () => {
    for (const q of ['4006381333931', '04006381333931', '4006-3813-33931', 'PEN-77-X'])
      assert.strictEqual(await best(q), 'PEN-77-X', q);
  });

  it('returns a cheaper listing that words the same product differently', async () => {
    assert.strictEqual(await best('Voltaro VPW-2005 Power Bank 10000mAh'), 'portable');
  });

  it('does not confuse product lines, series, brands and line numbers', async () => {
    assert.strictEqual(await best('Velocet Rally 6'), 'rally-6');
    assert.strictEqual(await best('Velocet Rally 6 US 9'), 'rally-6-us9');
    assert.strictEqual((await ask('Velocet Rally 9')).status, 404);
    assert.strictEqual((await ask('Velocet Rally 6 Pro')).status, 404);
    assert.strictEqual(await best('Kestrel Folia 8'), 'folia-kestrel');
  });

  it('returns a pack, or one part of a kit, only if the query asks for it', async () => {
    assert.strictEqual(await best('Littlelark bottle 240ml'), 'bottle');
    assert.strictEqual(await best('Littlelark bottle 240ml x 2'), 'bottles');
    assert.strictEqual(await best('Memorix memory 16GB DDR4'), 'memory-16');
    assert.strictEqual(await best('Memorix memory 32GB Kit (2x16 GB)'), 'memory-2x16');
    assert.strictEqual((await ask('Memorix memory 32GB Kit (4 x 8GB)')).status, 404);
  });

  it('accepts a listing that sounds like an accessory if its category and price are those of the product', async () => {
    assert.strictEqual(await best('Farrowby Voyage 9'), 'hard-case');
  });

  it('finds the product behind any number of accessories', async () => {
    assert.strictEqual(await best('Mirevo Orbit 5'), 'orbit');
  });

  it('never returns a part of the requested product', async () => {
    assert.strictEqual(await best('Ostrel Dash Cam D20 Front and Rear 1080p'), 'both');
    assert.strictEqual(await best('Fotura FX-1005 Mirrorless Camera with 16-50mm Lens'), 'kit');
    assert.strictEqual(await best('Fotura FX-1005 Body Only'), 'body');
  });

  it('reads a bare number as a size', async () => {
    assert.strictEqual(await best('monitor 27 inch'), 'screen-27');
    assert.strictEqual(await best('monitor 27'), 'screen-27');
    assert.strictEqual((await ask('monitor 32')).status, 404);
  });

  it('ignores quotation marks, and reads inch marks as inches', async () => {
    for (const q of ['"iphone 13" 128gb', "'iphone 13'", '“iphone 13”', 'iphone 13" 128gb'])
      assert.strictEqual(await best(q), 'cheap', q);
    assert.strictEqual(await best('monitor 27"'), 'screen-27');
    assert.strictEqual((await ask('iphone 99" 128gb')).status, 404);
  });

  it('accepts a microSD card as an SD card', async () => {
    assert.strictEqual(await best('sd card'), 'microsd');
  });

  it('accepts a listing only if the requested noun is for sale, not if it is a modifier or comes in the box', async () => {
    assert.strictEqual(await best('projector'), 'projector');
    assert.strictEqual(await best('projector lamp'), 'lamp');
    assert.strictEqual(await best('laptop'), 'notebook');
    assert.strictEqual(await best('microsd 256GB'), 'microsd');
    assert.strictEqual((await ask('lens')).status, 404);
    for (const q of ['office projector', 'office rice cooker'])
      assert.strictEqual((await ask(q)).status, 404, q);
  });

  it('finds the product of a page by its address, in any wording', async () => {
    assert.strictEqual(await best('https://shop.example/voltaro-bank?utm_source=mail'), 'portable');
    assert.strictEqual((await ask('https://shop.example/voltaro-bank-2')).status, 404);
  });

  it('corrects a letter that should be doubled', async () => {
    assert.strictEqual(await best('Voltarro VPW-2005'), 'portable');
  });

  it('returns several offers, the best first, with their confidence', async () => {
    const { body } = await ask('iphone 13 128GB', '&limit=3');
    assert.deepEqual(
      body.items.map(({ sku }: { sku: string }) => sku),
      ['cheap', 'phone', 'sold-out'],
    );
    for (const { confidence } of body.items) assert.isTrue(confidence > 0.5 && confidence <= 1);
    const [{ confidence: _, ...first }] = body.items;
    assert.deepEqual(first, (await ask('iphone 13 128GB', '&limit=1')).body);
    assert.deepEqual((await ask('4006381333931', '&limit=2')).body.items[0].confidence, 1);
    for (const limit of ['0', '21', 'x'])
      assert.strictEqual((await ask('iphone 13', `&limit=${limit}`)).status, 422, limit);
  });

  it('does not read the 5 of 5G as a model, requires a stated size, and understands \"for\" in other languages', async () => {
    assert.strictEqual((await ask('Kestrel Tarn 5')).status, 404);
    assert.strictEqual(await best('Kestrel Tarn 9'), 'tarn-9');
    assert.strictEqual(await best('rice cooker 1.8 L'), 'cooker-2');
    assert.strictEqual(await best('rice cooker'), 'cooker-1');
  });

  it('returns 404 if no listing is the product', async () => {
    for (const q of ['iphone 99', 'WH-1000XM9', 'qwrtzp']) {
      const { status, body } = await ask(q);
      assert.deepEqual([status, body], [404, { detail: 'No products found for query' }], q);
    }
  });

  it('refuses a missing or blank q', async () => {
    const missing = await api.get(PATH);
    assert.strictEqual(missing.status, 422);
    assert.deepEqual([missing.body.detail[0].loc, missing.body.detail[0].type], [['query', 'q'], 'missing']);
    assert.lengthOf((await ask('   ', '&limit=0')).body.detail, 2);
    for (const q of ['', '   ']) {
      const { status, body } = await ask(q);
      assert.lengthOf(body.detail, 1);
      assert.strictEqual(status, 422, `"${q}"`);
      assert.deepEqual([body.detail[0].loc, body.detail[0].type], [['query', 'q'], 'string_too_short']);
    }
  });
});
