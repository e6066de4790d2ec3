import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { OAuthGrants } from '../../../src/platform/access/oauth-grants.js';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../../src/platform/redis/redis-breaker.js';
import { indexPrefix, redisUrl } from '../../support/services.js';
import { connected } from './small-app.js';

describe('registrations of OAuth clients', () => {
  let redis: Redis;
  let grants: OAuthGrants;

  before(async () => {
    redis = createRedis(redisUrl);
    await connected(redis);
  });
  after(() => redis.disconnect());
  beforeEach(() => {
    grants = new OAuthGrants(
      new RedisBreaker(redis, { deadlineMs: 5_000 }),
      `${indexPrefix}:${randomUUID()}`,
    );
  });

  /** Registers several times from an address. @returns how many registrations were accepted. */
  async function accepted(count: number, address: string): Promise<number> {
    const results = await Promise.all(Array.from({ length: count }, () => grants.countRegistration(address)));
    return results.filter(Boolean).length;
  }

  it('count in the total only if they are accepted, so that one address cannot close it for others', async () => {
    expect(await accepted(600, '203.0.113.1')).to.equal(20);
    for (let i = 0; i < 24; i += 1)
      expect(await accepted(20, `198.51.100.${i}`), `address ${i}`).to.equal(20);
    expect(await accepted(1, '192.0.2.1'), 'more than 500 in total').to.equal(0);
  });
});
