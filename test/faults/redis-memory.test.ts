// Chaos only (faults, sampled): it takes seconds.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { type LocalEngine, startLocalRedis } from '../../tools/local-services/index.js';
import { until } from '../support/until.js';
import * as drill from './redis-drill.js';

/**
 * These tests were seen to fail without the metric, without the line in the log, and without the reason in
 * the response.
 */
describe('a Redis that refuses writes', function () {
  const prefix = drill.drillPrefix();
  let dataDir: string;
  let engine: LocalEngine;
  let redis: Redis;
  let api: drill.Instance;

  before(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'redis-memory-'));
    engine = await startLocalRedis({ log: () => undefined, dataDir });
    redis = await drill.connect(engine.url);
    api = await drill.startInstance({ REDIS_URL: engine.url, INDEX_PREFIX: prefix });
  });
  after(async () => {
    await api.stop();
    redis.disconnect();
    await engine.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  const faults = {
    oom: {
      because: /out of memory/,
      strike: () => redis.config('SET', 'maxmemory', '1'),
      heal: () => redis.config('SET', 'maxmemory', '0'),
    },
    misconf: {
      because: /cannot save to its disk/,
      async strike() {
        await redis.config('SET', 'save', '3600 1');
        // The data folder is deleted, so that Redis cannot save its data, even as root.
        await rm(dataDir, { recursive: true });
        await redis.bgsave();
        await until(async () => /rdb_last_bgsave_status:err/.test(await redis.info('persistence')));
      },
      heal: () => redis.config('SET', 'stop-writes-on-bgsave-error', 'no'),
    },
  };
  for (const [reason, { because, strike, heal }] of Object.entries(faults)) {
    it(`(${reason}) serves keys, makes none, and says so in the answer, the log and the metrics`, async () => {
      const [seen = '', unseen = ''] = await drill.issueKeys(redis, prefix, 2);
      assert.equal(await api.statusOf(seen), 200);
      const told = drill.warnings(api, 'Redis refuses writes');
      const counted = (await api.metric('catalog_limits_counted_locally_total')) ?? 0;
      await strike();
      for (let i = 0; i < 5; i += 1) {
        assert.equal(await api.statusOf(seen), 200);
        assert.equal(await api.statusOf(unseen), 200, 'it can be looked up');
        const { status, retryAfter, body } = await api.createKey();
        assert.deepEqual([status, retryAfter], [503, '5']);
        assert.match(body['detail'] ?? '', because);
      }
      assert.equal((await fetch(`${api.url}/readyz`)).status, 200);
      assert.equal(drill.warnings(api, 'Redis refuses writes') - told, 1, api.warnings);
      assert.isAtMost(drill.warnings(api, ''), 10, api.warnings);
      const series = `catalog_redis_writes_refused_total{reason="${reason}"}`;
      assert.isAtLeast((await api.metric(series)) ?? 0, 15);
      assert.isAtLeast(((await api.metric('catalog_limits_counted_locally_total')) ?? 0) - counted, 10);

      await heal();
      const { key } = await drill.createOnceItHeals(api, seen);
      assert.equal(await api.statusOf(key), 200);
    });
  }
});
