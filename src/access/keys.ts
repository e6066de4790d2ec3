import { randomUUID } from 'node:crypto';
import type { ChainableCommander, Redis } from 'ioredis';
import { unavailable } from '../errors.js';
import type { KeyIdentity } from './identity.js';
import { type Environment, generateRawKey, hashKey, isRawKey } from './raw-key.js';
import { RecentKeys } from './recent-keys.js';
import type { RedisBreaker } from './redis-breaker.js';
import type { Tier } from './tiers.js';

/** What is asked for at provisioning. */
export interface NewKey {
  developerId: string;
  name: string;
  tier: Tier;
  environment: Environment;
}

/** What is kept of a key, but for its hash. */
export interface KeyRecord extends NewKey {
  id: string;
  /** ISO 8601, UTC. */
  createdAt: string;
  /** ISO 8601, UTC; null: the key is usable. */
  revokedAt: string | null;
}

/** Whose a key is. */
export type KeyHolder = Pick<KeyRecord, 'id' | 'tier' | 'developerId'>;

/** Records read in one round trip. */
const PAGE = 500;

/**
 * The keys, in Redis. Every method throws a 503 ApiError when Redis cannot do what was asked; those that find a key
 * first fall back on the keys of the last minute.
 *
 * - `<prefix>:key:<hash>`: hash of id, tier, environment; gone once the key is revoked.
 * - `<prefix>:key-id:<id>`: hash of the record, the raw key's hash and the time of revocation.
 * - `<prefix>:keys`: sorted set of all ids by time of creation.
 */
export class KeyStore {
  private readonly recent = new RecentKeys();

  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
  ) {}

  /** Makes a key. Its raw form is in this answer and nowhere else. */
  async create(key: NewKey, now: Date): Promise<{ record: KeyRecord; rawKey: string }> {
    const { developerId, name, tier, environment } = key;
    const rawKey = generateRawKey(environment);
    const hash = hashKey(rawKey);
    const id = randomUUID();
    const createdAt = now.toISOString();
    await this.ask((redis) =>
      replies(
        redis
          .multi()
          .hset(this.byHash(hash), { id, tier, environment })
          .hset(this.byId(id), { id, developerId, name, tier, environment, createdAt, hash })
          .zadd(this.index, now.getTime(), id),
      ),
    );
    return { record: { id, developerId, name, tier, environment, createdAt, revokedAt: null }, rawKey };
  }

  /** Every key, usable or revoked, newest first. */
  async list(): Promise<KeyRecord[]> {
    const ids = await this.ask((redis) => redis.zrevrange(this.index, 0, -1));
    const records: KeyRecord[] = [];
    for (let start = 0; start < ids.length; start += PAGE) {
      const page = ids.slice(start, start + PAGE);
      const stored = await this.ask((redis) => {
        const pipeline = redis.pipeline();
        for (const id of page) pipeline.hgetall(this.byId(id));
        return replies(pipeline);
      });
      page.forEach((id, i) => records.push(toRecord(id, stored[i] as Stored)));
    }
    return records;
  }

  /**
   * Revokes a key for good; once it is revoked, nothing more happens.
   * @returns whose key that was; null: no key has this id.
   */
  async revoke(id: string, now: Date): Promise<KeyHolder | null> {
    try {
      const [hash, tier, developerId] = await this.ask((redis) =>
        redis.hmget(this.byId(id), 'hash', 'tier', 'developerId'),
      );
      if (!hash) return null;
      await this.ask((redis) =>
        replies(redis.multi().del(this.byHash(hash)).hsetnx(this.byId(id), 'revokedAt', now.toISOString())),
      );
      return { id, tier: tier as Tier, developerId: developerId ?? '' };
    } finally {
      // Should Redis go away before the key's next request, this process must not take it for usable.
      this.recent.forgetKey(id);
    }
  }

  /** What `findByRawKey` found in the last minute, without asking: most likely it finds that again. */
  expect(rawKey: string): KeyIdentity | null {
    return isRawKey(rawKey) ? this.recent.recall(hashKey(rawKey), performance.now()) : null;
  }

  /** The usable key with this raw form; what cannot be a key costs no command, anything else one. */
  async findByRawKey(rawKey: string): Promise<KeyIdentity | null> {
    if (!isRawKey(rawKey)) return null;
    const hash = hashKey(rawKey);
    return this.find(hash, this.byHash(hash));
  }

  /** The usable key with this id, for tokens, which name it. One command. */
  async findById(id: string): Promise<KeyIdentity | null> {
    return this.find(id, this.byId(id));
  }

  private async find(credential: string, name: string): Promise<KeyIdentity | null> {
    let stored: (string | null)[];
    try {
      stored = await this.redis.ask((redis) => redis.hmget(name, 'id', 'tier', 'environment', 'revokedAt'));
    } catch (error) {
      const key = this.recent.recall(credential, performance.now());
      if (key === null) throw unavailable(error);
      return key;
    }
    const [id, tier, environment, revokedAt] = stored;
    if (!id || revokedAt) {
      this.recent.forget(credential);
      return null;
    }
    const key = { id, tier: tier as Tier, environment: environment as Environment };
    this.recent.remember(credential, key, performance.now());
    return key;
  }

  private async ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    return this.redis.ask(command).catch((error: unknown) => {
      throw unavailable(error);
    });
  }

  private byHash(hash: string): string {
    return `${this.prefix}:key:${hash}`;
  }

  private byId(id: string): string {
    return `${this.prefix}:key-id:${id}`;
  }

  private get index(): string {
    return `${this.prefix}:keys`;
  }
}

type Stored = Record<string, string>;

function toRecord(id: string, stored: Stored): KeyRecord {
  const { developerId = '', name = '', tier, environment, createdAt = '', revokedAt = null } = stored;
  return {
    id,
    developerId,
    name,
    tier: tier as Tier,
    environment: environment as Environment,
    createdAt,
    revokedAt,
  };
}

/** The replies of a pipeline or transaction. Throws the first error among them. */
async function replies(commands: ChainableCommander): Promise<unknown[]> {
  const results = (await commands.exec()) ?? [];
  return results.map(([error, reply]) => {
    if (error) throw error;
    return reply;
  });
}
