import { assert } from 'chai';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../../src/platform/redis/redis-breaker.js';
import { WRITE_QUOTAS } from '../../../src/platform/access/tiers.js';
import { WriteQuotas } from '../../../src/platform/access/write-quotas.js';
import { ApiError } from '../../../src/platform/errors.js';

describe('write quotas while Redis is unavailable', () => {
  it('are counted by the process per source and day', async () => {
    const redis = createRedis('redis://127.0.0.1:1');
    redis.on('error', () => undefined);
    const quotas = new WriteQuotas(new RedisBreaker(redis), 'away');
    const { listings, bytes: most } = WRITE_QUOTAS.free;
    const charge = (source: string, count: number, day = '2026-05-01', bytes = 1) =>
      quotas
        .charge(
          { tier: 'free' },
          { sources: new Map([[source, count]]), bytes, now: new Date(`${day}T12:00:00Z`) },
        )
        .then(
          () => 200,
          (error: unknown) => (error instanceof ApiError ? error.status : 500),
        );
    try {
      assert.equal(await charge('shop_a', listings - 1), 200);
      assert.equal(await charge('shop_a', 2), 429);
      assert.equal(await charge('shop_a', 1), 200, 'the refused request was not counted');
      assert.equal(await charge('shop_b', listings), 200);
      assert.equal(await charge('shop_a', listings, '2026-05-02'), 200);
      assert.equal(await charge('shop_c', 1, '2026-05-01', most), 200);
      assert.equal(await charge('shop_c', 1, '2026-05-01', 1), 429, 'its bytes are used up');
    } finally {
      redis.disconnect();
    }
  });
});
