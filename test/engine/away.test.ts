import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { readConfig } from '../../src/platform/config/config.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { startService } from '../../src/wiring.js';
import { startApi, type Api, type Reply } from '../support/api.js';
import { record } from '../support/listings.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

/** Repeats a request until the response has the expected status, for at most a minute. */
async function eventually(ask: () => Promise<Reply>, status: number): Promise<Reply> {
  for (let attempt = 0; ; attempt += 1) {
    const reply = await ask();
    if (reply.status === status || attempt === 600) return reply;
    await sleep(100);
  }
}

function assertUnavailable(reply: Reply): void {
  assert.equal(reply.status, 503);
  assert.deepEqual(reply.body, { detail: 'Service temporarily unavailable' });
  assert.match(reply.headers.get('retry-after') ?? '', /^\d+$/);
}

describe('while Elasticsearch is down', function () {
  let proxy: Proxy;
  let api: Api;
  let id: number;
  before(async () => {
    proxy = await startProxy(elasticsearchUrl);
    api = await startApi({ ELASTICSEARCH_URL: proxy.url }, [], readConfig);
    await api.load([record({ sku: 'a' })]);
    id = await api.id('a');
  });
  after(async () => {
    await proxy.set('up');
    await api.stop();
    await proxy.close();
  });

  for (const state of ['down', 'hung'] as const) {
    it(`(${state}) answers 503 in the documented form, and recovers by itself`, async () => {
      await proxy.set(state);
      const paths = [
        '/v1/search?q=a',
        '/v1/products',
        `/v1/products/${id}`,
        '/v1/products/trending',
        '/v1/categories',
        '/v1/deals',
        '/v1/products/export',
      ];
      for (const reply of await Promise.all(paths.map((path) => api.get(path)))) assertUnavailable(reply);
      assert.equal((await api.open('/livez')).status, 200);
      assert.equal(
        (await api.open('/readyz')).status,
        200,
        'all instances lack it: none is better than this one',
      );
      // A busy Redis may exceed the deadline of one probe.
      await until(async () => {
        const health = await api.open('/health');
        assert.equal(health.status, 503);
        assert.include(health.body, { status: 'unavailable' });
        assert.equal(health.body.checks.elasticsearch, 'unavailable');
        return health.body.checks.redis === 'ok';
      });
      // Requests that do not need Elasticsearch are served.
      assert.equal((await api.get('/v1')).status, 200);
      assert.equal((await api.get('/v1/search?limit=0')).status, 422);

      await proxy.set('up');
      for (const path of paths) assert.equal((await eventually(() => api.get(path), 200)).status, 200, path);
      assert.equal((await eventually(() => api.open('/readyz'), 200)).status, 200);
    });
  }

  it('answers 503 instead of 404 while the index is missing', async () => {
    const empty = await startApi();
    const paths = ['/v1/products/1', '/v1/search', '/v1/categories', '/v1/products/export'];
    // A service that has just started may create its first index again, but only once.
    const replies = await until(async () => {
      await empty.es.indices.delete({ index: `${empty.products}-v1`, ignore_unavailable: true });
      const asked = await Promise.all(paths.map((path) => empty.get(path)));
      return (await empty.es.indices.exists({ index: empty.products })) ? null : asked;
    });
    for (const reply of replies) assertUnavailable(reply);
    await empty.stop();
  });

  it('starts without Elasticsearch and Redis, and serves requests once both are available', async () => {
    const redisProxy = await startProxy(redisUrl);
    await proxy.set('down');
    await redisProxy.set('down');
    const config = readConfig({
      PORT: '0',
      LOG_LEVEL: 'silent',
      ELASTICSEARCH_URL: proxy.url,
      REDIS_URL: redisProxy.url,
      INDEX_PREFIX: `${indexPrefix}-late`,
    });
    const service = await startService(config, createLogger(config));
    const open = async (path: string): Promise<Reply> => {
      const response = await fetch(`${service.url}${path}`);
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    };
    assert.equal((await open('/livez')).status, 200);
    assert.equal((await open('/readyz')).status, 503);
    assertUnavailable(await open('/v1/search'));
    await proxy.set('up');
    await redisProxy.set('up');
    assert.equal((await eventually(() => open('/readyz'), 200)).status, 200);
    assert.equal((await eventually(() => open('/v1/search'), 401)).status, 401);
    await service.stop();
    await redisProxy.close();
  });
});
