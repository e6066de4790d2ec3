import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { readConfig } from '../../src/platform/config/config.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { createHealth, type Health } from '../../src/telemetry/health.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { connectEngine } from '../support/engine.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

describe('health', function () {
  const prefix = `${indexPrefix}-health`;
  let proxies: { elasticsearch: Proxy; redis: Proxy };
  /** Has the short deadlines of the service, within which a busy Elasticsearch may create no index. */
  let es: Client;
  const direct = connectEngine();
  let redis: Redis;
  const probers: Health[] = [];
  /** Creates a health check. `patience` states for how long Elasticsearch and Redis may be unavailable. */
  const prober = (patience: { elasticsearch: number; redis: number }) => {
    const health = createHealth({
      es,
      redis: new RedisBreaker(redis),
      now: () => new Date(),
      productsAlias: productsAlias(prefix),
      patience,
    });
    probers.push(health);
    return health;
  };

  before(async () => {
    proxies = { elasticsearch: await startProxy(elasticsearchUrl), redis: await startProxy(redisUrl) };
    const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: proxies.elasticsearch.url });
    es = createElasticsearch(elasticsearch);
    redis = createRedis(proxies.redis.url);
    redis.on('error', () => undefined);
    await until(() => redis.status === 'ready');
    await ensureCatalogue(direct, prefix);
  });
  after(async () => {
    for (const { stop } of probers) stop();
    redis.disconnect();
    await removeElasticsearchTraces(direct, prefix);
    await Promise.all([es.close(), direct.close(), ...Object.values(proxies).map((proxy) => proxy.close())]);
  });

  for (const dependency of ['elasticsearch', 'redis'] as const) {
    const other = dependency === 'redis' ? 'elasticsearch' : 'redis';

    it(`sees by itself that ${dependency} is away, and bears that as long as it may`, async () => {
      const patient = prober({ elasticsearch: Infinity, redis: Infinity });
      const strict = prober({ elasticsearch: Infinity, redis: Infinity, [dependency]: 2_500 });
      await until(() => patient.ready && strict.ready);
      await proxies[dependency].set('down');
      // On a busy machine, the other dependency may exceed the deadline of one probe.
      await until(() => patient.last[dependency] === 'unavailable' && patient.last[other] === 'ok');
      await until(() => !strict.ready);
      assert.isTrue(patient.ready);
      await proxies[dependency].set('up');
      await until(() => patient.last[dependency] === 'ok');
    });
  }

  it('is not ready before all dependencies were checked, nor while the process stops', async () => {
    await proxies.elasticsearch.set('down');
    const health = prober({ elasticsearch: Infinity, redis: Infinity });
    await health.check();
    assert.isFalse(health.ready);
    await proxies.elasticsearch.set('up');
    await until(() => health.ready);
    health.shuttingDown = true;
    assert.isFalse(health.ready);
  });
});
