import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { previousSecret } from '../../../src/platform/access/tokens.js';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../../src/platform/redis/redis-breaker.js';
import { indexPrefix as prefixOfTests, redisUrl } from '../../support/services.js';
import { until } from '../../support/until.js';

describe('a previous JWT secret', () => {
  let client: Redis;
  let indexPrefix: string;
  before(async () => {
    client = createRedis(redisUrl);
    await once(client, 'ready');
  });
  after(() => client.disconnect());
  beforeEach(() => {
    indexPrefix = `${prefixOfTests}:${randomUUID()}`;
  });

  /** Creates an instance that has run for `uptime` and accepts a previous secret for `acceptedSeconds`. */
  const instance = (given: { uptime: number; acceptedSeconds: number; secret?: string; redis?: Redis }) =>
    previousSecret({
      redis: new RedisBreaker(given.redis ?? client, { deadlineMs: 5_000 }),
      config: { jwtSecrets: ['the current one', given.secret ?? 'the former one'], indexPrefix },
      acceptedSeconds: given.acceptedSeconds,
      uptime: () => given.uptime,
    });

  it('is accepted for a limited time', async () => {
    assert.isTrue(await instance({ uptime: 5, acceptedSeconds: 60 })?.isAccepted());
    assert.isFalse(await instance({ uptime: 61, acceptedSeconds: 60, secret: 'another' })?.isAccepted());
  });

  it('stays refused after a restart', async () => {
    assert.isTrue(await instance({ uptime: 0, acceptedSeconds: 2 })?.isAccepted());
    await until(async () => !(await instance({ uptime: 0, acceptedSeconds: 2 })?.isAccepted()));
    assert.isFalse(await instance({ uptime: 0, acceptedSeconds: 2 })?.isAccepted());
    assert.isTrue(await instance({ uptime: 0, acceptedSeconds: 2, secret: 'another' })?.isAccepted());
  });

  it('is accepted for the same time after the start if Redis does not answer', async () => {
    const away = createRedis('redis://127.0.0.1:1');
    away.on('error', () => undefined);
    try {
      assert.isTrue(await instance({ uptime: 5, acceptedSeconds: 60, redis: away })?.isAccepted());
      assert.isFalse(await instance({ uptime: 61, acceptedSeconds: 60, redis: away })?.isAccepted());
    } finally {
      away.disconnect();
    }
  });

  it('is not stored in Redis', async () => {
    await instance({ uptime: 5, acceptedSeconds: 60 })?.isAccepted();
    const names = await client.keys(`${indexPrefix}:*`);
    assert.lengthOf(names, 1);
    assert.notInclude(names[0], 'the former one');
  });
});
