import { createElasticsearch } from '../../src/engine/client.js';
import type { KeyRecord } from '../../src/platform/access/key.js';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { createLogger } from '../../src/telemetry/logger.js';
import { type Service, startService } from '../../src/wiring.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { connected } from '../platform/access/small-app.js';
import { patientConfig } from '../support/patience.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

/** The value of `traceparent` of a request whose spans are not sent. */
const NOT_SAMPLED = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00';

interface TracedService {
  service: Service;
  key: { record: KeyRecord; rawKey: string };
  /** Deletes the indices of the service. */
  removeIndices(): Promise<void>;
}

/**
 * Starts a service that sends its spans somewhere, with a key, and waits until it has answered a search.
 * @param exporter the environment variables of OpenTelemetry.
 */
export async function startTracedService(
  prefix: string,
  exporter: NodeJS.ProcessEnv,
): Promise<TracedService> {
  const config = patientConfig({
    PORT: '0',
    LOG_LEVEL: 'silent',
    EVENTS: 'off',
    INDEX_PREFIX: prefix,
    ELASTICSEARCH_URL: elasticsearchUrl,
    REDIS_URL: redisUrl,
    ...exporter,
  });
  const service = await startService(config, createLogger(config));
  await until(async () => (await fetch(`${service.url}/readyz`)).ok);
  const redis = createRedis(redisUrl);
  await connected(redis);
  const made = { developerId: 'd', name: 'n', tier: 'free', environment: 'test' } as const;
  const keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
  const key = await keys.create(made, new Date());
  redis.disconnect();
  // An Elasticsearch that has just started may be too slow for a first search.
  const headers = { authorization: `Bearer ${key.rawKey}`, traceparent: NOT_SAMPLED };
  await until(async () => (await fetch(`${service.url}/v1/search?q=first`, { headers })).ok);
  return {
    service,
    key,
    async removeIndices() {
      const es = createElasticsearch(config.elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
      await removeElasticsearchTraces(es, prefix);
      await es.close();
    },
  };
}
