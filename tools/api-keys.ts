import { once } from 'node:events';
import { KeyStore } from '../src/platform/access/key-store.js';
import { createRedis } from '../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../src/platform/redis/redis-breaker.js';

/** Creates API keys of the highest tier. With several, a tool such as the benchmark exceeds no rate limit. */
export const createKeys = (
  redisUrl: string,
  prefix: string,
  { count, owner, scopes = [] }: { count: number; owner: string; scopes?: string[] },
): Promise<{ id: string; raw: string }[]> =>
  withKeys(redisUrl, prefix, async (store) => {
    const keys: { id: string; raw: string }[] = [];
    for (let number = 1; number <= count; number += 1) {
      const key = { developerId: owner, name: owner, tier: 'premium', environment: 'test', scopes } as const;
      const { record, rawKey } = await store.create(key, new Date());
      keys.push({ id: record.id, raw: rawKey });
    }
    return keys;
  });

/** Whether a key can be used. */
export const isUsable = (redisUrl: string, prefix: string, rawKey: string): Promise<boolean> =>
  withKeys(redisUrl, prefix, async (store) => (await store.findByRawKey(rawKey)) !== null);

async function withKeys<T>(
  redisUrl: string,
  prefix: string,
  use: (store: KeyStore) => Promise<T>,
): Promise<T> {
  const redis = createRedis(redisUrl);
  redis.on('error', () => undefined);
  await once(redis, 'ready');
  try {
    return await use(new KeyStore(new RedisBreaker(redis), prefix));
  } finally {
    redis.disconnect();
  }
}
