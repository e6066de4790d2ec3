import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { connect } from 'node:net';
import { assert } from 'chai';
import { readPanels } from '../../tools/grafana.js';
import { startApi, type Api } from '../support/api.js';
import { metricsOf, panelsOf } from '../support/dashboard.js';
import { record } from '../support/listings.js';
import { until } from '../support/until.js';

describe('metrics', function () {
  let api: Api;
  before(async () => {
    api = await startApi({ METRICS_PORT: '0', METRICS_HOST: '127.0.0.0/8', EVENTS: 'on' });
    await api.load([record({ sku: 'a', name: 'Auralis headphones' })]);
  });
  after(() => api.stop());

  const scrape = async () => (await fetch(`${api.metricsUrl}/metrics`)).text();
  /** Returns the value of a metric by its name and labels; 0 if it does not exist. */
  const value = async (name: string, labels: Record<string, string> = {}): Promise<number> => {
    const lines = (await scrape())
      .split('\n')
      .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
    const found = lines.find((line) =>
      Object.entries(labels).every(([label, text]) => line.includes(`${label}="${text}"`)),
    );
    return Number(found?.split(' ').at(-1) ?? 0);
  };
  const count = 'catalog_http_request_duration_seconds_count';

  it('count requests by method, route and status, never by address', async () => {
    const { body } = await api.get('/v1/search');
    for (const path of [
      '/v1/search?q=a',
      `/v1/products/${body.items[0].id}`,
      '/v1/products/7',
      '/v1/products/8',
    ])
      await api.get(path);
    await api.open('/no/such/path');
    const route = '/v1/products/{product_id}';
    await until(async () => (await value(count, { route: 'unknown', status: '404' })) === 1);
    assert.equal(await value(count, { method: 'GET', route: '/v1/search', status: '200' }), 2);
    assert.equal(await value(count, { method: 'GET', route, status: '200' }), 1);
    assert.equal(await value(count, { method: 'GET', route, status: '404' }), 2);
    const text = await scrape();
    assert.notInclude(text, '/v1/products/7');
    assert.notInclude(text, '/no/such/path');
  });

  it('measure how long requests waited for Elasticsearch and for Redis', async () => {
    await api.get('/v1/categories');
    const labels = { route: '/v1/categories' };
    await until(async () => (await value(count, labels)) === 1);
    const total = await value('catalog_http_request_duration_seconds_sum', labels);
    const engine = await value('catalog_engine_duration_seconds_sum', labels);
    const redis = await value('catalog_redis_duration_seconds_sum', labels);
    assert.isAbove(engine, 0);
    assert.isAbove(redis, 0);
    assert.isAtMost(engine + redis, total);
    await api.get('/v1');
    await until(async () => (await value(count, { route: '/v1' })) === 1);
    assert.equal(await value('catalog_engine_duration_seconds_count', { route: '/v1' }), 0);
  });

  it('count refusals by reason', async () => {
    const reason = (name: string) => value('catalog_rejected_total', { reason: name });
    await api.open('/v1/search');
    await api.get('/v1/search?limit=0');
    await api.get('/v1/search', { method: 'PUT' });
    await api.post('/v1/products/compare', `"${'x'.repeat(200_000)}"`);
    const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
    socket.end('NONSENSE\r\n\r\n');
    await once(socket.resume(), 'close');
    for (const name of ['unauthorized', 'invalid', 'method_not_allowed', 'too_large', 'unreadable'])
      await until(async () => (await reason(name)) === 1);
    await api.get('/v1/products/12345');
    await until(
      async () => (await value(count, { route: '/v1/products/{product_id}', status: '404' })) === 3,
    );
    assert.equal(await reason('unknown_path'), 1, 'an unknown id is none');
  });

  it('count rate-limited requests by tier', async () => {
    const authorization = `Bearer ${await api.key('basic')}`;
    await Promise.all(Array.from({ length: 103 }, () => api.get('/v1', { headers: { authorization } })));
    await until(async () => (await value('catalog_rate_limited_total', { tier: 'basic' })) === 3);
  });

  it('include open requests, the event loop, the event queue and the build', async () => {
    await until(async () => (await value('catalog_events_queue_length')) === 0);
    const requests = [...(await scrape()).matchAll(new RegExp(`^${count}{.*} (\\d+)$`, 'gm'))];
    const total = requests.reduce((sum, [, number]) => sum + Number(number), 0);
    assert.equal(await value('catalog_events_written_total'), total, 'one document for each request');
    assert.equal(await value('catalog_events_dropped_total'), 0);
    assert.equal(await value('catalog_events_omitted_total'), 0);
    await Promise.all(Array.from({ length: 100 }, () => api.open('/no/such/path')));
    await until(async () => (await value('catalog_events_omitted_total')) > 30);
    assert.equal(await value('catalog_http_requests_in_flight', { route: '/v1/search' }), 0);
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    const build = { version, revision: 'unknown', environment: 'development' };
    assert.equal(await value('catalog_build_info', build), 1);
    const text = await scrape();
    for (const name of [
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
      'process_cpu_seconds_total',
    ])
      assert.match(text, new RegExp(`^${name} [\\d.e-]+$`, 'm'));
  });

  it('are each shown by a panel of the dashboard', async () => {
    const own = [...(await scrape()).matchAll(/^# TYPE (catalog_\w+) /gm)].map(([, name = '']) => name);
    assert.isAbove(own.length, 10);
    const queries = panelsOf(readPanels().service).flatMap((panel) => Object.values(panel.queries));
    const shown = new Set(queries.flatMap(metricsOf).map((name) => name.replace(/_(bucket|count|sum)$/, '')));
    assert.deepEqual(
      own.filter((name) => !shown.has(name)),
      [],
    );
  });

  it('are the only content of their server', async () => {
    const other = await fetch(`${api.metricsUrl}/v1/search`);
    assert.equal(other.status, 404);
    assert.deepEqual(await other.json(), { detail: 'Not Found' });
    const post = await fetch(`${api.metricsUrl}/metrics`, { method: 'POST' });
    assert.equal(post.status, 405);
    assert.equal(post.headers.get('allow'), 'GET, HEAD');
    assert.equal((await api.open('/metrics')).status, 404, 'not on the port of the API');
    const head = await fetch(`${api.metricsUrl}/metrics`, { method: 'HEAD' });
    assert.match(head.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
  });

  it('end with the service', async () => {
    const other = await startApi({ METRICS_PORT: '0' });
    const url = `${other.metricsUrl}/metrics`;
    const text = await (await fetch(url)).text();
    assert.notInclude(text, 'catalog_events', 'no events, no metrics of them');
    await other.stop();
    const error: unknown = await fetch(url).catch((reason: unknown) => reason);
    assert.instanceOf(error, Error);
  });
});
