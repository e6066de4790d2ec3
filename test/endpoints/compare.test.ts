import { assert } from 'chai';
import { findCandidates } from '../../src/matcher/find-matches.js';
import { getStoredListings } from '../../src/engine/documents.js';
import { useApi } from '../support/api.js';
import { assertSorted, offer, pluck, record } from '../support/listings.js';

const PATH = '/v1/products/compare';
const PHONE = 'Apple iPhone 13 128GB Blue A2633';

describe('GET /v1/products/compare', () => {
  const phones = { price: '900.00' };
  const api = useApi([
    record({ sku: 'phone', name: PHONE, brand: 'Apple', ...phones }),
    record({ sku: 'same-shop', name: `${PHONE} Smartphone`, brand: 'Apple', ...phones }),
    offer('order', '[Local Warranty] READY STOCK A-2633 iPhone 13 (Blue, 128 GB)', '880.00', {
      source: 'shop_b',
    }),
    offer('dollars', PHONE, '640.00', { source: 'shop_c', brand: 'Apple', currency: 'USD' }),
    offer('unpriced', PHONE, null, { source: 'shop_d', brand: 'Apple' }),
    offer('twin-dear', PHONE, '950.00', { source: 'shop_e', brand: 'Apple' }),
    offer('twin-cheap', PHONE, '940.00', { source: 'shop_f', brand: 'Apple' }),
    record({
      sku: 'colour',
      source: 'shop_b',
      name: 'Apple iPhone 13 128GB Pink A2633',
      brand: 'Apple',
      ...phones,
    }),
    record({
      sku: 'capacity',
      source: 'shop_b',
      name: 'Apple iPhone 13 256GB Blue A2633',
      brand: 'Apple',
      ...phones,
    }),
    record({ sku: 'newer', source: 'shop_b', name: 'Apple iPhone 14 128GB Blue', brand: 'Apple', ...phones }),
    record({
      sku: 'mini',
      source: 'shop_c',
      name: 'Apple iPhone 13 mini 128GB Blue',
      brand: 'Apple',
      ...phones,
    }),
    record({ sku: 'pair', source: 'shop_c', name: `${PHONE} 2 pack`, brand: 'Apple', ...phones }),
    offer('case', 'Case for Apple iPhone 13 128GB Blue A2633', '9.00', { source: 'shop_b' }),
    offer('film', 'iPhone 13 Screen Protector Blue A2633', '5.00', { source: 'shop_d' }),
    offer('kettle', 'Stainless steel kettle 1.7 l', '30.00', { source: 'shop_b' }),
    // Two offers of the same product whose names share no word, so that only the GTIN and the brand show that they are
    // the same.
    offer('gtin-a', 'Crisp oats, family size', '4.00', { brand: 'Kornhof', gtin: '4006381333931' }),
    offer('gtin-b', 'Haferflocken knusprig', '4.20', {
      brand: 'Kornhof',
      source: 'shop_b',
      metadata: { ean: '4006381333931' },
    }),
    offer('gtin-c', 'Crisp oats 500 g', '4.10', {
      brand: 'Kornhof',
      source: 'shop_c',
      gtin: '4006381333931',
    }),
  ]);

  const compare = async (sku: string, more = '') => api.get(`${PATH}?product_id=${await api.id(sku)}${more}`);
  const matches = async (sku: string, more = ''): Promise<string[]> =>
    (await compare(sku, more)).body.matches.map((match: { sku: string }) => match.sku);

  it('finds the product in other words, another spelling and another currency, and nothing else', async () => {
    assert.sameMembers(await matches('phone'), ['order', 'dollars', 'unpriced', 'twin-dear', 'twin-cheap']);
  });

  it('returns the source product, and complete Products with score and reasons', async () => {
    const { status, body } = await compare('phone');
    assert.strictEqual(status, 200);
    assert.strictEqual(body.source_product_id, await api.id('phone'));
    assert.strictEqual(body.source_product_name, PHONE);
    assert.strictEqual(body.total_matches, body.matches.length);
    for (const { match_score, match_reasons, ...product } of body.matches) {
      assert.isAtLeast(match_score, 0.5);
      assert.isAtMost(match_score, 1);
      assert.include(match_reasons, 'model');
      assert.deepEqual(product, (await api.get(`/v1/products/${product.id}`)).body);
    }
  });

  it('sorts by score, then by price in one currency, with unknown prices last', async () => {
    const { body } = await compare('phone');
    const scores = body.matches.map(({ match_score }: { match_score: number }) => match_score);
    assertSorted(scores, 'descending');
    const tied = body.matches.filter(({ sku }: { sku: string }) => sku.startsWith('twin'));
    assert.strictEqual(tied[0].match_score >= tied[1].match_score, true);
  });

  it('returns the same score from either side', async () => {
    for (const sku of ['order', 'dollars']) assert.include(await matches(sku), 'phone', sku);
    for (const sku of ['colour', 'capacity', 'newer', 'mini', 'pair', 'case', 'film', 'kettle']) {
      assert.notInclude(await matches(sku), 'phone', sku);
    }
  });

  it("returns listings of the product's own platform only on request, and never the product itself", async () => {
    const own = await matches('phone', '&include_same_source=true');
    assert.include(own, 'same-shop');
    assert.notInclude(own, 'phone');
    assert.notInclude(await matches('phone', '&include_same_source=false'), 'same-shop');
  });

  it('applies price limits to the matches in their own currency, and not to the product', async () => {
    assert.sameMembers(await matches('phone', '&max_price=890'), ['order', 'dollars']);
    assert.sameMembers(await matches('phone', '&min_price=940&max_price=940.00'), ['twin-cheap']);
    assert.deepEqual(await matches('phone', '&min_price=1000'), []);
  });

  it('returns the matches within limits with the same scores, in the same order', async () => {
    const { body } = await compare('phone', '&include_same_source=true');
    const priced = body.matches.filter(({ price }: any) => price !== null);
    assert.isAbove(priced.length, 3);
    for (const { price: limit } of priced) {
      for (const [name, isWithin] of [
        ['min_price', (price: number) => price >= Number(limit)],
        ['max_price', (price: number) => price <= Number(limit)],
      ] as const) {
        const wanted = priced.filter(({ price }: any) => isWithin(Number(price)));
        const limited = await compare('phone', `&include_same_source=true&${name}=${limit}`);
        assert.deepEqual(limited.body.matches, wanted, `${name}=${limit}`);
      }
    }
  });

  it('trusts a GTIN more than the words, and states it as a reason', async () => {
    const { body } = await compare('gtin-a');
    assert.sameMembers(pluck(body.matches, 'sku'), ['gtin-b', 'gtin-c']);
    for (const { match_reasons, match_score } of body.matches) {
      assert.include(match_reasons, 'gtin');
      assert.isAbove(match_score, 0.8);
    }
  });

  it('returns every shop that has the GTIN, however many other listings are similar', async () => {
    const drill = { name: 'Bosch GSR 12V-15 cordless drill', brand: 'Bosch', price: '120.00' };
    await api.load([
      record({ sku: 'drill', ...drill, gtin: ['3165140846448'] }),
      ...Array.from({ length: 30 }, (_, at) =>
        record({ sku: `drill-${at}`, source: `drills_${at}`, ...drill, gtin: ['3165140846448'] }),
      ),
    ]);
    const { body } = await compare('drill');
    assert.strictEqual(body.total_matches, 30);
    assert.strictEqual(new Set(body.matches.map(({ sku }: { sku: string }) => sku)).size, 30);
  });

  it('finds an equal stated model behind twenty more similar names', async () => {
    const name = 'Kenwood kitchen machine with steel bowl';
    await api.load([
      offer('machine', name, '400.00', { brand: 'Kenwood', metadata: { model: 'KVC3100S' } }),
      ...Array.from({ length: 30 }, (_, at) =>
        offer(`like-${at}`, `${name} ${at}`, '400.00', { source: `machines_${at}` }),
      ),
      offer('other-words', 'Chef Titanium', '405.00', {
        source: 'shop_b',
        brand: 'Kenwood',
        metadata: { model: 'KVC3100S' },
      }),
    ]);
    const [machine] = await getStoredListings(api.es, api.products, [await api.id('machine')]);
    assert(machine);
    const [found] = await findCandidates(api.es, api.products, [machine], { includeSameSource: false });
    const skus = found?.candidates.map(({ sku }) => sku) ?? [];
    assert.include(skus, 'other-words');
  });

  it('returns no matches for a product that no other shop has', async () => {
    const { status, body } = await compare('kettle');
    assert.strictEqual(status, 200);
    assert.deepEqual([body.matches, body.total_matches], [[], 0]);
  });

  it('returns 404 for unknown ids, and 422 for values that are not ids', async () => {
    for (const id of ['1', '0', '-3', '9007199254740993']) {
      const { status, body } = await api.get(`${PATH}?product_id=${id}`);
      assert.deepEqual([status, body], [404, { detail: 'Product not found' }], id);
    }
    for (const query of ['', '?product_id=', '?product_id=abc', '?product_id=1.5']) {
      const { status, body } = await api.get(`${PATH}${query}`);
      assert.strictEqual(status, 422, query);
      assert.deepEqual(body.detail[0].loc, ['query', 'product_id']);
    }
  });

  it('rejects a minimum price above the maximum price', async () => {
    const { status, body } = await compare('phone', '&min_price=2&max_price=1');
    assert.strictEqual(status, 400);
    assert.include(body.detail, 'min_price');
    assert.strictEqual((await api.get(`${PATH}?product_id=1&min_price=2&max_price=1`)).status, 400);
  });

  const considered = async (sku: string) => {
    const { status, body } = await compare(sku, '&explain=true');
    assert.strictEqual(status, 200);
    const { body: plain } = await compare(sku);
    assert.deepEqual(body.matches, plain.matches);
    assert.notProperty(plain, 'considered');
    return body.considered as { id: number; score: number; rejected: string }[];
  };
  const rejectedIn = (some: Awaited<ReturnType<typeof considered>>, id: number) =>
    some.find((one) => one.id === id)?.rejected;

  it('explains why candidates do not match, on request', async () => {
    const some = await considered('phone');
    for (const sku of ['colour', 'capacity', 'mini', 'pair', 'case'])
      assert.strictEqual(rejectedIn(some, await api.id(sku)), 'contradicted', sku);
    for (const sku of ['phone', 'order', 'same-shop'])
      assert.isUndefined(rejectedIn(some, await api.id(sku)), sku);
    const scores = some.map(({ score }) => score);
    assert.isBelow(Math.max(...scores), 0.5);
    assertSorted(scores, 'descending');
  });

  const link = async (skus: readonly string[]): Promise<void> => {
    const [group] = await Promise.all(skus.map(api.id));
    const doc = { internal: { group_id: group, linked_at: '2026-11-20T22:15:00Z' } };
    for (const sku of skus)
      await api.es.update({ index: api.products, id: String(await api.id(sku)), refresh: true, doc });
  };

  it('returns the group of a linked listing, also if it has no other offer', async () => {
    assert.includeMembers(await matches('gtin-c'), ['gtin-a', 'gtin-b']);
    await link(['gtin-c']);
    assert.deepEqual(await matches('gtin-c'), []);
    const { matches: explained } = (await compare('gtin-c', '&explain=true')).body;
    assert.deepEqual(explained, []);
    const { offers } = await api.ok(`/v1/products/${await api.id('gtin-c')}/offers`);
    assert.deepEqual(pluck(offers, 'sku'), ['gtin-c']);
    await link(['gtin-c', 'gtin-b']);
    assert.sameMembers(await matches('gtin-c'), ['gtin-b']);
  });

  it('explains candidates that are likely matches but are linked to another product', async () => {
    await link(['gtin-c', 'gtin-b']);
    const some = await considered('gtin-c');
    assert.strictEqual(rejectedIn(some, await api.id('gtin-a')), 'not_linked');
  });
});
