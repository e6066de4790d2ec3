import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { offer, pluck } from '../support/listings.js';

const PATH = '/v1/products/best-price';

describe('GET /v1/products/best-price', () => {
  const api = useApi([
    offer('phone', 'Apple iPhone 13 128GB Blue', '900.00', { brand: 'Apple', category: 'Mobile Phones' }),
    offer('cheap', 'iPhone 13 (128 GB, Pink) [Local Warranty]', '850.00', {
      source: 'shop_b',
      category: 'Phones',
    }),
    offer('sold-out', 'Apple iPhone 13 128GB Black', '700.00', { source: 'shop_c', is_available: false }),
    offer('big', 'Apple iPhone 13 512GB Blue', '1300.00', { source: 'shop_b' }),
    offer('unpriced', 'Apple iPhone 13 128GB Green', null, { source: 'shop_d' }),
    offer('pro', 'Apple iPhone 13 Pro 128GB Blue', '800.00'),
    offer('mini', 'Apple iPhone 13 mini 128GB', '600.00'),
    offer('older', 'Apple iPhone 12 128GB Blue', '500.00'),
    offer('case', 'Silicone Case for iPhone 13', '9.00'),
    offer('cover', 'iPhone 13 Leather Cover, Blue', '12.00'),
    offer('film', 'Tempered glass compatible with Apple iPhone 13', '3.00'),
    offer('cable', 'USB cable for Apple iPhone 13', '4.00'),
    offer('xm5-sgd', 'Sony WH-1000XM5 Wireless Headphones', '450.00', { currency: 'SGD' }),
    offer('xm5-usd', 'Sony WH1000XM5', '340.00', { source: 'shop_b', currency: 'USD' }),
    offer('xm4', 'Sony WH-1000XM4 Wireless Headphones', '250.00', { source: 'shop_b' }),
    offer('tie-b', 'Philips HD9252 airfryer', '99.00', { source: 'shop_b' }),
    offer('tie-a', 'Philips HD9252 airfryer', '99.00'),
    offer('only-sold-out', 'Dyson V11 vacuum cleaner', '799.00', { is_available: false }),
    offer('no-price', 'Roborock S8 robot', null),
    offer('tarn-8', 'Kestrel Tarn 8 5G Smartphone 128GB', '400.00'),
    offer('tarn-9', 'Kestrel Tarn 9 5G Smartphone 128GB', '500.00'),
    offer('tarn-9-charger', '快速充电器 适用于 Kestrel Tarn 9 25W', '17.00'),
    offer('tarn-9-casing', 'Sarung silikon untuk Kestrel Tarn 9', '7.00'),
    offer('paper', 'Papyrine A4 Paper 500 sheets', '5.00'),
    offer('PEN-77-X', 'Stabilo highlighter', '2.00', { gtin: ['4006381333931'] }),
    offer('bank', 'Voltaro VPW-2005 Power Bank 10000mAh Black', '64.00', {
      brand: 'Voltaro',
      metadata: { model: 'VPW-2005' },
      buy_url: 'https://www.shop.example/voltaro-bank',
    }),
    offer('portable', 'Voltaro VPW-2005 Portable Charger 10000mAh Black', '60.00', {
      source: 'shop_b',
      brand: 'Voltaro',
      metadata: { model: 'VPW-2005' },
    }),
    ...['6 US9', '6 US10', '7 US6'].map((which, at) =>
      offer(
        ['rally-6-us9', 'rally-6', 'rally-7'][at] ?? '',
        `Velocet Rally ${which} Badminton Shoes`,
        ['80.00', '70.00', '40.00'][at] ?? '',
        { brand: 'Velocet' },
      ),
    ),
    offer('folia-kestrel', 'Kestrel Folia 8 Tablet 64GB', '400.00', { brand: 'Kestrel' }),
    offer('folia-mirevo', 'Mirevo Folia 8 Tablet 64GB', '300.00', { source: 'shop_b', brand: 'Mirevo' }),
    offer('bottle', 'Littlelark bottle 240ml', '20.00'),
    offer('bottles', 'Littlelark bottle 240ml x 2', '19.00', { source: 'shop_b' }),
    offer('memory-16', 'Memorix memory 16GB DDR4', '60.00'),
    offer('memory-2x16', 'Memorix memory 32GB (2 x 16GB) DDR4', '50.00', { source: 'shop_b' }),
    offer('spinner', 'Farrowby Voyage 9 Spinner Suitcase 20 inch', '220.00', {
      brand: 'Farrowby',
      category: 'Luggage',
    }),
    offer('hard-case', 'Farrowby Voyage 9 20 inch Hard Case Luggage', '150.00', {
      source: 'shop_b',
      brand: 'Farrowby',
      category: 'Luggage',
    }),
    ...Array.from({ length: 130 }, (_, at) =>
      offer(`band-${at}`, `Mirevo Orbit 5 ${at % 2 === 0 ? 'Strap' : 'Case'} ${at}`, `${at + 1}.00`),
    ),
    offer('orbit', 'Mirevo Orbit 5 Smartwatch 45mm with GPS, long life', '300.00', { brand: 'Mirevo' }),
    offer('both', 'Ostrel Dash Cam D20 Front and Rear 1080p', '120.00', { brand: 'Ostrel' }),
    offer('front', 'Ostrel D20 Dash Cam, Front Only, 1080p', '90.00', { source: 'shop_b', brand: 'Ostrel' }),
    offer('kit', 'Fotura FX-1005 Mirrorless Camera with 16-50mm Lens Black', '900.00', { brand: 'Fotura' }),
    offer('body', 'Fotura FX-1005 Mirrorless Camera Body Only (Black)', '700.00', {
      source: 'shop_b',
      brand: 'Fotura',
    }),
    offer('beside', 'Lumera Office Screen', '60.00', {
      category: 'Screens',
      category_path: ['Rice Cookers & Screens', 'Screens'],
      description: 'To a projector.',
    }),
    offer('notebook', 'Tarnix Harbour Notebook, 14 Inch', '700.00', { category: null }),
    offer('small-mouse', 'Tarnix Notebook mouse', '650.00', { source: 'shop_b', category: null }),
    offer('screen-24', 'Lumera IPS Monitor, 24 Inch, 75Hz', '100.00'),
    offer('screen-27', 'Lumera IPS Monitor, 27 Inch, 75Hz', '180.00', { source: 'shop_b' }),
    offer('arm', 'Steel Monitor Bracket 17-27 inch', '20.00', { source: 'shop_b' }),
    offer('projector', 'Kandela Smart Projector, 720p', '300.00'),
    offer('microsd', 'Norvik Pebble 256GB microSD Card', '39.00', { category: 'Flash Storage' }),
    offer('slate', 'Norvik Slate 256GB Tablet', '29.00', {
      category: 'Tablets',
      description: 'For films and notes. Its microSD slot takes more.',
    }),
    offer('lamp', 'Kandela projector lamp 190 W', '80.00', { source: 'shop_b' }),
    offer('cooker-1', 'Delmora Rice Cooker 1 L', '26.00'),
    offer('cooker-2', 'Kuchenfee Rice Cooker 1.8L', '38.00'),
  ]);

  const ask = (q: string, more = '') => api.get(`${PATH}?q=${encodeURIComponent(q)}${more}`);

  it('returns the cheapest listing in stock as a Product', async () => {
    const { status, body } = await ask('iphone 13');
    assert.strictEqual(status, 200);
    assert.strictEqual(body.sku, 'cheap');
    assert.deepEqual(body, (await api.get(`/v1/products/${body.id}`)).body);
  });

  /** For each rule, the SKU of the best price of some queries; null if nothing is found. */
  const CASES: Record<string, Record<string, string | null>> = {
    'never returns an accessory or another model': {
      'iphone 13': 'cheap',
      'apple iphone 13': 'cheap',
      'iPhone 13 128GB': 'cheap',
      iphone13: 'cheap',
      'WH-1000XM5': 'xm5-usd',
      wh1000xm5: 'xm5-usd',
      'WH 1000 XM5': 'xm5-usd',
      'sony wh-1000xm5 headphones': 'xm5-usd',
    },
    'returns an accessory or another model if the query names it': {
      'case for iphone 13': 'case',
      'iphone 13 tempered glass': 'film',
      'iphone 13 pro': 'pro',
      'iphone 13 mini': 'mini',
      'iphone 12': 'older',
    },
    'obeys the colour and capacity of the query': {
      'iphone 13 blue 128gb': 'phone',
      'iphone 13 512 GB': 'big',
    },
    'compares prices in one currency': { 'sony wh-1000xm5': 'xm5-usd' },
    'returns a listing that is out of stock if there is no other, and never one without a price': {
      'dyson v11': 'only-sold-out',
      'roborock s8': null,
    },
    'corrects transposed letters, but does not confuse words for different products or ignore a word': {
      'iphnoe 13': 'cheap',
      pampers: null,
      'iphone 13 zzgrub': null,
      'sony iphone 13': null,
      'iphone 13 headphones': null,
      paper: 'paper',
    },
    'ignores shopping words and sales talk': {
      'buy the cheapest iphone 13 online, best price': 'cheap',
      '[Official Store] iPhone 13 Ready Stock': 'cheap',
    },
    'finds a GTIN in any form and a SKU, and prefers the listing that states a model number': {
      '4006381333931': 'PEN-77-X',
      '04006381333931': 'PEN-77-X',
      '4006-3813-33931': 'PEN-77-X',
      'PEN-77-X': 'PEN-77-X',
    },
    'returns a cheaper listing that words the same product differently': {
      'Voltaro VPW-2005 Power Bank 10000mAh': 'portable',
    },
    'does not confuse product lines, series, brands and line numbers': {
      'Velocet Rally 6': 'rally-6',
      'Velocet Rally 6 US 9': 'rally-6-us9',
      'Velocet Rally 9': null,
      'Velocet Rally 6 Pro': null,
      'Kestrel Folia 8': 'folia-kestrel',
    },
    'returns a pack, or one part of a kit, only if the query asks for it': {
      'Littlelark bottle 240ml': 'bottle',
      'Littlelark bottle 240ml x 2': 'bottles',
      'Memorix memory 16GB DDR4': 'memory-16',
      'Memorix memory 32GB Kit (2x16 GB)': 'memory-2x16',
      'Memorix memory 32GB Kit (4 x 8GB)': null,
    },
    'accepts a listing that sounds like an accessory if its category and price are those of the product': {
      'Farrowby Voyage 9': 'hard-case',
    },
    'finds the product behind any number of accessories': { 'Mirevo Orbit 5': 'orbit' },
    'never returns a part of the requested product': {
      'Ostrel Dash Cam D20 Front and Rear 1080p': 'both',
      'Fotura FX-1005 Mirrorless Camera with 16-50mm Lens': 'kit',
      'Fotura FX-1005 Body Only': 'body',
    },
    'reads a bare number as a size': {
      'monitor 27 inch': 'screen-27',
      'monitor 27': 'screen-27',
      'monitor 32': null,
    },
    'ignores quotation marks, and reads inch marks as inches': {
      '"iphone 13" 128gb': 'cheap',
      "'iphone 13'": 'cheap',
      '“iphone 13”': 'cheap',
      'iphone 13" 128gb': 'cheap',
      'monitor 27"': 'screen-27',
      'iphone 99" 128gb': null,
    },
    'accepts a microSD card as an SD card': { 'sd card': 'microsd' },
    'accepts a listing only if the requested noun is for sale, not if it is a modifier or comes in the box': {
      projector: 'projector',
      'projector lamp': 'lamp',
      laptop: 'notebook',
      'microsd 256GB': 'microsd',
      lens: null,
      'office projector': null,
      'office rice cooker': null,
    },
    'finds the product of a page by its address, in any wording': {
      'https://shop.example/voltaro-bank?utm_source=mail': 'portable',
      'https://shop.example/voltaro-bank-2': null,
    },
    'corrects a letter that should be doubled': { 'Voltarro VPW-2005': 'portable' },
    'does not read the 5 of 5G as a model, requires a stated size, and understands "for" in other languages':
      {
        'Kestrel Tarn 5': null,
        'Kestrel Tarn 9': 'tarn-9',
        'rice cooker 1.8 L': 'cooker-2',
        'rice cooker': 'cooker-1',
      },
    'returns 404 if no listing is the product': { 'iphone 99': null, 'WH-1000XM9': null, qwrtzp: null },
  };

  for (const [rule, queries] of Object.entries(CASES)) {
    it(rule, async () => {
      for (const [q, sku] of Object.entries(queries)) {
        const { status, body } = await ask(q);
        if (sku === null)
          assert.deepEqual([status, body], [404, { detail: 'No products found for query' }], q);
        else assert.strictEqual(body.sku, sku, q);
      }
    });
  }

  it('returns the lowest id among equal prices', async () => {
    const ids = [await api.id('tie-a'), await api.id('tie-b')];
    const { body } = await ask('Philips HD9252');
    assert.strictEqual(body.id, Math.min(...ids));
  });

  it('obeys the category filter', async () => {
    assert.strictEqual((await ask('iphone 13', '&category=mobile')).body.sku, 'phone');
    assert.strictEqual((await ask('iphone 13', '&category=garden')).status, 404);
  });

  it('returns several offers, the best first, with their confidence', async () => {
    const { body } = await ask('iphone 13 128GB', '&limit=3');
    assert.deepEqual(pluck(body.items, 'sku'), ['cheap', 'phone', 'sold-out']);
    for (const { confidence } of body.items) assert.isTrue(confidence > 0.5 && confidence <= 1);
    const [{ confidence: _, ...first }] = body.items;
    assert.deepEqual(first, (await ask('iphone 13 128GB', '&limit=1')).body);
    assert.deepEqual((await ask('4006381333931', '&limit=2')).body.items[0].confidence, 1);
    for (const limit of ['0', '21', 'x'])
      assert.strictEqual((await ask('iphone 13', `&limit=${limit}`)).status, 422, limit);
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
