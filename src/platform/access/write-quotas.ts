import { hash } from 'node:crypto';
import { shareOf } from '../config/config.js';
import { quotaExceeded } from '../errors.js';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { type KeyIdentity, writableSources } from './key.js';
import { WRITE_QUOTAS } from './tiers.js';
import { redisName } from '../stored.js';

/** An amount of writes: records of a source, and bytes of the decoded body. */
interface WriteVolume {
  listings: number;
  bytes: number;
}

const DAY_MS = 86_400_000;
/** The TTL of a counter in seconds: longer than its day, because the clocks of instances may differ. */
const COUNTER_TTL_S = (2 * DAY_MS) / 1_000;

/**
 * Adds to all counters, or to none if one would exceed its limit. KEYS: a counter for each source. ARGV: the limits of listings and
 * bytes, the TTL in seconds, then both of each source. Returns 0, or the position of the first source above its quota.
 */
const CHARGE = `
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

/** Daily write quotas of each source, by the tier of the key. While Redis is away, each process counts against its share. */
export class WriteQuotas {
  /** The writes that this process counted since Redis last answered, by counter. */
  private readonly duringOutage = new Map<string, WriteVolume>();

  constructor(
    private readonly redis: RedisBreaker,
    private readonly prefix: string,
    private readonly workers = 1,
  ) {}

  /** Counts a write before it happens; bytes in proportion to the records of each source. @throws ApiError 429 above a quota. */
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
      .run((redis) =>
        redis.eval(
          CHARGE,
          counters.length,
          ...counters,
          ...[limit.listings, limit.bytes, COUNTER_TTL_S, ...charges],
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

  /** The quotas of all sources that a key may write, which are reset at midnight in UTC. @throws ApiError 503 without Redis. */
  async of(key: KeyIdentity, now: Date) {
    const sources = [...writableSources(key)];
    const used = await this.redis.require((redis) =>
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
    return redisName(this.prefix, 'quota', day, hash('sha256', source, 'base64url'));
  }

  /** Charges write quotas to the counters of this process, with the same result as the Redis script. */
  private chargeLocally(counters: readonly string[], limit: WriteVolume, charges: readonly number[]): number {
    const charged = counters.map((counter, at): WriteVolume => {
      const { listings, bytes } = this.duringOutage.get(counter) ?? { listings: 0, bytes: 0 };
      return { listings: listings + (charges[2 * at] ?? 0), bytes: bytes + (charges[2 * at + 1] ?? 0) };
    });
    const kinds = ['listings', 'bytes'] as const;
    const exceeded = charged.findIndex((used) =>
      kinds.some((kind) => used[kind] > shareOf(limit[kind], this.workers)),
    );
    if (exceeded >= 0) return exceeded + 1;
    for (const [at, counter] of counters.entries())
      this.duringOutage.set(counter, charged[at] as WriteVolume);
    return 0;
  }
}

const endOfDay = (now: Date): number => (Math.floor(now.getTime() / DAY_MS) + 1) * DAY_MS;
