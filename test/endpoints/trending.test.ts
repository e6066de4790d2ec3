import { assert } from 'chai';
import { main as followUp } from '../../scripts/follow-up.js';
import { eventStream } from '../../src/telemetry/events/streams.js';
import { useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { daysAgo, record, skus } from '../support/listings.js';
import { until } from '../support/until.js';
import { words } from '../support/words.js';
import { storedIndex } from '../../src/platform/stored.js';

describe('GET /v1/products/trending?basis=movement', function () {
  const api = useApi([], { EVENTS: 'on', TRUST_PROXY: '1' });
  let requests: string;
  before(async () => {
    requests = eventStream('requests', { indexPrefix: api.prefix, retentionDays: 30 }).name;
    const pan = { category: 'Pans', buy_url: 'https://shop.example/pan' };
    await api.load([
      record({ sku: 'old', ...pan, name: 'Copper pan', last_checked: daysAgo(90) }),
      record({ sku: 'older', ...pan, name: 'Iron pan', last_checked: daysAgo(100) }),
      record({ sku: 'new', ...pan, name: 'Glass lid', last_checked: daysAgo(1) }),
      record({ sku: 'newer', ...pan, name: 'Steel lid', last_checked: daysAgo(0) }),
      record({ sku: 'mid', ...pan, name: 'Wooden spoon', last_checked: daysAgo(50), category: 'Spoons' }),
    ]);
    // Listings that were loaded last, but first observed long ago.
    await api.load([
      record({ sku: 'older', ...pan, name: 'Iron pan', description: 'Heavy', last_checked: daysAgo(100) }),
    ]);
  });

  const click = async (sku: string, address: string) => {
    const path = `/track/${await api.id(sku)}`;
    const headers = { 'x-forwarded-for': address };
    assert.equal((await api.open(path, { headers, redirect: 'manual' })).status, 302);
  };
  const count = async (wanted: number) => {
    await until(async () => {
      await api.es.indices.refresh({ index: `${requests}*`, allow_no_indices: true });
      const asked = { index: requests, ignore_unavailable: true, q: 'catalog.visitor:* OR catalog.query:*' };
      return (await api.es.count(asked)).count >= wanted;
    });
    return outputOf(followUp, api.prefix);
  };
  const movement = async (rest = '') =>
    (await api.get(`/v1/products/trending?basis=movement${rest}`)).body as Record<string, unknown> & {
      items: { sku: string }[];
    };

  it('returns the newest listings if none is trending, not those that were loaded last', async () => {
    const body = await movement('&category=pans');
    assert.deepEqual(Object.keys(body), words('category total limit basis moving measured_at items'));
    assert.include(body, { total: 4, basis: 'new', moving: 0, measured_at: null });
    assert.deepEqual(skus(body), ['newer', 'new', 'old', 'older']);
    const plain = (await api.get('/v1/products/trending')).body;
    assert.hasAllKeys(plain, ['category', 'total', 'limit', 'items']);
    assert.equal(skus(plain)[0], 'older', 'without it: what changed last');
    assert.equal((await api.get('/v1/products/trending?basis=updated')).body.basis, 'updated');
    assert.equal((await api.get('/v1/products/trending?basis=clicks')).status, 422);
  });

  it('returns the listings that most people clicked or searched for, then the newest', async () => {
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3', '198.51.100.4'])
      await click('older', address);
    // Clicks of one person count once, however many there are; then two other persons click.
    for (let times = 0; times < 12; times += 1) await click('mid', '198.51.100.9');
    for (const address of ['198.51.100.1', '198.51.100.2']) await click('new', address);
    for (let times = 0; times < 3; times += 1) {
      const authorization = `Bearer ${await api.key('premium', `developer ${times}`)}`;
      await api.get('/v1/search?q=copper+pan', { headers: { authorization } });
    }
    for (let times = 0; times < 5; times += 1) await api.get('/v1/search?q=spoon');
    assert.match(await count(26), /trends: 2 listings with movement/);
    const body = await movement();
    // `older` has the movement of four visitors, `old` that of three developers; the others follow, newest
    // first.
    assert.deepEqual(skus(body), ['older', 'old', 'newer', 'new', 'mid']);
    assert.include(body, { basis: 'movement', moving: 2, total: 5, category: null });
    assert.approximately(Date.parse(String(body['measured_at'])), Date.now(), 60_000);
    const first = await movement('&limit=1');
    assert.include(first, { moving: 1, total: 5 });
    assert.deepEqual(skus(first), ['older']);
    const spoons = await movement('&category=spoons');
    assert.include(spoons, { basis: 'new', moving: 0, total: 1 });
    const kept = await api.es.get({ index: storedIndex(api.prefix, 'trends'), id: 'week' });
    assert.notInclude(JSON.stringify(kept._source), 'copper', 'no text that somebody searched for');
  });

  it('distinguishes visitors without storing their addresses', async () => {
    const { hits } = await api.es.search<{ catalog: { visitor: string } }>({
      index: requests,
      size: 50,
      query: { exists: { field: 'catalog.visitor' } },
    });
    const visitors = hits.hits.map(({ _source }) => _source?.catalog.visitor ?? '');
    assert.lengthOf(new Set(visitors), 5);
    for (const visitor of visitors) assert.match(visitor, /^[0-9a-f]{6}$/);
    assert.notInclude(JSON.stringify(hits.hits), '198.51.100');
  });

  it('ignores outdated trends', async () => {
    await api.es.update({
      index: storedIndex(api.prefix, 'trends'),
      id: 'week',
      doc: { measured_at: daysAgo(3) },
      refresh: true,
    });
    assert.include(await movement(), { basis: 'new', moving: 0, measured_at: null });
  });
});
