import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { pluck, record } from '../support/listings.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { elasticsearchUrl } from '../support/services.js';

const PATH = '/v1/products/compare';

describe('POST /v1/products/compare', () => {
  let proxy: Proxy;
  const names = ['Bosch MUM4405 stand mixer', 'Philips HD9252 airfryer', 'Dyson V11 vacuum cleaner'];
  const api = useApi(
    names.flatMap((name, index) => [
      record({ sku: `a${index}`, name, price: '100.00' }),
      record({ sku: `b${index}`, source: 'shop_b', name: `${name} (new)`, price: '90.00' }),
    ]),
    async () => {
      proxy = await startProxy(elasticsearchUrl);
      return { ELASTICSEARCH_URL: proxy.url };
    },
  );
  const ids: Record<string, number> = {};

  before(async () => {
    for (const sku of ['a0', 'a1', 'a2', 'b0']) ids[sku] = await api.id(sku);
  });
  after(() => proxy.close());

  const matrix = (productIds: unknown, more: object = {}) =>
    api.post(PATH, { product_ids: productIds, ...more });

  it('returns the same comparisons as the single endpoint, in request order', async () => {
    const { status, body } = await matrix([ids['a2'], ids['a0'], ids['b0']]);
    assert.strictEqual(status, 200);
    assert.strictEqual(body.total_products, 3);
    assert.deepEqual(pluck(body.comparisons, 'source_product_id'), [ids['a2'], ids['a0'], ids['b0']]);
    for (const comparison of body.comparisons) {
      const single = await api.get(`${PATH}?product_id=${comparison.source_product_id}`);
      assert.deepEqual(comparison, single.body);
      assert.strictEqual(comparison.total_matches, 1);
    }
  });

  it('counts a repeated product once', async () => {
    const { body } = await matrix([ids['a0'], ids['a1'], ids['a0']]);
    assert.strictEqual(body.total_products, 2);
  });

  it('filters the matches by price', async () => {
    const { body } = await matrix([ids['a0'], ids['b0']], { min_price: 95 });
    assert.deepEqual(pluck(body.comparisons, 'total_matches'), [0, 1]);
  });

  it('sends two requests to the engine for any number of products', async () => {
    const before = proxy.requests.length;
    await matrix([ids['a0'], ids['a1'], ids['a2'], ids['b0']]);
    assert.deepEqual(proxy.requests.slice(before), [`POST /${api.products}/_mget`, 'POST /_msearch']);
  });

  it('names the unknown ids', async () => {
    assert.deepInclude(await matrix([ids['a0'], 12, -7]), {
      status: 404,
      body: { detail: 'Product not found: 12, -7' },
    });
  });

  for (const [what, given, loc, type] of [
    ['one id', [1], ['body', 'product_ids'], 'too_short'],
    ['one id twice', [1, 1], ['body', 'product_ids'], 'too_short'],
    ['21 ids', Array.from({ length: 21 }, (_, i) => i + 1), ['body', 'product_ids'], 'too_long'],
    ['no ids', undefined, ['body', 'product_ids'], 'missing'],
    ['an id that is no integer', [1, 'x'], ['body', 'product_ids', 1], 'int_parsing'],
  ] as const) {
    it(`refuses ${what}`, async () => {
      const { status, body } = await matrix(given);
      assert.strictEqual(status, 422);
      assert.deepEqual(body.detail[0].loc, loc);
      assert.strictEqual(body.detail[0].type, type);
    });
  }

  it('rejects a minimum price above the maximum price', async () => {
    for (const other of [ids['a1'], 1])
      assert.strictEqual((await matrix([ids['a0'], other], { min_price: 2, max_price: 1 })).status, 400);
  });
});
