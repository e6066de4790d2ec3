import { createHash, hash } from 'node:crypto';
import { ipKeyGenerator, type IncrementResponse } from 'express-rate-limit';
import { RedisStore, type RedisReply } from 'rate-limit-redis';
import { unavailable } from '../errors.js';
import type { KeyIdentity } from './identity.js';
import { LocalRateLimits } from './local-rate-limits.js';
import type { RedisBreaker } from './redis-breaker.js';
import { WINDOW_MS } from './tiers.js';

/** Names of counters of keys begin with this; those of addresses do not. */
const KEY_COUNTER = 'key:';

/** The name of a key's counter. */
export const counterOf = ({ id }: Pick<KeyIdentity, 'id'>): string => `${KEY_COUNTER}${id}`;

/**
 * The name of an address's counter: an IPv6 one counts with the rest of its /56, which one customer has to himself.
 * Hashed, so that Redis holds neither addresses nor anything that a client has written.
 */
export const addressCounter = (what: 'address' | 'admin', address: string): string =>
  `${what}:${hash('sha256', ipKeyGenerator(address), 'base64url')}`;

/**
 * Counters in windows of a minute, by Redis's clock and shared by all instances: one command each.
 * While Redis is away, keys are counted here instead; for anything else that would be no limit at all, so it is
 * a 503 ApiError.
 */
export class RateLimitStore extends RedisStore {
  private readonly local = new LocalRateLimits(WINDOW_MS);
  private readonly ahead = new Map<string, Promise<IncrementResponse>[]>();

  constructor(redis: RedisBreaker, prefix: string) {
    super({ prefix: `${prefix}:limit:`, sendCommand: (...command) => send(redis, command) });
  }

  override async increment(name: string): Promise<IncrementResponse> {
    return this.takeAhead(name) ?? this.count(name);
  }

  /** Begins to count for the next `increment` of this name, which then need not wait for as long. */
  countAhead(name: string): void {
    const counting = this.count(name);
    // Whoever takes it is told; if nobody does, there is nobody to tell.
    counting.catch(() => undefined);
    this.ahead.set(name, [...(this.ahead.get(name) ?? []), counting]);
  }

  /** What was begun for this name; taking it without a use leaves the count as it is. */
  takeAhead(name: string): Promise<IncrementResponse> | undefined {
    const [first, ...others] = this.ahead.get(name) ?? [];
    if (others.length > 0) this.ahead.set(name, others);
    else this.ahead.delete(name);
    return first;
  }

  private async count(name: string): Promise<IncrementResponse> {
    try {
      return await super.increment(name);
    } catch (error) {
      if (name.startsWith(KEY_COUNTER)) return this.local.increment(name, Date.now());
      throw unavailable(error);
    }
  }
}

/**
 * The store keeps the outcome of loading its script for good, a failure too. A script's hash is known without Redis,
 * so a failed load is answered with it: the store then loads the script when Redis says that it has none.
 */
async function send(redis: RedisBreaker, command: string[]): Promise<RedisReply> {
  const [name = '', ...args] = command;
  try {
    return (await redis.ask((connection) => connection.call(name, ...args))) as RedisReply;
  } catch (error) {
    const [verb, script] = args;
    if (name === 'SCRIPT' && verb === 'LOAD' && script !== undefined) {
      return createHash('sha1').update(script).digest('hex');
    }
    throw error;
  }
}
