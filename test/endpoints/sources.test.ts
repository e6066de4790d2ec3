import { assert } from 'chai';
import { productsIndex } from '../../src/engine/indices.js';
import { startApi, type Api } from '../support/api.js';
import { mappingsOf } from '../support/earlier-schema.js';
import { record, skus } from '../support/listings.js';

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

describe('GET /v1/sources and /v1/brands', () => {
  let api: Api;
  before(async () => {
    api = await startApi();
    await api.load([
      record({ sku: 'a', source: 'shop_b', brand: 'Sony', last_checked: ago(1) }),
      record({ sku: 'b', source: 'shop_b', brand: 'SONY', last_checked: ago(25) }),
      record({ sku: 'c', source: 'shop_b', brand: ' Sony ', last_checked: ago(24 * 8) }),
      record({ sku: 'd', source: 'shop_b', brand: 'Sonos' }),
      record({ sku: 'e', source: 'shop_a', brand: 'Éclair*', last_checked: ago(24 * 30) }),
      record({ sku: 'f', source: 'Shop_C', brand: null }),
      record({ sku: 'g', source: 'shop_a', brand: 'Bose' }),
    ]);
  });
  after(() => api.stop());

  it('lists every source with its freshness, sorted by the number of listings', async () => {
    const { status, body } = await api.get('/v1/sources');
    assert.equal(status, 200);
    const times = body.sources.map(({ last_load_at: at }: { last_load_at: string }) => Date.parse(at));
    for (const at of times) assert.approximately(at, Date.now(), 600_000, 'the load of this test');
    assert.deepEqual(
      body.sources.map(({ last_load_at: _, ...rest }: Record<string, unknown>) => rest),
      [
        { code: 'shop_b', listings: 4, freshness: { day: 1, week: 1, month: 1, older: 0, never: 1 } },
        { code: 'shop_a', listings: 2, freshness: { day: 0, week: 0, month: 0, older: 1, never: 1 } },
        { code: 'Shop_C', listings: 1, freshness: { day: 0, week: 0, month: 0, older: 0, never: 1 } },
      ],
    );
    assert.equal(body.total, 3);
  });

  const brands = async (query: string) => {
    const { status, body, text } = await api.get(`/v1/brands?${query}`);
    assert.equal(status, 200, text);
    return body as {
      total: number;
      limit: number;
      offset: number;
      has_more: boolean;
      items: { brand: string; listings: number }[];
    };
  };

  it('lists brands in pages, optionally by prefix', async () => {
    assert.deepEqual(await brands(''), {
      total: 4,
      limit: 20,
      offset: 0,
      has_more: false,
      items: [
        { brand: 'Sony', listings: 3 },
        { brand: 'Bose', listings: 1 },
        { brand: 'Éclair*', listings: 1 },
        { brand: 'Sonos', listings: 1 },
      ],
    });
    const page = await brands('limit=1&offset=1');
    assert.deepEqual(page, {
      total: 4,
      limit: 1,
      offset: 1,
      has_more: true,
      items: [{ brand: 'Bose', listings: 1 }],
    });
    assert.deepEqual(
      (await brands('q=SO')).items.map(({ brand }) => brand),
      ['Sony', 'Sonos'],
    );
    assert.deepEqual(
      (await brands('q=%C3%89cl')).items.map(({ brand }) => brand),
      ['Éclair*'],
    );
    for (const q of ['*', 'ony', 's.*', 'x']) assert.deepEqual((await brands(`q=${q}`)).items, [], q);
    assert.deepEqual((await brands('offset=4')).items, []);
    assert.equal((await api.get('/v1/brands?offset=9990')).status, 400);
    assert.equal((await api.get('/v1/brands?limit=101')).status, 422);
  });
});

describe('filters and counts in an index with an earlier schema', () => {
  it('answer 503 with instructions, while other requests are served', async () => {
    const api = await startApi();
    const index = `${api.products}-v9`;
    await api.es.indices.create({ index, settings: productsIndex.settings, mappings: mappingsOf(3) });
    await api.es.indices.updateAliases({
      actions: [
        { remove: { index: `${api.products}-v1`, alias: api.products } },
        { add: { index, alias: api.products } },
      ],
    });
    await api.load([record({ sku: 'old', brand: 'Sony', category: 'TVs', category_path: ['Video', 'TVs'] })]);
    for (const query of [
      'source=SHOP_A',
      'currency=sgd&has_image=false',
      'category=tv',
      'sort=newest',
      'sort=price_asc',
    ])
      assert.deepEqual(
        skus((await api.get(`/v1/search?${query}&facets=category,source`)).body),
        ['old'],
        query,
      );
    const today = ['brand=sony', 'attr.colour=red', 'min_rating=1', 'category_path=Video'];
    const paths = [
      ...today.flatMap((query) =>
        ['search', 'products', 'products/export', 'products/trending', 'deals'].map(
          (path) => `${path}?${query}`,
        ),
      ),
      ...[
        'sort=rating',
        'facets=brand',
        'facets=price',
        'facets=rating',
        'facets=attributes',
        'facets=attr.x',
      ].map((query) => `search?${query}`),
      'brands',
    ];
    for (const path of paths) {
      const { status, body } = await api.get(`/v1/${path}`);
      assert.equal(status, 503, path);
      assert.include(body.detail, 'npm run reindex', path);
    }
    await api.stop();
  });
});
