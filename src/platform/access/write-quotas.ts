import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { shareOf } from '../config/config.js';
import { quotaExceeded } from '../errors.js';
import type { KeyIdentity } from './identity.js';
import type { RedisBreaker } from './redis-breaker.js';
import { redisUnavailable } from './redis-writes.js';
import { writableSources } from './scopes.js';
import { WRITE_QUOTAS } from './tiers.js';

/** What is written: records that name a source, and bytes of the body after its `Content-Encoding` is decoded. */
export interface Written {
  listings: number;
  bytes: number;
}

/** What may be written to one source in a day of UTC, and what has been. */
export interface Quota {
  source: string;
  limit: Written;
  used: Written;
  /** The next midnight, UTC. */
  resetsAt: Date;
}

const DAY_MS = 86_400_000;
/** Counters outlive their day, so that clocks that differ a little agree. */
const KEPT_S = (2 * DAY_MS) / 1_000;

/**
 * Adds to all counters, or to none if one of them would pass its limit: one trip, and no race between instances.
 *
 * - KEYS: a counter for each source.
 * - ARGV: the limits of listings and bytes, how long counters are kept in s, then listings and bytes for each source.
 * - Returns 0, or the position of the first source whose quota does not suffice.
 */
const WRITE_QUOTA = `
for i, key in ipairs(KEYS) do
  local used = redis.call('HMGET', key, 'listings', 'bytes')
  if (tonumber(used[1]) or 0) + ARGV[2 + 2 * i] > tonumber(ARGV[1])
    or (tonumber(used[2]) or 0) + ARGV[3 + 2 * i] > tonumber(ARGV[2]) then return i end
end
for i, key in ipairs(KEYS) do
  redis.call('HINCRBY', key, 'listings', ARGV[2 + 2 * i])
  redis.call('HINCRBY', key, 'bytes', ARGV[3 + 2 * i])
  redis.call('EXPIRE', key, ARGV[3])
end
return 0
`;

/**
 * Quotas of writers for each source and day, by the tier of the key. Keys of the same source share its counter. While
 * Redis is away, each process counts by itself what is written during the outage, against its share of the quota.
 */
export class WriteQuotas {
  /** What this process counted since Redis last answered, by counter. Meanwhile only keys that it has seen recently can write. */
  private readonly duringOutage = new Map<string, Written>();

  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
    private readonly workers = 1,
  ) {}

  /**
   * Counts what is about to be written.
   * @param sources records by source.
   * @param bytes of the body; each source is charged its share of the records.
   * @throws ApiError 429 if a quota does not suffice; then nothing is counted.
   */
  async charge(
    { tier }: Pick<KeyIdentity, 'tier'>,
    { sources, bytes, now }: { sources: ReadonlyMap<string, number>; bytes: number; now: Date },
  ): Promise<void> {
    if (sources.size === 0) return;
    const records = [...sources.values()].reduce((sum, count) => sum + count, 0);
    const limit = WRITE_QUOTAS[tier];
    const names = [...sources.keys()];
    const charges = [...sources.values()].flatMap((count) => [count, Math.ceil((bytes * count) / records)]);
    const counters = names.map((source) => this.counterOf(source, now));
    const refused = await this.redis
      .ask((redis) =>
        redis.eval(
          WRITE_QUOTA,
          counters.length,
          ...counters,
          ...[limit.listings, limit.bytes, KEPT_S, ...charges],
        ),
      )
      .then((position) => {
        this.duringOutage.clear();
        return position;
      })
      .catch(() => this.chargeLocally(counters, limit, charges));
    const source = names[Number(refused) - 1];
    if (source !== undefined)
      throw quotaExceeded({ source, ...limit, afterS: Math.ceil((endOfDay(now) - now.getTime()) / 1_000) });
  }

  /** The quotas of all sources that a key may write. @throws ApiError 503 without Redis. */
  async of(key: KeyIdentity, now: Date): Promise<Quota[]> {
    const sources = [...writableSources(key)];
    const used = await this.ask((redis) =>
      Promise.all(sources.map((source) => redis.hmget(this.counterOf(source, now), 'listings', 'bytes'))),
    );
    return sources.map((source, i) => ({
      source,
      limit: WRITE_QUOTAS[key.tier],
      used: { listings: Number(used[i]?.[0] ?? 0), bytes: Number(used[i]?.[1] ?? 0) },
      resetsAt: new Date(endOfDay(now)),
    }));
  }

  private counterOf(source: string, now: Date): string {
    const day = now.toISOString().slice(0, 10);
    return `${this.prefix}:quota:${day}:${hash('sha256', source, 'base64url')}`;
  }

  /** Does what the script does, with the counters of this process. @returns as the script */
  private chargeLocally(counters: readonly string[], limit: Written, charges: readonly number[]): number {
    const charged = counters.map((counter, at): Written => {
      const { listings, bytes } = this.duringOutage.get(counter) ?? { listings: 0, bytes: 0 };
      return { listings: listings + (charges[2 * at] ?? 0), bytes: bytes + (charges[2 * at + 1] ?? 0) };
    });
    const share = {
      listings: shareOf(limit.listings, this.workers),
      bytes: shareOf(limit.bytes, this.workers),
    };
    const over = charged.findIndex(({ listings, bytes }) => listings > share.listings || bytes > share.bytes);
    if (over >= 0) return over + 1;
    for (const [at, counter] of counters.entries()) this.duringOutage.set(counter, charged[at] as Written);
    return 0;
  }

  private ask<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    return this.redis.ask(command).catch((error: unknown) => {
      throw redisUnavailable(error);
    });
  }
}

const endOfDay = (now: Date): number => (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
