import { assert } from 'chai';
import { connectAgent } from '../support/agent.js';
import { moveToSchema } from '../support/earlier-schema.js';
import { useApi } from '../support/api.js';
import { groupListings, offer, pluck, skus } from '../support/listings.js';

const NAME = 'Orbit V40 portable speaker';

/** Offers of one product, in several conditions. */
const LISTINGS = [
  offer('new', NAME, '100.00', { source: 'shop_a' }),
  offer('stated', NAME, '60.00', { source: 'shop_b', condition: 'used' }),
  offer('attribute', NAME, '70.00', { source: 'shop_c', metadata: { condition: 'RefurbishedCondition' } }),
  offer('named', `${NAME} (Renewed)`, '65.00', { source: 'shop_d' }),
  offer('conflict', `${NAME}, refurbished`, '80.00', { source: 'shop_e', condition: 'new' }),
];
const CONDITIONS = {
  new: { value: 'new', basis: 'assumed' },
  stated: { value: 'used', basis: 'stated' },
  attribute: { value: 'refurbished', basis: 'stated' },
  named: { value: 'refurbished', basis: 'name' },
  conflict: { value: 'refurbished', basis: 'name' },
};

describe('condition', () => {
  const api = useApi(LISTINGS);
  const conditionsOf = (items: any[]) =>
    Object.fromEntries(items.map(({ sku, condition }) => [sku, condition]));

  it('is in listings with include=condition, and exported', async () => {
    const { items } = await api.ok('/v1/search?include=condition');
    assert.deepEqual(conditionsOf(items), CONDITIONS);
    const { body } = await api.get('/v1/products/export?include=condition');
    assert.deepEqual(conditionsOf(body as any[]), CONDITIONS);
    const plain = await api.ok('/v1/search');
    assert.notProperty(plain.items[0], 'condition');
  });

  it('filters lists, with one or several values', async () => {
    const found = async (parameters: string) => skus(await api.ok(`/v1/search?${parameters}`)).sort();
    assert.deepEqual(await found('condition=used'), ['stated']);
    assert.deepEqual(await found('condition=new&condition=used'), ['new', 'stated']);
    assert.deepEqual(await found('condition=new|used'), ['new', 'stated']);
    assert.deepEqual(await found('condition=refurbished&q=speaker'), ['attribute', 'conflict', 'named']);
    assert.deepEqual(await found('condition=used|used|used|used'), ['stated']);
    assert.equal((await api.get(`/v1/search?condition=${'used|'.repeat(20)}used`)).status, 422);
    assert.lengthOf(await found('condition='), 5);
    assert.lengthOf(await found('attr.condition=RefurbishedCondition'), 1);
    assert.equal((await api.get('/v1/search?condition=mint')).status, 422);
    assert.equal((await api.get('/v1/deals?condition=mint')).status, 422);
    const { body } = await api.get('/v1/products/export?condition=new');
    assert.deepEqual(pluck(body as any[], 'sku'), ['new']);
  });

  it('is a facet, whose counts ignore the filter', async () => {
    const { facets } = await api.ok('/v1/search?facets=condition,brand&condition=used');
    assert.deepEqual(facets[0].values, [
      { value: 'refurbished', count: 3, selected: false },
      { value: 'new', count: 1, selected: false },
      { value: 'used', count: 1, selected: true },
    ]);
  });

  it('is the flag condition_conflict if name and feed contradict each other', async () => {
    const { items } = await api.ok('/v1/quality/condition_conflict');
    assert.deepEqual(pluck(items, 'sku', 'reason'), [
      ['conflict', 'the feed states new, the name says refurbished'],
    ]);
    const { all } = await api.ok('/v1/quality');
    assert.equal(all.flags.condition_conflict, 1);
  });
});

/** The best price of what a shopper asks for, as the SKU of the listing; 404 if there is none. */
const BEST: [query: string, sku: string | number][] = [
  [`q=${NAME}`, 'new'],
  [`q=${NAME}&condition=used`, 'stated'],
  [`q=${NAME}&condition=refurbished`, 'named'],
  [`q=${NAME}&condition=new&condition=used`, 'stated'],
  [`q=refurbished ${NAME}`, 'named'],
  [`q=used ${NAME}`, 'stated'],
  [`q=${NAME} second hand`, 'stated'],
  [`q=pre-owned Orbit V40&condition=refurbished`, 'named'],
  [`q=${NAME} under 70`, 404],
  [`q=used ${NAME} under 70`, 'stated'],
  [`q=refurbished Kestrel K9 kettle`, 'kettle'],
  ['q=Kestrel K9 kettle', 404],
  ['q=renewed Kestrel K9 kettle', 'kettle'],
  ['q=hall of used goods novel', 'novel'],
  ['q=hall of used goods novel&condition=used', 404],
  ['q=Kestrel K9 kettle&condition=refurbished', 'kettle'],
  [`q=${NAME} -refurbished`, 'new'],
  [`q=${NAME} -used`, 'new'],
];

describe('the condition of best prices and best offers', () => {
  const api = useApi([
    ...LISTINGS,
    offer('novel', 'Hall of used goods: a novel', '9.00', { source: 'shop_a', currency: 'MYR' }),
    offer('kettle', 'Kestrel K9 kettle (refurbished)', '20.00', { source: 'shop_a' }),
  ]);
  before(() => groupListings(api, pluck(LISTINGS, 'sku')));

  for (const [query, expected] of BEST)
    it(`is new unless the request asks otherwise: ${query}`, async () => {
      const { status, body } = await api.get(`/v1/products/best-price?${encodeURI(query)}`);
      assert.equal(status === 200 ? (body as any).sku : status, expected, JSON.stringify(body));
    });

  it('is the reason why a listing is only near to a product that is not found', async () => {
    const { status, body } = await api.get('/v1/products/best-price?q=Kestrel+K9+kettle&nearest=true');
    assert.equal(status, 404);
    assert.deepEqual(pluck((body as any).nearest, 'sku', 'rejected'), [['kettle', 'condition']]);
  });

  it('orders the offers of a product, and decides which is the best', async () => {
    const id = await api.id('named');
    const all = await api.ok(`/v1/products/${id}/offers`);
    assert.deepEqual(pluck(all.offers, 'sku'), ['new', 'stated', 'named', 'attribute', 'conflict']);
    assert.equal(all.best_offer_id, await api.id('new'));
    const prices = all.offers
      .map(({ price }: any) => price)
      .sort((x: string, y: string) => Number(x) - Number(y));
    assert.deepEqual([all.price_range.min, all.price_range.max], [prices[0], prices.at(-1)]);
    const fresh = await api.ok(`/v1/products/${id}/offers?condition=new`);
    assert.equal(fresh.price_range.min, fresh.offers[0].price);
    const used = await api.ok(`/v1/products/${id}/offers?condition=used|refurbished&include=condition`);
    assert.deepEqual(pluck(used.offers, 'sku'), ['stated', 'named', 'attribute', 'conflict']);
    assert.equal(used.best_offer_id, await api.id('stated'));
    const kettle = await api.ok(`/v1/products/${await api.id('kettle')}/offers`);
    assert.equal(kettle.best_offer_id, null);
  });

  for (const sort of ['price_asc', 'price_desc'])
    it(`decides by which offer a product is shown with sort=${sort}`, async () => {
      const page = async (more: string) => {
        const { items } = await api.ok(`/v1/search?group=product&sort=${sort}&currency=SGD${more}`);
        return items.map(({ sku, group }: any) => [sku, group.best_offer_id]);
      };
      const id = (sku: string) => api.id(sku);
      assert.deepEqual(await page(''), [
        ['new', await id('new')],
        ['kettle', null],
      ]);
      assert.deepEqual(await page('&condition=used'), [['stated', await id('stated')]]);
      // Only this name has both words, but the text asks for the best refurbished offer.
      assert.deepEqual(await page('&q=refurbished+Orbit'), [['conflict', await id('named')]]);
    });

  it('is not what the text of a deal excludes', async () => {
    const dearer = { list_price: '200.00', currency: 'SGD' };
    await api.load([offer('new', NAME, '100.00', { source: 'shop_a', ...dearer })]);
    const { items } = await api.ok('/v1/deals?group=product&q=Orbit+-refurbished');
    assert.deepEqual(pluck(items, 'sku'), ['new']);
    assert.equal(items[0].group.best_offer_id, await api.id('new'));
  });

  it('filters the matches of a comparison', async () => {
    const id = await api.id('new');
    const matches = async (more: string) =>
      pluck((await api.ok(`/v1/products/compare?product_id=${id}${more}`)).matches, 'sku').sort();
    assert.deepEqual(await matches(''), ['attribute', 'conflict', 'named', 'stated']);
    assert.deepEqual(await matches('&condition=used'), ['stated']);
    const product_ids = [id, await api.id('kettle')];
    const { body } = await api.post('/v1/products/compare', { product_ids, condition: ['refurbished'] });
    assert.sameMembers(pluck((body as any).comparisons[0].matches, 'sku'), [
      'attribute',
      'conflict',
      'named',
    ]);
    assert.equal((await api.post('/v1/products/compare', { product_ids, condition: ['mint'] })).status, 422);
  });

  it('is new for the tools of agents, unless they ask for another one', async () => {
    const agent = await connectAgent(api.url, `Bearer ${await api.key()}`, 'each request');
    try {
      const ids = async (more: object) =>
        ((await agent.client.callTool({ name: 'find_best_price', arguments: { q: NAME, ...more } })) as any)
          .structuredContent.items[0].id;
      assert.equal(await ids({}), await api.id('new'));
      assert.equal(await ids({ condition: 'used' }), await api.id('stated'));
    } finally {
      await agent.close();
    }
  });
});

describe('condition in an index of an earlier schema', () => {
  const api = useApi();
  before(() => moveToSchema(api, 9));

  const ID = 4_503_599_627_370_497;
  for (const path of [
    '/v1/search?condition=used',
    '/v1/search?facets=condition',
    '/v1/search?include=condition',
    '/v1/deals?condition=used',
    '/v1/products/best-price?q=kettle&condition=used',
    `/v1/products/${ID}/offers?condition=used`,
  ])
    it(`is answered with 503: ${path}`, async () => {
      const { status, body } = await api.get(path);
      assert.equal(status, 503, JSON.stringify(body));
      assert.match(JSON.stringify(body), /reindex/);
    });

  it('is not compared in a best price', async () => {
    await api.load([offer('old', 'Orbit V40 portable speaker (refurbished)', '60.00')]);
    assert.equal((await api.ok('/v1/products/best-price?q=Orbit+V40+portable+speaker')).sku, 'old');
  });
});
