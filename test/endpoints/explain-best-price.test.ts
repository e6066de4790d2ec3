import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { pluck, record } from '../support/listings.js';

const PATH = '/v1/products/best-price';
const GTIN = '4006381333931';
const PHONE = 'Apple iPhone 13 128GB';

interface Considered {
  id: number;
  name?: string;
  currency?: string | null;
  price: string;
  rejected: string | null;
}

describe('The explanation of a best price', () => {
  const apple = { brand: 'Apple', category: 'Mobile Phones' };
  const listings: Record<string, object> = {
    best: { ...apple, name: `${PHONE} Blue`, price: '850.00', buy_url: 'https://www.shop.example/iphone-13' },
    dear: { ...apple, name: `${PHONE} Pink`, price: '900.00', source: 'shop_b' },
    gone: { ...apple, name: `${PHONE} Black`, price: '700.00', source: 'shop_c', is_available: false },
    unpriced: { ...apple, name: `${PHONE} Green`, price: null, source: 'shop_d' },
    token: { ...apple, name: `${PHONE} Green`, price: '1.00', source: 'shop_e' },
    big: { ...apple, name: 'Apple iPhone 13 512GB Blue', price: '1300.00' },
    pro: { ...apple, name: 'Apple iPhone 13 Pro 128GB Blue', price: '800.00' },
    older: { ...apple, name: 'Apple iPhone 12 128GB Blue', price: '500.00' },
    case: { name: 'Silicone Case for Apple iPhone 13 128GB', price: '9.00' },
    blender: { name: 'Kuchenfee KBX-1207 blender', brand: 'Kuchenfee', price: '60.00' },
    charger: { name: 'Plugsmith PPW-1207 portable charger', brand: 'Plugsmith', price: '40.00' },
    bottle: { name: 'Littlelark bottle 240ml', price: '20.00' },
    bottles: { name: 'Littlelark bottle 240ml x 2', price: '19.00', source: 'shop_b' },
    'tv-43': { name: 'Halvorsen 4K TV 43 inch', brand: 'Halvorsen', price: '400.00' },
    'tv-32': { name: 'Halvorsen 4K TV 32 inch', brand: 'Halvorsen', price: '200.00' },
    luggage: { name: 'Farrowby Spinner Suitcase 28 inch', category: 'Suitcases', price: '200.00' },
    'hard-case': { name: 'Farrowby Hard Case Suitcase 20 inch', category: 'Suitcases', price: '150.00' },
    'suitcase-cover': { name: 'Cover for suitcase 28 inch', category: 'Covers', price: '15.00' },
    chips: { name: 'Old Quay Sea Salt Chips 75g', brand: 'Old Quay', price: '3.00' },
    'chips-160': { name: 'Old Quay Sea Salt Chips 160g', brand: 'Old Quay', price: '5.00' },
    cookies: { name: 'Old Quay Chocolate Chip Cookies 200g', brand: 'Old Quay', price: '4.00' },
    us9: { name: 'Velocet Rally 6 US9 Badminton Shoes', brand: 'Velocet', price: '80.00' },
    us10: { name: 'Velocet Rally 6 US10 Badminton Shoes', brand: 'Velocet', price: '70.00' },
    kettle: { name: 'Zephyra ZK-300 electric kettle 1.7L', brand: 'Zephyra', price: '60.00', gtin: GTIN },
    wasserkocher: { name: 'Wasserkocher 1,7 l', price: '55.00', gtin: GTIN, source: 'shop_b' },
    lunchbox: { name: 'Merrow lunchbox 900 ml', price: null },
    rally7: { name: 'Velocet Rally 7 US9 Badminton Shoes', brand: 'Velocet', price: '40.00' },
  };
  const api = useApi(Object.entries(listings).map(([sku, one]) => record({ sku, ...one })));
  const skus = new Map<number, string>();
  before(async () => {
    for (const sku of Object.keys(listings)) skus.set(await api.id(sku), sku);
    const id = await api.id('token');
    await api.es.update({
      index: api.products,
      id: String(id),
      refresh: true,
      doc: { internal: { flags: ['price_placeholder'] } },
    });
  });

  const ask = (q: string, more = '') =>
    api.get(`${PATH}?explain=true&q=${encodeURIComponent(q)}${more}`).then(({ status, body }) => {
      assert.equal(status, 200, q);
      return body as { id: number; considered: Considered[]; explanation: Record<string, unknown> };
    });
  const reasons = (considered: readonly Considered[]) =>
    Object.fromEntries(considered.map(({ id, rejected }) => [skus.get(id), rejected]));

  it('lists every considered listing, the answer first', async () => {
    const { id, considered, explanation } = await ask('iphone 13 128gb');
    assert.equal(skus.get(id), 'best');
    assert.deepEqual(considered[0], {
      id,
      name: 'Apple iPhone 13 128GB Blue',
      price: '850.00',
      currency: 'SGD',
      rejected: null,
    });
    assert.deepInclude(reasons(considered), {
      dear: 'dearer',
      gone: 'out_of_stock',
      token: 'flagged',
      big: 'other_size',
      pro: 'other_model',
      older: 'other_model',
      case: 'accessory',
    });
    assert.notProperty(reasons(considered), 'unpriced');
    assert.deepInclude(explanation, { found_all: 7, corrected_query: null });
  });

  it('states the confidence with four decimals', async () => {
    const { body } = await api.get(`${PATH}?q=Zephyra+ZK-300+electric+kettle&limit=5`);
    const offers = body.items as { sku: string; confidence: number }[];
    assert.sameMembers(pluck(offers, 'sku'), ['kettle', 'wasserkocher']);
    for (const { confidence } of offers) assert.match(String(confidence), /^0\.\d{1,4}$/);
  });

  it('distinguishes a number that is a size from one that is a model', async () => {
    assert.deepInclude(reasons((await ask('littlelark bottle 240ml')).considered), { bottles: 'other_size' });
    assert.deepInclude(reasons((await ask('halvorsen tv 43')).considered), { 'tv-32': 'other_size' });
    assert.deepInclude(reasons((await ask('velocet rally 6 us9')).considered), {
      us10: 'other_size',
      rally7: 'other_model',
    });
  });

  it('does not report a hard case suitcase as an accessory, or another product as another size', async () => {
    assert.deepInclude(reasons((await ask('suitcase 28 inch')).considered), {
      luggage: null,
      'hard-case': 'other_size',
      'suitcase-cover': 'accessory',
    });
    assert.deepInclude(reasons((await ask('old quay sea salt chips 75g')).considered), {
      chips: null,
      'chips-160': 'other_size',
      cookies: 'other_model',
    });
  });

  it('does not report a product as an accessory of its own accessory, or of an unrelated product', async () => {
    const { id, considered } = await ask('iphone 13 case');
    assert.equal(skus.get(id), 'case');
    assert.equal(reasons(considered)['older'], 'other_model');
    assert.equal(reasons(considered)['best'], 'other_model');
    assert.deepEqual(reasons((await ask('KBX-1207')).considered), { blender: null, charger: 'other_model' });
  });

  it('is returned with several offers too, and states the corrected text', async () => {
    const several = await api.get(`${PATH}?q=aple+iphone+13+128gb&limit=3&explain=true&include_flagged=true`);
    assert.lengthOf(several.body.items, 3);
    assert.equal(several.body.considered[0].id, several.body.items[0].id);
    assert.equal(skus.get(several.body.items[0].id), 'token');
    const corrected = await ask('velocett rally 6 us9');
    assert.equal(corrected.explanation['corrected_query'], 'velocet rally 6 us9');
  });

  it('explains the address of a page, quotes and long texts', async () => {
    for (const q of ['"apple iphone" 13 128gb', `iphone 13 128gb${' cheapest'.repeat(100)}`]) {
      const { id, considered } = await ask(q);
      assert.equal(skus.get(id), 'best', q);
      assert.equal(reasons(considered)['dear'], 'dearer', q);
    }
    const page = await ask('https://shop.example/iphone-13?utm_source=x');
    assert.equal(skus.get(page.id), 'best');
    assert.deepInclude(reasons(page.considered), { best: null, big: 'other_size', case: 'accessory' });
  });

  describe('that finds no listing', () => {
    interface Nearest extends Considered {
      source: string;
      missing: string[];
    }
    const nearestTo = (q: string) =>
      api.get(`${PATH}?nearest=true&q=${encodeURIComponent(q)}`).then(({ status, body }) => {
        assert.equal(status, 404, q);
        assert.equal(body.detail, 'No products found for query');
        return body.nearest as Nearest[];
      });

    it('returns the nearest listings with the words that they lack, if `nearest` asks for them', async () => {
      const nearest = await nearestTo('Kuchenfee Turbo KBX-1207');
      assert.deepInclude(nearest[0], {
        id: await api.id('blender'),
        name: 'Kuchenfee KBX-1207 blender',
        price: '60.00',
        rejected: 'other_model',
        missing: ['Turbo'],
      });
      assert.isString(nearest[0]?.source);
      const phones = await nearestTo('iphone 99');
      assert.lengthOf(phones, 5);
      for (const { id, missing } of phones) assert.deepEqual(missing, ['99'], skus.get(id));
      assert.equal(skus.get((await nearestTo('iphone 99 case'))[0]?.id ?? 0), 'case');
    });

    it('says that a listing is the product but has no price, or costs more than the text allows', async () => {
      const unpriced = await nearestTo('Merrow lunchbox');
      assert.deepInclude(unpriced[0], { id: await api.id('lunchbox'), rejected: 'no_price', missing: [] });
      const dear = await nearestTo('zephyra kettle under 50');
      assert.deepInclude(dear[0], { rejected: 'dearer', missing: [] });
      assert.sameMembers(
        dear.filter(({ rejected }) => rejected === 'dearer').map(({ id }) => skus.get(id)),
        ['kettle', 'wasserkocher'],
      );
    });

    it('returns no listing that has none of the words', async () => {
      assert.deepEqual(await nearestTo('qwrtzp'), []);
    });
  });

  it('is missing without `explain`, and if nothing is found', async () => {
    const { body } = await api.get(`${PATH}?q=iphone+13`);
    assert.notProperty(body, 'considered');
    assert.notProperty(body, 'explanation');
    const none = await api.get(`${PATH}?q=zeppelin&explain=true`);
    assert.deepEqual([none.status, none.body], [404, { detail: 'No products found for query' }]);
  });
});
