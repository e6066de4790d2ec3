import { assert } from 'chai';
import { startApi, useApi } from '../support/api.js';
import { record, skus } from '../support/listings.js';

describe('listing, trending, categories and tracked links', () => {
  const tea = { category: 'Tea', currency: 'SGD' };
  const api = useApi([
    record({ sku: 't1', ...tea, price: '1.00', buy_url: 'https://shop.example/t1?a=1&b=2' }),
    record({ sku: 't2', ...tea, price: '3.00' }),
    record({ sku: 'u1', category: 'Unicode', buy_url: 'https://shop.example/耳机?q=é' }),
    record({ sku: 't3', ...tea, price: '2.50' }),
    record({ sku: 't4', ...tea, price: '0.125', currency: 'KWD' }),
    record({ sku: 'b1', category: 'Bread', price: null, currency: null }),
    record({ sku: 'n1' }),
  ]);

  it('GET /v1/products/{id} returns the listing', async () => {
    const id = await api.id('t1');
    const body = await api.ok(`/v1/products/${id}`);
    assert.include(body, { id, sku: 't1', price: '1.00', buy_url: 'https://shop.example/t1?a=1&b=2' });
  });

  it('answers 404 to unknown ids and 422 to invalid ones', async () => {
    for (const id of ['0', '-1', '123', '9007199254740993', '9'.repeat(40)]) {
      assert.deepInclude(
        await api.get(`/v1/products/${id}`),
        { status: 404, body: { detail: 'Product not found' } },
        id,
      );
    }
    for (const id of ['abc', '1.5', '%ZZ', '1e3', '%00', '١']) {
      const { status, body } = await api.get(`/v1/products/${id}`);
      assert.equal(status, 422, id);
      assert.deepEqual(body.detail[0].loc, ['path', 'product_id']);
      assert.equal(body.detail[0].type, 'int_parsing');
    }
  });

  it('GET /v1/products/trending returns the latest changes', async () => {
    const { body } = await api.get('/v1/products/trending?category=TEA&limit=2');
    assert.hasAllKeys(body, ['category', 'total', 'limit', 'items']);
    assert.include(body, { category: 'TEA', total: 4, limit: 2 });
    assert.lengthOf(body.items, 2);
    const all = await api.get('/v1/products/trending');
    assert.include(all.body, { category: null, total: 7, limit: 50 });
    await api.load([record({ sku: 'n1', name: 'Renamed' })]);
    assert.equal(skus((await api.get('/v1/products/trending')).body)[0], 'n1');
    assert.equal((await api.get('/v1/products/trending?limit=101')).status, 422);
  });

  it('GET /v1/categories returns every category, sorted by the number of listings', async () => {
    const { body } = await api.get('/v1/categories');
    assert.deepEqual(body, {
      categories: [
        { name: 'Tea', count: 4 },
        { name: 'Bread', count: 1 },
        { name: 'Unicode', count: 1 },
      ],
      total: 3,
    });
  });

  it('adds prices by currency on request', async () => {
    const { body } = await api.get('/v1/categories?include=prices');
    assert.deepEqual(body.categories, [
      {
        name: 'Tea',
        count: 4,
        prices: [
          { currency: 'KWD', min: '0.125', median: '0.125', max: '0.125' },
          { currency: 'SGD', min: '1.00', median: '2.50', max: '3.00' },
        ],
      },
      { name: 'Bread', count: 1, prices: [] },
      {
        name: 'Unicode',
        count: 1,
        prices: [{ currency: 'SGD', min: '10.00', median: '10.00', max: '10.00' }],
      },
    ]);
    assert.equal((await api.get('/v1/categories?include=everything')).status, 422);
  });

  it('GET /track/{id} redirects to the shop without a key', async () => {
    const follow = (path: string) => fetch(`${api.url}${path}`, { redirect: 'manual' });
    const { body } = await api.get(`/v1/products/${await api.id('t1')}`);
    const path = new URL(body.affiliate_url as string).pathname;
    const reply = await follow(path);
    assert.equal(reply.status, 302);
    assert.equal(reply.headers.get('location'), 'https://shop.example/t1?a=1&b=2');
    const linkless = await api.id('t2');
    assert.equal((await follow(`/track/${linkless}`)).status, 404, 'a listing without a link');
    assert.isNull((await api.get(`/v1/products/${linkless}`)).body.affiliate_url);
    const unicode = await follow(`/track/${await api.id('u1')}`);
    assert.equal(unicode.headers.get('location'), 'https://shop.example/%E8%80%B3%E6%9C%BA?q=%C3%A9');
    const { es, products } = api;
    for (const buy_url of [
      'javascript:alert(1)',
      'data:text/html,x',
      'ftp://shop.example/',
      '//shop.example',
      'x',
    ]) {
      // The URL is written directly into the index, because a load would reject it.
      const id = String(linkless);
      await es.update({ index: products, id, doc: { buy_url } });
      assert.equal((await follow(`/track/${id}`)).status, 404, buy_url);
    }
    assert.equal((await follow('/track/1')).status, 404);
    assert.equal((await follow('/track/x')).status, 422);
  });
});

describe('more categories than one page of the aggregation', () => {
  it('are all returned', async () => {
    const api = await startApi();
    await api.load(
      Array.from({ length: 1_240 }, (_, i) =>
        record({ sku: `s${i}`, category: `Category ${String(i % 1_234).padStart(4, '0')}` }),
      ),
    );
    for (const path of ['/v1/categories', '/v1/categories?include=prices']) {
      const { body } = await api.get(path);
      assert.equal(body.total, 1_234, path);
      assert.lengthOf(body.categories, 1_234);
      assert.equal(body.categories[0].name, 'Category 0000');
      assert.equal(body.categories[0].count, 2);
    }
    await api.stop();
  });
});
