import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { freePort, type LocalEngine, startLocalRedis } from '../../tools/local-services/index.js';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import type { Tier } from '../../src/platform/access/tiers.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { type ApiProcess, startApiProcess } from './api-process.js';

const HOUR_MS = 3_600_000;

/** A script that is loaded into a process to set its clock one hour ahead. */
const FAST_CLOCK = `
const Real = Date;
globalThis.Date = class extends Real {
  constructor(...args) { args.length === 0 ? super(Real.now() + ${HOUR_MS}) : super(...args); }
  static now() { return Real.now() + ${HOUR_MS}; }
};`;

describe('two instances over one Redis', function () {
  const prefix = `${indexPrefix}-redis-away`;
  let dir: string;
  let port: number;
  let engine: LocalEngine;
  let redis: Redis;
  let keys: KeyStore;
  let api: ApiProcess;
  let fast: ApiProcess;

  const startRedis = async () => {
    engine = await startLocalRedis({ log: () => undefined, dataDir: join(dir, 'redis'), port });
  };
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'redis-away-'));
    port = await freePort();
    await startRedis();
    const clock = join(dir, 'fast-clock.mjs');
    await writeFile(clock, FAST_CLOCK);
    const env = {
      ELASTICSEARCH_URL: elasticsearchUrl,
      REDIS_URL: engine.url,
      INDEX_PREFIX: prefix,
      // Requests wait for this time while Redis hangs, so it is shorter than in other tests.
      REDIS_DEADLINE_MS: '1000',
    };
    [api, fast] = await Promise.all([
      startApiProcess(env),
      startApiProcess({ ...env, NODE_OPTIONS: `--import=${pathToFileURL(clock).href}` }),
    ]);
    redis = createRedis(engine.url);
    redis.on('error', () => undefined);
    await once(redis, 'ready');
    keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
  });
  after(async () => {
    redis.disconnect();
    await Promise.all([api.stop(), fast.stop()]);
    await engine.stop();
    await rm(dir, { recursive: true });
  });

  const newKey = async (tier: Tier) => {
    const wanted = { developerId: 'faults', name: 'faults', tier, environment: 'test' } as const;
    return (await keys.create(wanted, new Date())).rawKey;
  };
  const ask = (instance: ApiProcess, key: string) =>
    fetch(`${instance.url}/v1`, { headers: { authorization: `Bearer ${key}` } });
  const statusOf = async (key: string) => {
    const response = await ask(api, key);
    await response.arrayBuffer();
    return response.status;
  };

  /**
   * This test was seen to fail when each process counted requests by itself, because each instance then
   * allowed a hundred.
   */
  it('have one limit, though the clock of one is an hour fast', async () => {
    const { headers } = await ask(fast, await newKey('free'));
    assert.isAbove(Date.parse(headers.get('date') ?? ''), Date.now() + HOUR_MS / 2, 'its clock is fast');
    const key = await newKey('free');
    const replies = await Promise.all(
      Array.from({ length: 130 }, (_, i) => ask(i % 2 === 0 ? api : fast, key)),
    );
    assert.equal(replies.filter(({ status }) => status === 200).length, 100);
    assert.equal(replies.filter(({ status }) => status === 429).length, 30);
    for (const reply of replies) {
      const seconds = Number(/\bt=(\d+)/.exec(reply.headers.get('ratelimit') ?? '')?.[1]);
      assert.isTrue(seconds > 0 && seconds <= 60, `${seconds} s to the end of the window`);
    }
  });

  /** The number of commands that Redis has processed, including those that it received while it hung. */
  const commandsOfRedis = async () => {
    // Redis processes commands in order, so all commands that other connections sent before this one have
    // been processed after it.
    await redis.ping();
    return Number(/total_commands_processed:(\d+)/.exec(await redis.info('stats'))?.[1]);
  };

  const faults: Record<string, { strike: () => Promise<unknown>; heal: () => Promise<unknown> }> = {
    killed: {
      async strike() {
        process.kill(engine.pid, 'SIGKILL');
        await engine.stop();
      },
      heal: startRedis,
    },
    hung: {
      strike: async () => process.kill(engine.pid, 'SIGSTOP'),
      heal: async () => process.kill(engine.pid, 'SIGCONT'),
    },
    'a replica (READONLY)': {
      strike: () => redis.replicaof('127.0.0.1', '1'),
      heal: () => redis.replicaof('NO', 'ONE'),
    },
  };

  /**
   * These tests were seen to fail when there was no rate limit while Redis was unavailable, when a key that
   * could not be looked up was rejected with 401, and without the time limit of Redis.
   */
  for (const [name, { strike, heal }] of Object.entries(faults)) {
    it(`(${name}) serve known keys under a limit of their own, no other, none as unknown, and heal`, async () => {
      const seen = await newKey('standard');
      const busy = await newKey('free');
      const unseen = await newKey('free');
      for (const key of [seen, busy]) assert.equal(await statusOf(key), 200);
      const commandsBefore = await commandsOfRedis();
      await strike();
      const of: Record<string, Set<number>> = { seen: new Set(), unseen: new Set() };
      let served = 0;
      for (let i = 0; i < 130; i += 1) {
        of['seen']?.add(await statusOf(seen));
        if ((await statusOf(busy)) === 200) served += 1;
        if (i % 10 === 0) of['unseen']?.add(await statusOf(unseen));
        await sleep(10);
      }
      assert.deepEqual([...(of['seen'] ?? [])], [200]);
      assert.isAtMost(served, 101, 'the limit holds');
      // A Redis replica can still be read, although it rejects writes.
      const expected = name.startsWith('a replica') ? [200] : [503];
      assert.deepEqual([...(of['unseen'] ?? [])], expected);

      await heal();
      // Only a request that sends a command waits for the time limit of Redis. Without the circuit breaker,
      // each of the 260 requests would send one.
      if (name === 'hung') assert.isBelow((await commandsOfRedis()) - commandsBefore, 130);
      const fresh = await until(() => newKey('free').catch(() => ''));
      await until(async () => {
        const response = await ask(api, fresh);
        assert.include([200, 503], response.status);
        return response.status === 200;
      });
      assert.equal(await statusOf(unseen), 200);
    });
  }
});
