import { assert } from 'chai';
import { startApi, useApi } from '../support/api.js';
import { begunRun } from '../../src/sources/runs.js';
import { sourceOperation, type SourceState } from '../../src/sources/source-states.js';
import { moveToSchema } from '../support/earlier-schema.js';
import { pluck, record, skus } from '../support/listings.js';
import { storedIndex } from '../../src/platform/stored.js';

const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

describe('GET /v1/sources and /v1/brands', () => {
  const api = useApi([
    record({ sku: 'a', source: 'shop_b', brand: 'Sony', last_checked: ago(1) }),
    record({ sku: 'b', source: 'shop_b', brand: 'SONY', last_checked: ago(25) }),
    record({ sku: 'c', source: 'shop_b', brand: ' Sony ', last_checked: ago(24 * 8) }),
    record({ sku: 'd', source: 'shop_b', brand: 'Sonos' }),
    record({ sku: 'e', source: 'shop_a', brand: 'Éclair*', last_checked: ago(24 * 30) }),
    record({ sku: 'f', source: 'Shop_C', brand: null }),
    record({ sku: 'g', source: 'shop_a', brand: 'Bose' }),
  ]);

  it('lists every source with its freshness, sorted by the number of listings', async () => {
    const body = await api.ok('/v1/sources');
    const times = body.sources.map(({ last_load_at: at }: { last_load_at: string }) => Date.parse(at));
    for (const at of times) assert.approximately(at, Date.now(), 600_000, 'the load of this test');
    assert.deepEqual(
      body.sources.map(({ last_load_at: _, ...rest }: Record<string, unknown>) => rest),
      [
        { code: 'shop_b', listings: 4, freshness: { day: 2, week: 1, month: 1, older: 0, never: 0 } },
        { code: 'shop_a', listings: 2, freshness: { day: 1, week: 0, month: 0, older: 1, never: 0 } },
        { code: 'Shop_C', listings: 1, freshness: { day: 1, week: 0, month: 0, older: 0, never: 0 } },
      ],
    );
    assert.equal(body.total, 3);
  });

  it('adds schedules and last runs, and sources whose first run was refused', async () => {
    const now = new Date();
    const begun = begunRun(now, { name: 'b', files: ['feed.csv'], map: null });
    const counts = { ...begun.counts, records: 4, rejected: 1 };
    const states: Partial<SourceState>[] = [
      {
        file: 'b',
        source: 'shop_b',
        schedule: { cron: '15 6 * * *', timezone: 'Europe/Berlin' },
        next_run_at: '2030-01-01T05:15:00Z',
        expected_freshness_s: 3_600,
        fresh_at: ago(2),
        last_run: { ...begun, outcome: 'loaded', counts },
      },
      {
        file: 'new',
        source: 'shop_new',
        last_run: {
          ...begun,
          outcome: 'refused',
          rule: 'allow_empty',
          reason: 'The feed contains no record.',
        },
      },
    ];
    for (const state of states)
      await api.es.index({
        index: storedIndex(api.prefix, 'sources'),
        document: { ...sourceOperation(state.file ?? '').initial, ...state },
        refresh: true,
      });
    const { sources, total } = await api.ok('/v1/sources?include=schedule');
    assert.strictEqual(total, 4);
    // A source that was refused comes first, then a stale one, then the others by their listings.
    const [added, b, a] = sources as Record<string, unknown>[];
    assert.deepInclude(b, {
      code: 'shop_b',
      schedule: { cron: '15 6 * * *', timezone: 'Europe/Berlin' },
      last_run: { at: begun.started_at, outcome: 'loaded', records: 4, rejected: 1, reason: null },
      next_run_at: '2030-01-01T05:15:00Z',
      expected_freshness_s: 3_600,
      stale: true,
    });
    const none = {
      schedule: null,
      last_run: null,
      next_run_at: null,
      expected_freshness_s: null,
      stale: null,
    };
    assert.deepInclude(a, { code: 'shop_a', ...none });
    assert.deepInclude(added, { code: 'shop_new', listings: 0, last_load_at: null, schedule: null });
    assert.deepInclude(added?.['last_run'], { outcome: 'refused', reason: 'The feed contains no record.' });
    const { sources: bare } = await api.ok('/v1/sources');
    assert.deepEqual(
      bare.map(({ code }: { code: string }) => code),
      ['shop_b', 'shop_a', 'Shop_C'],
    );
    assert.notProperty(bare[0], 'schedule');
    assert.include([400, 422], (await api.get('/v1/sources?include=x')).status);
  });

  const brands = async (query: string) =>
    (await api.ok(`/v1/brands?${query}`)) as {
      total: number;
      limit: number;
      offset: number;
      has_more: boolean;
      items: { brand: string; listings: number }[];
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
    assert.deepEqual(pluck((await brands('q=SO')).items, 'brand'), ['Sony', 'Sonos']);
    assert.deepEqual(pluck((await brands('q=%C3%89cl')).items, 'brand'), ['Éclair*']);
    for (const q of ['*', 'ony', 's.*y', 'x']) assert.deepEqual((await brands(`q=${q}`)).items, [], q);
    assert.deepEqual((await brands('offset=4')).items, []);
    assert.equal((await api.get('/v1/brands?offset=9990')).status, 400);
    assert.equal((await api.get('/v1/brands?limit=101')).status, 422);
  });
});

describe('filters and counts in an index with an earlier schema', () => {
  it('answer 503 with instructions, while other requests are served', async () => {
    const api = await startApi();
    await moveToSchema(api, 3);
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
