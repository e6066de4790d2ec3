// Chaos only (faults, sampled): it takes seconds.
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { freePort, type LocalEngine, startLocalRedis } from '../../tools/local-services/index.js';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { type ApiProcess, startApiProcess } from './api-process.js';

const WORKERS = 4;
const KEY = { developerId: 'faults', name: 'faults', tier: 'premium', environment: 'test' } as const;

describe('Redis killed with -9 and started again', function () {
  const prefix = `${indexPrefix}-redis-killed`;
  let dataDir: string;
  let port: number;
  let engine: LocalEngine;
  let api: ApiProcess;
  let redis: Redis;
  let keys: KeyStore;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'redis-killed-'));
    port = await freePort();
    engine = await startLocalRedis({ log: console.log, dataDir, port });
    api = await startApiProcess({
      ELASTICSEARCH_URL: elasticsearchUrl,
      REDIS_URL: engine.url,
      INDEX_PREFIX: prefix,
    });
    redis = createRedis(engine.url);
    redis.on('error', () => undefined);
    await once(redis, 'ready');
    keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
  });
  after(async () => {
    redis.disconnect();
    await api.stop();
    await engine.stop();
    await rm(dataDir, { recursive: true });
  });

  const statusOf = async (key: string) => {
    const response = await fetch(`${api.url}/v1`, { headers: { authorization: `Bearer ${key}` } });
    await response.arrayBuffer();
    return response.status;
  };

  it('has lost no key that was issued, and none that was revoked is back', async () => {
    const issued: string[] = [];
    const revoked: string[] = [];
    let running = true;
    const workers = Array.from({ length: WORKERS }, async (_, worker) => {
      while (running) {
        try {
          const { rawKey, record } = await keys.create(KEY, new Date());
          // If the revocation of a key failed, it is unknown whether the key was revoked, so the key is not
          // checked.
          if (worker > 0 || revoked.length >= 20) issued.push(rawKey);
          else if ((await keys.revoke(record.id, new Date())) !== null) revoked.push(rawKey);
        } catch {
          // The creation of the key was not acknowledged, so the key is not checked.
          await sleep(20);
        }
        await sleep(2);
      }
    });
    await until(() => issued.length > 300 && revoked.length >= 10);
    process.kill(engine.pid, 'SIGKILL');
    await engine.stop();
    const before = issued.length;
    engine = await startLocalRedis({ log: console.log, dataDir, port });
    await until(() => issued.length > before + 100);
    running = false;
    await Promise.all(workers);

    // The service connects to the new Redis a moment later than this test.
    const { rawKey: last } = await keys.create(KEY, new Date());
    await until(async () => (await statusOf(last)) === 200);
    const lost: number[] = [];
    for (const [i, key] of issued.entries()) if ((await statusOf(key)) !== 200) lost.push(i);
    assert.deepEqual(lost, [], `of ${issued.length}, ${before} of them before the kill`);
    for (const key of revoked) assert.equal(await statusOf(key), 401);
    const listed = new Set((await keys.list(new Date())).map(({ id }) => id));
    assert.isAtLeast(listed.size, issued.length + revoked.length);
  });

  it('has them on the disk before they are acknowledged', async () => {
    // If the machine fails, and not only the process, data that the operating system has not written to disk
    // is lost.
    assert.deepEqual(await redis.config('GET', 'appendfsync'), ['appendfsync', 'always']);
    assert.deepEqual(await redis.config('GET', 'maxmemory-policy'), ['maxmemory-policy', 'noeviction']);
  });
});
