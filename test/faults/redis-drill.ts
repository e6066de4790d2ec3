import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { freePort } from '../../tools/local-services/index.js';
import { type ApiProcess, startApiProcess } from './api-process.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';

const ADMIN_SECRET = 'the secret of this drill';

/** The time in ms within which Redis heals. It is long, because on a busy machine Sentinels may have to vote twice. */
const GIVEN_UP_AFTER_MS = 120_000;

/** An instance of the service whose Redis fails, and the requests that tests send to it. */
export interface Instance extends ApiProcess {
  /** Returns the status of a request with this key. */
  statusOf(key: string): Promise<number>;
  /** `POST /v1/keys`. */
  createKey(): Promise<{ status: number; retryAfter: string | null; body: Record<string, string> }>;
  /** Returns the value of a metric by its full name with labels; null if it does not exist. */
  metric(series: string): Promise<number | null>;
}

/** Each test has an index prefix of its own, so that its keys and rate limits do not affect other tests. */
export const drillPrefix = (): string => `${indexPrefix}-drill-${randomUUID().slice(0, 8)}`;

/**
 * Starts an instance of the service.
 * @param env its environment variables besides those of Elasticsearch: `REDIS_URL` and `INDEX_PREFIX`.
 */
export async function startInstance(
  env: NodeJS.ProcessEnv,
  options?: { untilReady: boolean },
): Promise<Instance> {
  const metricsPort = await freePort();
  const api = await startApiProcess(
    { ELASTICSEARCH_URL: elasticsearchUrl, ADMIN_SECRET, METRICS_PORT: String(metricsPort), ...env },
    options,
  );
  return Object.defineProperties(
    {
      async statusOf(key: string) {
        const response = await fetch(`${api.url}/v1`, { headers: { authorization: `Bearer ${key}` } });
        await response.arrayBuffer();
        return response.status;
      },
      async createKey() {
        const response = await fetch(`${api.url}/v1/keys`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({
            developer_id: 'drill',
            name: 'drill',
            tier: 'premium',
            admin_secret: ADMIN_SECRET,
          }),
        });
        const body = (await response.json()) as Record<string, string>;
        return { status: response.status, retryAfter: response.headers.get('retry-after'), body };
      },
      async metric(series: string) {
        const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
        const line = text.split('\n').find((each) => each.startsWith(`${series} `));
        return line === undefined ? null : Number(line.slice(series.length + 1));
      },
    },
    Object.getOwnPropertyDescriptors(api),
  ) as Instance;
}

/** Opens a connection of the test to Redis. */
export async function connect(url: string): Promise<Redis> {
  const redis = createRedis(url);
  redis.on('error', () => undefined);
  await once(redis, 'ready');
  return redis;
}

/** Creates keys directly in Redis, so that no instance knows them. */
export async function issueKeys(redis: Redis, prefix: string, count: number): Promise<string[]> {
  const keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
  const wanted = { developerId: 'drill', name: 'drill', tier: 'premium', environment: 'test' } as const;
  const made = await Promise.all(Array.from({ length: count }, () => keys.create(wanted, new Date())));
  return made.map(({ rawKey }) => rawKey);
}

/**
 * Requests the creation of a key until it succeeds. Until then, each response must be a 503 with
 * `Retry-After`, and a key that the instance knows must be served.
 * @returns the key, and the texts of the refusals.
 */
export async function createOnceItHeals(
  instance: Instance,
  seen: string,
): Promise<{ key: string; refusals: Set<string> }> {
  const refusals = new Set<string>();
  const givenUp = performance.now() + GIVEN_UP_AFTER_MS;
  for (;;) {
    const { status, retryAfter, body } = await instance.createKey();
    assert.equal(await instance.statusOf(seen), 200, 'a key that was seen is served');
    if (status === 201) return { key: body['raw_key'] ?? '', refusals };
    assert.equal(status, 503, JSON.stringify(body));
    assert.isNotNull(retryAfter);
    refusals.add(body['detail'] ?? '');
    if (performance.now() > givenUp) assert.fail(`no key is made: ${[...refusals].join('; ')}`);
    await sleep(200);
  }
}

/** Returns how many lines of the instance's warnings contain a text. */
export const warnings = ({ warnings: log }: Instance, text: string): number =>
  log.split('\n').filter((line) => line.includes(text)).length;
