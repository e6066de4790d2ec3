import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { offer } from '../support/listings.js';

describe('GET /v1/products/best-price and searches by price for a kind of thing', () => {
  const of = (category: string, brand: string, attributes: Record<string, string> = {}) => ({
    is_available: true,
    category,
    brand,
    metadata: attributes,
  });
  const purifiers = of('Air Purifiers', 'Norvent', { filter: 'H13 filter', power: '30 W' });
  const filters = of('Purifier Filters', 'Puraflow');
  const printers = {
    ...of('Printers', 'Inkwell'),
    category_path: ['Computers', 'Printers & Ink', 'Printers'],
  };
  const inks = {
    ...of('Ink Cartridges', 'Refillo'),
    category_path: ['Computers', 'Printers & Ink', 'Ink Cartridges'],
  };
  const cases = of('Phone Cases', 'Shellcraft');
  const rackets = of('Badminton Rackets', 'Smashline');
  const boxes = of('Storage', 'Oakrest');
  const shoes = of('Women’s Running Shoes', 'Zephyra');

  const api = useApi([
    offer('purifier-1', 'Norvent NAP-4410 Smart Air Purifier', '89.90', purifiers),
    offer('purifier-2', 'Norvent NAP-4410 25 sqm Air Purifier', '99.90', purifiers),
    offer('filter-1', 'Puraflow HEPA Replacement Filter for Norvent NAP-4410', '29.90', filters),
    offer('filter-2', 'Norvent NAP-4410 Carbon Filter Puraflow', '34.90', filters),
    offer('filter-3', 'Puraflow HEPA Filter Compatible with Norvent NAP-4420', '19.90', filters),
    offer('purifier-5', 'Norvent NAP-5500 Air Purifier', '149.00', purifiers),
    offer('printer-1', 'Inkwell IW-2010 Wireless Printer, Ink Tank', '65.00', printers),
    offer('printer-2', 'Inkwell IW-2010 All-in-One Printer', '70.00', printers),
    offer('ink-1', 'Refillo High Yield Compatible Ink Compatible with Inkwell IW-2010, Black', '12.50', inks),
    offer('ink-2', 'Refillo Ink Cartridge for Inkwell IW-3010', '9.90', inks),
    offer('charger-1', 'Voltiq 20W USB-C Charger for Arken Fjord 5', '14.70', {
      ...of('Chargers', 'Voltiq'),
      category_path: ['Electronics', 'Mobile Accessories', 'Chargers'],
    }),
    offer('kettle-1', 'Oakrest Electric Kettle 1.7L', '27.90', of('Kettles', 'Oakrest')),
    offer('cooker-1', 'Periuk Nasi Elektrik Oakrest 1.8L', '40.90', of('Rice Cookers', 'Oakrest')),
    offer('hdmi-1', 'Voltiq HDMI Cable 2m', '6.90', of('Cables', 'Voltiq')),
    offer('hdmi-2', 'Voltiq HDMI Cable 1m', '5.90', of('Cables', 'Voltiq')),
    offer('sun-1', 'Lumo Matte Sunscreen SPF50+ PA++++, 50ml', '9.90', of('Sunscreens', 'Lumo')),
    offer('sun-2', 'Lumo Matte Sunscreen SPF30 50ml', '8.90', of('Sunscreens', 'Lumo')),
    offer('bank-1', 'Voltiq VB-10 Power Bank 10000mAh, Charging Port', '11.90', of('Power Banks', 'Voltiq')),
    offer('case-1', 'Shellcraft Soft Case for Arken Fjord 5', '7.00', cases),
    offer('case-2', 'Arken Fjord 5 Wallet Phone Cover (Navy) Shellcraft', '8.00', {
      ...cases,
      description: 'The raised rim protects the camera.',
    }),
    offer('case-3', 'Shellcraft Camera Case for Fotarra FZ-690', '19.90', of('Camera Cases', 'Shellcraft')),
    offer(
      'glass-1',
      'Shellcraft Tempered Glass for Arken Fjord 5',
      '6.00',
      of('Screen Protectors', 'Shellcraft'),
    ),
    offer('suitcase-1', 'Tripmate Hard Case Suitcase 20-inch', '49.00', of('Suitcases', 'Tripmate')),
    offer('racket-1', 'Smashline SL-70 羽毛球拍 4U', '54.90', rackets),
    offer('racket-2', 'Smashline SL-80 Badminton Racket 4U', '67.90', rackets),
    offer('racket-3', 'Raket Badminton Smashline SL-90', '72.90', rackets),
    offer('shoes-1', '[Zephyra] Gale 7 Running Shoes for Women / US 8', '57.90', shoes),
    offer('shoes-2', 'Zephyra Gale 7 Women’s Running Shoes US 7', '69.90', shoes),
    offer('box-1', '[Bestseller] Oakrest Folding 20L Storage Box (Grey) Best Price', '7.00', boxes),
    offer('box-2', 'Oakrest Underbed 20L Storage Box with Lid (Grey)', '9.00', boxes),
    offer('box-3', 'Oakrest Storage Box 50L', '11.00', boxes),
    offer(
      'pan-1',
      'Oakrest Granite 28cm Non-Stick Frying Pan Fast Delivery',
      '17.00',
      of('Cookware', 'Oakrest'),
    ),
    offer('pan-2', 'Oakrest Frying Pan 24cm', '19.00', of('Cookware', 'Oakrest')),
    offer('watch-1', 'Zephyra Orbit 4 GPS Smartwatch', '121.00', of('Smart Watches', 'Zephyra')),
    offer('watch-2', 'Zephyra Orbit 5 Smart Watch 41 mm', '125.00', of('Smart Watches', 'Zephyra')),
    offer('watch-3', 'Kasei Orbit 6 Smart Watch 45 mm', '129.00', of('Smart Watches', 'Kasei')),
  ]);

  const best = async (q: string): Promise<string | number> => {
    const { status, body } = await api.get(`/v1/products/best-price?q=${encodeURIComponent(q)}`);
    return status === 200 ? body.sku : status;
  };
  const cheapest = async (q: string): Promise<string> => {
    const { body } = await api.get(
      `/v1/search?q=${encodeURIComponent(q)}&sort=price_asc&in_stock=true&limit=1`,
    );
    return body.items[0]?.sku;
  };

  const KINDS = {
    filter: 'filter-3',
    'hepa filter': 'filter-3',
    'air purifier': 'purifier-1',
    'printer ink': 'ink-2',
    'ink cartridge': 'ink-2',
    charger: 'charger-1',
    'phone charger': 'charger-1',
    'cerek elektrik': 'kettle-1',
    'camera case': 'case-3',
    case: 'case-1',
    'phone case': 'case-1',
    'screen protector': 'glass-1',
    'tempered glass': 'glass-1',
    'badminton racket': 'racket-1',
    "women's running shoes": 'shoes-1',
    'running shoes for women': 'shoes-1',
    'smart watch': 'watch-1',
    'power bank': 'bank-1',
    suitcase: 'suitcase-1',
  };
  for (const [q, sku] of Object.entries(KINDS))
    it(`answers "${q}" with the cheapest listing of the kind, the first by price`, async () => {
      assert.deepEqual([await best(q), await cheapest(q)], [sku, sku]);
    });

  it('answers a request for an accessory of a model with the accessory, in any order of the words', async () => {
    for (const q of [
      'filter for Norvent NAP-4410',
      'Norvent NAP-4410 filter',
      'HEPA filter for Norvent NAP-4410',
    ])
      assert.strictEqual(await best(q), 'filter-1', q);
    for (const q of ['ink for Inkwell IW-2010', 'Inkwell IW-2010 ink', 'ink cartridge for Inkwell IW-2010'])
      assert.strictEqual(await best(q), 'ink-1', q);
    assert.strictEqual(await best('screen protector for Arken Fjord 5'), 'glass-1');
    assert.strictEqual(await best('Norvent NAP-4410'), 'purifier-1');
    assert.strictEqual(await best('Inkwell IW-2010 printer'), 'printer-1');
  });

  it('corrects the words that a search corrects, and leaves out those around the name', async () => {
    const texts = {
      chargr: 'charger-1',
      'tempred glas': 404,
      suitcaze: 'suitcase-1',
      'smart wach': 'watch-1',
      // The iPhone is no typo of "phone", so the case for another phone is no answer.
      'iphone case': 404,
    };
    for (const [q, sku] of Object.entries({ ...texts, 'suitcase for students': 'suitcase-1' }))
      assert.strictEqual(await best(q), sku, q);
  });

  it('lists the kind wherever the name states it, and answers with the cheapest', async () => {
    for (const [q, names] of Object.entries({ 'storage box': 3, 'storage boxes': 3, 'frying pan': 2 })) {
      const { body } = await api.get(`/v1/search?q=${q}&sort=price_asc`);
      assert.strictEqual(body.total, names, q);
      assert.strictEqual(await best(q), body.items[0].sku, q);
    }
  });

  it('answers with the size or sun protection factor that a request states', async () => {
    for (const q of ['hdmi cable 2m', 'hdmi kabel 2m']) assert.strictEqual(await best(q), 'hdmi-1', q);
    for (const q of ['sunscreen spf50', 'spf50 sunscreen']) assert.strictEqual(await best(q), 'sun-1', q);
  });

  it('finds no accessory for a model that has none, instead of the model', async () => {
    assert.strictEqual(await best('filter for Norvent NAP-5500'), 404);
    assert.strictEqual(await best('ink for Inkwell IW-9010'), 404);
  });
});
