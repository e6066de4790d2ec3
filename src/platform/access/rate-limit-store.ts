import { hash } from 'node:crypto';
import type { IncrementResponse, Options, Store } from 'express-rate-limit';
import { LRUCache } from 'lru-cache';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { redisUnavailable, WriteRefusedError } from '../redis/write-refusals.js';
import type { Credential } from './key.js';
import type { KeyStore } from './key-store.js';
import { WINDOW_MS } from './tiers.js';
import { redisName } from '../stored.js';

/** The kinds of counters that this process keeps by itself while Redis does not answer; others need a key or an address. */
const KEPT_LOCALLY = ['key:', 'public:'];

/** The maximum number of rate-limit counters in memory. The least recently used ones are dropped. */
const MAX_LOCAL_COUNTERS = 100_000;

/** Rate-limit counters in memory. Those of express-rate-limit are not used, because simultaneous requests share their answers. */
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
    // Each of the other processes is assumed to have counted as many requests as this one. The first request is always allowed.
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
 * Counts requests in one-minute windows of Redis. While it refuses to write, this process counts; while it does not answer, only for
 * keys, public requests, and addresses with `addressesLocally`. Otherwise a 503 is thrown, because a key cannot be verified.
 */
export class RateLimitStore implements Store {
  readonly prefix: string;
  private readonly shared: RedisStore;
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
    this.shared = new RedisStore({
      prefix: this.prefix,
      sendCommand: (...command) => sendCommand(redis, command),
    });
    void this.shared.init({ windowMs: WINDOW_MS } as Options);
  }

  /** Looks up a key and counts the request in the same round trip, else against its address; `increment` returns that. @throws ApiError 503 */
  async countFor(credential: Credential, addressCounter: () => string, keys: KeyStore) {
    const { counter: named } = credential;
    const early = named === undefined ? null : this.countInRedis(named);
    const key = await keys.find(credential);
    const counter = key?.counter ?? addressCounter();
    if (key === null && named !== undefined) void this.resetKey(named);
    const count = (key !== null && early) || this.countInRedis(counter);
    const counted = await count;
    // The key was verified by `find`, so it suffices that this process counts, even for a wrong or revoked key.
    const response = counted instanceof Error ? this.countLocally(counter) : counted;
    this.counted.set(counter, [...(this.counted.get(counter) ?? []), response]);
    return { key, counter };
  }

  async increment(name: string): Promise<IncrementResponse> {
    const [first, ...others] = this.counted.get(name) ?? [];
    if (others.length > 0) this.counted.set(name, others);
    else this.counted.delete(name);
    return first ?? this.responseTo(name, await this.countInRedis(name));
  }

  /** The current window of a counter with this limit. @throws ApiError 503 without Redis. */
  async usage(counter: string, limit: number): Promise<RateLimitWindow> {
    const name = this.prefix + counter;
    const [hits, left] = await this.redis.require((redis) =>
      Promise.all([redis.get(name), redis.pttl(name)]),
    );
    // If the rate-limit window has ended between the two commands, there is no window now.
    return left > 0
      ? { limit, used: Number(hits), resetsAt: new Date(Date.now() + left) }
      : { limit, used: 0, resetsAt: null };
  }

  /** Required by the interface of express-rate-limit, but not used: the service never undoes a count. */
  decrement = (): void => undefined;

  /** Removes a counter. If Redis is not available, the counter remains until its window ends. */
  resetKey = async (name: string): Promise<void> => {
    await this.shared.resetKey(name).catch(() => undefined);
  };

  /** Counts a request in Redis. @returns the error if Redis could not count it. */
  private async countInRedis(name: string): Promise<IncrementResponse | Error> {
    try {
      const response = await this.shared.increment(name);
      this.redis.writes.accepted();
      return response;
    } catch (error) {
      return error as Error;
    }
  }

  /** The state of a counter. Without a count from Redis, this process counts the request or throws a 503. */
  private responseTo(name: string, counted: IncrementResponse | Error): IncrementResponse {
    if (!(counted instanceof Error)) return counted;
    const isKept = KEPT_LOCALLY.some((kind) => name.startsWith(kind));
    if (!this.options.addressesLocally && !isKept && !(counted instanceof WriteRefusedError))
      throw redisUnavailable(counted);
    return this.countLocally(name);
  }

  private countLocally(name: string): IncrementResponse {
    this.countedLocally += 1;
    return this.local.increment(name, Date.now());
  }
}

/** The library keeps the answer to `SCRIPT LOAD` for good, so a failed one is answered with the hash: the script is loaded later. */
async function sendCommand(redis: RedisBreaker, [name = '', ...given]: string[]): Promise<RedisReply> {
  try {
    return (await redis.run((client) => client.call(name, ...given))) as RedisReply;
  } catch (error) {
    const [action, script = ''] = given;
    if (name !== 'SCRIPT' || action !== 'LOAD') throw error;
    return hash('sha1', script, 'hex');
  }
}
