import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { assert } from 'chai';
import { createElasticsearch } from '../../../src/engine/client.js';
import { readConfig } from '../../../src/platform/config/config.js';
import { traceOf } from '../../../src/telemetry/trace-context.js';
import { startApi, type Api } from '../../support/api.js';
import { record } from '../../support/listings.js';
import { startProxy, type Proxy } from '../../support/proxy.js';
import { elasticsearchUrl } from '../../support/services.js';
import { until } from '../../support/until.js';

describe('request events', function () {
  const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
  const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
  let proxy: Proxy;
  let api: Api;
  let id: number;
  before(async () => {
    proxy = await startProxy(elasticsearchUrl);
    api = await startApi({ EVENTS: 'on', ELASTICSEARCH_URL: proxy.url });
    await api.load([
      record({ sku: 'a', name: 'Auralis headphones', buy_url: 'https://shop.example/a' }),
      record({ sku: 'big', name: 'Lamp', description: 'long '.repeat(9_000) }),
    ]);
    id = await api.id('a');
  });
  after(async () => {
    await proxy.set('up');
    await api.stop();
    await proxy.close();
    await es.close();
  });

  const read = async () => {
    const index = `${api.prefix}-requests*`;
    await es.indices.refresh({ index });
    const search = { index, size: 1_000, sort: [{ '@timestamp': 'asc' }] };
    // Elasticsearch responds with 503 if the first event has just created the index and its shard is not
    // available yet.
    const { hits } = await es.search<any>(search, { ignore: [503] });
    return hits?.hits.map(({ _source }) => _source) ?? [];
  };
  /** Waits for the event of the request with this id, and returns it. */
  const eventOf = (requestId: string) =>
    until(async () => (await read()).find((event) => event.http.request.id === requestId));
  const ask = async (path: string, requestId: string, init: RequestInit = {}) => {
    const headers = { 'x-request-id': requestId, 'user-agent': 'tests/1.0', ...init.headers };
    const reply = await api.get(path, { redirect: 'manual', ...init, headers });
    return { reply, event: await eventOf(requestId) };
  };

  it('record the client, the query, the number of results and the duration of a search', async () => {
    const { reply, event } = await ask('/v1/search?q=headphones', 'search-1');
    assert.equal(reply.status, 200);
    assert.deepInclude(event.event, {
      kind: 'event',
      category: ['web'],
      dataset: 'catalog.requests',
      action: 'request',
      outcome: 'success',
    });
    assert.equal(event.service.name, 'product-catalogue');
    assert.deepEqual(event.http.request, { id: 'search-1', method: 'GET' });
    assert.deepEqual(event.http.response, { status_code: 200, body: { bytes: reply.text.length } });
    assert.equal(event.url.path, '/v1/search');
    assert.equal(event.user_agent.original, 'tests/1.0');
    const { engine, redis, key, ...catalog } = event.catalog;
    assert.deepEqual(catalog, {
      route: '/v1/search',
      endpoint: 'search',
      query: 'headphones',
      results: 1,
      zero_results: false,
      rate_limited: false,
      aborted: false,
    });
    assert.equal(key.tier, 'premium');
    assert.match(key.id, /^[\da-f-]{36}$/);
    assert.match(key.developer, /^[\w-]{16}$/, 'tells developers apart and does not name them');
    for (const wait of [engine.duration, redis.duration]) {
      assert.isAbove(wait, 0);
      assert.isBelow(wait, event.event.duration);
    }
  });

  it('flag searches without results, including those answered with 404', async () => {
    const { event } = await ask('/v1/search?q=zzzzzzzz', 'zero-1');
    assert.deepInclude(event.catalog, { query: 'zzzzzzzz', results: 0, zero_results: true });
    const { event: best, reply } = await ask('/v1/products/best-price?q=zzzzzzzz', 'zero-2');
    assert.equal(reply.status, 404);
    assert.deepInclude(best.catalog, { query: 'zzzzzzzz', results: 0, zero_results: true });
  });

  it('name a route by its pattern, and any other path unknown', async () => {
    const cases: [string, string, RequestInit?][] = [
      [`/v1/products/${id}`, '/v1/products/{product_id}'],
      ['/v1/products/0', '/v1/products/{product_id}'],
      ['/v1/search', '/v1/search', { method: 'PUT' }],
      ['/nowhere/at/all', 'unknown'],
      ['/docs', '/docs'],
    ];
    for (const [i, [path, route, init]] of cases.entries()) {
      const { event } = await ask(path, `route-${i}`, init);
      assert.equal(event.catalog.route, route, path);
    }
  });

  it('record the listing and the source of a click', async () => {
    const { reply, event } = await ask(`/track/${id}`, 'click-1');
    assert.equal(reply.status, 302);
    assert.equal(event.event.action, 'click');
    assert.deepEqual(event.catalog.product, { id, source: 'shop_a' });
    const { event: miss } = await ask('/track/7', 'click-2');
    assert.equal(miss.event.action, 'request');
    const { reply: looked, event: look } = await ask(`/track/${id}`, 'click-3', { method: 'HEAD' });
    assert.equal(looked.headers.get('location'), reply.headers.get('location'));
    assert.equal(look.event.action, 'request', 'a look at the link is no click');
  });

  it('record refusals, and clients that exceed their rate limit', async () => {
    const { event } = await ask('/v1/search', 'refused-1', { headers: { authorization: '' } });
    assert.equal(event.http.response.status_code, 401);
    assert.notProperty(event.catalog, 'key');
    assert.equal(event.catalog.engine.duration, 0);
    const authorization = `Bearer ${await api.key('free')}`;
    await Promise.all(Array.from({ length: 100 }, () => api.get('/v1', { headers: { authorization } })));
    const { event: limited } = await ask('/v1', 'limited-1', { headers: { authorization } });
    assert.equal(limited.http.response.status_code, 429);
    assert.isTrue(limited.catalog.rate_limited);
    assert.equal(limited.catalog.key.tier, 'free');
  });

  it('record clients that disconnect', async () => {
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    await once(socket, 'connect');
    await proxy.set('hung');
    const before = proxy.requests.length;
    const key = await api.key();
    socket.write(
      `GET /v1/search HTTP/1.1\r\nHost: a\r\nX-Request-Id: gone-1\r\nAuthorization: Bearer ${key}\r\n\r\n`,
    );
    // The proxy has received a request for the search, and does not forward it.
    await until(() => proxy.requests.slice(before).some((line) => !line.endsWith('/_bulk')));
    socket.destroy();
    await proxy.set('up');
    assert.isTrue((await eventOf('gone-1')).catalog.aborted);
  });

  it('wait while Elasticsearch is unavailable, and are then written once each', async () => {
    await proxy.set('hung');
    const before = proxy.requests.length;
    const ids = Array.from({ length: 20 }, (_, i) => `away-${i}`);
    await Promise.all(ids.map((each) => api.open('/', { headers: { 'x-request-id': each } })));
    // The proxy has received a batch of events, which is then lost.
    await until(() => proxy.requests.slice(before).some((line) => line.endsWith('/_bulk')));
    await proxy.set('down');
    assert.equal((await api.get('/v1')).status, 200, 'requests go on');
    await proxy.set('up');
    await Promise.all(ids.map(eventOf));
    const written = (await read()).map((event) => event.http.request.id);
    for (const each of ids)
      assert.lengthOf(
        written.filter((other) => other === each),
        1,
        each,
      );
  });

  it('name the trace that a request belongs to', async () => {
    const id = '4bf92f3577b34da6a3ce929d0e0e4736';
    const { event } = await ask('/v1', 'trace-1', {
      headers: { traceparent: `00-${id}-00f067aa0ba902b7-01` },
    });
    assert.equal(event.trace.id, id);
    for (const [i, none] of [`00-${'0'.repeat(32)}-00f067aa0ba902b7-01`, `00-${id}`, id].entries()) {
      const requestId = `no-trace-${i}`;
      const other = await ask('/v1', requestId, { headers: { traceparent: none } });
      assert.equal(other.event.trace.id, traceOf(undefined, requestId, 0).traceId);
    }
  });

  it('exclude probes, which are sent every second', async () => {
    for (const path of ['/livez', '/readyz', '/health'])
      await api.open(path, { headers: { 'x-request-id': 'probe-1' } });
    await api.open('/', { headers: { 'x-request-id': 'no-probe-1' } });
    await eventOf('no-probe-1');
    assert.notInclude(
      (await read()).map((event) => event.http.request.id),
      'probe-1',
    );
  });

  it('of unauthenticated requests are limited in number and size, and state how many were dropped', async () => {
    const paths = Array.from({ length: 400 }, () => `/${randomBytes(2_000).toString('hex')}`);
    const agent = { 'user-agent': 'x'.repeat(4_000) };
    for (let i = 0; i < paths.length; i += 20)
      await Promise.all(paths.slice(i, i + 20).map((path) => api.open(path, { headers: agent })));
    await until(async () => {
      await api.open('/the/last');
      return (await read()).some((event) => event.url.path === '/the/last');
    });
    const events = (await read()).filter(({ catalog }) => catalog.route === 'unknown');
    const omitted = events.reduce((sum, { catalog }) => sum + (catalog.omitted ?? 0), 0);
    const [first, last] = [events[0], events.at(-1)].map((event) => Date.parse(event['@timestamp']));
    // The limit allows sixty events at once, and then one per second.
    assert.isAtMost(events.length, 61 + ((last ?? 0) - (first ?? 0)) / 1_000);
    assert.isAtLeast(omitted, 100);
    assert.isAtLeast(events.length + omitted, 401);
    for (const event of events) assert.isAtMost(JSON.stringify(event).length, 3_000);
  });

  it('add no Elasticsearch request that a client waits for', async () => {
    proxy.requests.length = 0;
    for (let i = 0; i < 5; i += 1) await api.get('/v1');
    await eventOf((await api.get('/v1')).headers.get('x-request-id') ?? '');
    assert.deepEqual([...new Set(proxy.requests)], ['POST /_bulk']);
  });
});
