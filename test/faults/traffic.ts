import { once } from 'node:events';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { redisUrl } from '../support/services.js';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { readFeed } from '../../src/feeds/read/feed.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { record } from '../support/listings.js';

/**
 * The time limit of a request in ms. It is far longer than the service ever takes, so that a hanging request
 * fails the test.
 */
const GIVEN_UP_MS = 20_000;

/** The results of the readers up to now. */
export interface Reads {
  count: number;
  /** The request and the response of each request whose status was not 200. */
  failures: string[];
  slowestMs: number;
  /** Stops the readers after their current requests. */
  stop(): Promise<void>;
}

/** Starts readers that each send one request after another, and use the instances, paths and keys in turn. */
export function keepReading(options: {
  readers: number;
  urls: readonly string[];
  paths: readonly string[];
  keys: readonly string[];
}): Reads {
  const { readers, urls, paths, keys } = options;
  let running = true;
  let turn = 0;
  const reads: Reads = {
    count: 0,
    failures: [],
    slowestMs: 0,
    async stop() {
      running = false;
      await Promise.all(loops);
    },
  };
  const read = async (path: string, url: string, key: string) => {
    const started = performance.now();
    const outcome = await fetch(`${url}${path}`, {
      headers: { authorization: `Bearer ${key}` },
      signal: AbortSignal.timeout(GIVEN_UP_MS),
    })
      .then(async (response) => {
        // The whole body is read, because an incomplete response counts as a failure.
        const body = await response.text();
        return response.ok ? '200' : `${response.status} ${body}`;
      })
      .catch(String);
    const ms = performance.now() - started;
    reads.count += 1;
    reads.slowestMs = Math.max(reads.slowestMs, ms);
    if (outcome !== '200') reads.failures.push(`${path}: ${outcome} after ${Math.round(ms)} ms`);
  };
  const loops = Array.from({ length: readers }, async () => {
    while (running) {
      turn += 1;
      const of = (list: readonly string[]) => list[turn % list.length] ?? '';
      await read(of(paths), of(urls), of(keys));
      await sleep(5);
    }
  });
  return reads;
}

/** The writes that were acknowledged to a writer. */
export interface Writes {
  /** The price of each listing by SKU, as stated by the last acknowledged load. */
  acknowledged: Map<string, string>;
  /** The number of acknowledged loads. @throws the error with which the writer has ended, if any. */
  readonly loads: number;
  /** Stops the writer after its current load. @throws the error of a failed load. */
  stop(): Promise<void>;
}

const SKUS = 40;

/**
 * Starts a writer that loads feeds one after another as `npm run ingest` does. Each has new prices for the
 * same listings, and a new listing.
 */
export function keepWriting(options: { nodes: string[]; prefix: string; source: string }): Writes {
  const { nodes, prefix, source } = options;
  const es = createElasticsearch(
    { nodes, auth: null, caFile: null },
    { requestTimeout: 10_000, maxRetries: 4 },
  );
  let running = true;
  let loads = 0;
  let failure: { error: unknown } | null = null;
  const load = async () => {
    const round = loads + 1;
    const price = `${round}.00`;
    const skus = [...Array.from({ length: SKUS }, (_, i) => `w${i}`), `new${round}`];
    const lines = skus.map((sku) => `${JSON.stringify(record({ sku, source, price }))}\n`);
    await loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
    for (const sku of skus) writes.acknowledged.set(sku, price);
    loads = round;
  };
  const writes: Writes = {
    acknowledged: new Map(),
    get loads() {
      if (failure !== null) throw failure.error;
      return loads;
    },
    async stop() {
      running = false;
      await loop;
      await es.close();
      if (failure !== null) throw failure.error;
    },
  };
  const loop = (async () => {
    while (running) await load();
  })().catch((error: unknown) => {
    failure = { error };
  });
  return writes;
}

/** Creates premium keys directly in Redis, because requests for keys are limited by address. */
export async function issueKeys(prefix: string, count: number): Promise<string[]> {
  const redis = createRedis(redisUrl);
  redis.on('error', () => undefined);
  await once(redis, 'ready');
  const store = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
  const key = { developerId: 'faults', name: 'faults', tier: 'premium', environment: 'test' } as const;
  const made = await Promise.all(Array.from({ length: count }, () => store.create(key, new Date())));
  redis.disconnect();
  return made.map(({ rawKey }) => rawKey);
}
