import type { IncrementResponse, Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { redisUnavailable } from '../redis/write-refusals.js';
import type { CountReply } from './count-script.js';
import type { Credential, KeyIdentity } from './key.js';
import { toIdentity } from './key-records.js';
import type { KeyStore } from './key-store.js';
import { WINDOW_MS } from './tiers.js';
import { redisName } from '../stored.js';

/** The prefixes of the names of rate-limit counters. */
const KEY_COUNTER = 'key:';
const PUBLIC_COUNTER = 'public:';

export const counterOf = ({ id }: Pick<KeyIdentity, 'id'>): string => `${KEY_COUNTER}${id}`;

/** The maximum number of rate-limit counters in memory. The least recently used ones are dropped. */
const MAX_LOCAL_COUNTERS = 100_000;

/**
 * Rate-limit counters of fixed windows in the memory of this process. express-rate-limit's own memory store
 * is not used, because simultaneous requests share its answers.
 */
export class LocalRateLimits {
  private readonly counters = new LRUCache<string, { hits: number; end: number }>({
    // Unlike `max`, the option `maxSize` allocates no memory before there are counters.
    maxSize: MAX_LOCAL_COUNTERS,
    sizeCalculation: () => 1,
  });

  constructor(
    private readonly windowMs: number,
    private readonly workers = 1,
  ) {}

  increment(name: string, now: number): IncrementResponse {
    let counter = this.counters.get(name);
    if (counter === undefined || counter.end <= now) {
      counter = { hits: 0, end: now + this.windowMs };
      this.counters.set(name, counter);
    }
    counter.hits += 1;
    // Each other process is assumed to have counted as many requests as this one. The first request is always
    // allowed.
    return { totalHits: 1 + (counter.hits - 1) * this.workers, resetTime: new Date(counter.end) };
  }
}

/** The state of a one-minute rate-limit window. `resetsAt` is null before its first request. */
export interface RateLimitWindow {
  limit: number;
  used: number;
  resetsAt: Date | null;
}

interface RateLimitStoreOptions {
  /** The name of the rate-limit window; absent for the window of ordinary requests. */
  window?: 'suggestions' | 'writes' | undefined;
  /** Whether this process counts requests by address, and wrong admin secrets, itself while Redis is unavailable. */
  addressesLocally?: boolean;
  /** The number of processes of the instance, each of which allows its share of a limit without Redis. */
  workers?: number | undefined;
}

/**
 * Counts requests in windows of one minute by the clock of Redis, shared by all instances. While Redis refuses to write, this
 * process counts by itself. While Redis does not answer, it counts the requests of API keys and public requests, and those of
 * client addresses if `addressesLocally` is set. Any other count then throws a 503 ApiError, because a key cannot be verified
 * without Redis.
 */
export class RateLimitStore implements Store {
  readonly prefix: string;
  private readonly local: LocalRateLimits;
  /** The results of requests that `countFor` has counted. `increment` returns them without counting again. */
  private readonly counted = new Map<string, IncrementResponse[]>();
  /** The number of requests that this process counted itself because Redis could not. */
  countedLocally = 0;

  constructor(
    private readonly redis: RedisBreaker,
    prefix: string,
    private readonly options: RateLimitStoreOptions = {},
  ) {
    const { window, workers } = options;
    this.local = new LocalRateLimits(WINDOW_MS, workers);
    this.prefix = redisName(prefix, window === undefined ? 'limit' : `limit-${window}`, '');
  }

  /**
   * Looks up the API key of a credential and counts the request against the key or, without one, against its
   * address, in one round trip. The next `increment` of that counter returns the count.
   * @throws ApiError 503 if neither Redis nor the keys that it confirmed before can verify the key.
   */
  async countFor(
    credential: Credential,
    addressCounter: string,
    keys: KeyStore,
  ): Promise<KeyIdentity | null> {
    let reply: CountReply | null = null;
    const key = await keys.find(credential, async (record, now) => {
      reply = await this.count([this.prefix + addressCounter, record], now, keys.idPrefix);
      const [, , ...fields] = reply;
      return fields.length === 0 ? null : toIdentity(...fields);
    });
    const name = key === null ? addressCounter : counterOf(key);
    // Without a reply, `find` knows by itself whether the key can be used.
    const response = reply === null ? this.countLocally(name) : this.responseTo(name, reply);
    this.counted.set(name, [...(this.counted.get(name) ?? []), response]);
    return key;
  }

  async increment(name: string): Promise<IncrementResponse> {
    const [first, ...others] = this.counted.get(name) ?? [];
    if (others.length > 0) this.counted.set(name, others);
    else this.counted.delete(name);
    if (first !== undefined) return first;
    return this.count([this.prefix + name], new Date()).then(
      (reply) => this.responseTo(name, reply),
      (error: unknown) => this.responseTo(name, null, error),
    );
  }

  /** The current window of a key with this limit. @throws ApiError 503 without Redis. */
  async usage(key: Pick<KeyIdentity, 'id'>, limit: number): Promise<RateLimitWindow> {
    const counter = this.prefix + counterOf(key);
    const [hits, left] = await this.redis.require((redis) =>
      Promise.all([redis.get(counter), redis.pttl(counter)]),
    );
    // If the rate-limit window has ended between the two commands, there is no window now.
    return left > 0
      ? { limit, used: Number(hits), resetsAt: endOf(left) }
      : { limit, used: 0, resetsAt: null };
  }

  /** Required by the interface of express-rate-limit, but not used: the service never undoes a count. */
  decrement = (): void => undefined;
  resetKey = (): void => undefined;

  private async count(names: string[], now: Date, idPrefix = ''): Promise<CountReply> {
    const args = [...names, WINDOW_MS, now.toISOString(), this.prefix + KEY_COUNTER, idPrefix];
    const reply = await this.redis.run((redis) => redis.countRequest(names.length, ...args));
    if (typeof reply[0] === 'number') this.redis.writes.accepted();
    return reply;
  }

  /**
   * The state of a counter. Without a count from Redis, this process counts the request or throws a 503.
   * @param reply the count, or the message with which Redis refused to write; null if Redis did not reply.
   */
  private responseTo(name: string, reply: CountReply | null, reason?: unknown): IncrementResponse {
    const [hits, left] = reply ?? [null, 0];
    if (typeof hits === 'number') return { totalHits: hits, resetTime: endOf(left) };
    if (hits !== null) this.redis.writes.refused(hits);
    else if (
      !this.options.addressesLocally &&
      ![KEY_COUNTER, PUBLIC_COUNTER].some((kind) => name.startsWith(kind))
    )
      throw redisUnavailable(reason);
    return this.countLocally(name);
  }

  private countLocally(name: string): IncrementResponse {
    this.countedLocally += 1;
    return this.local.increment(name, Date.now());
  }
}

const endOf = (left: number): Date => new Date(Date.now() + left);
