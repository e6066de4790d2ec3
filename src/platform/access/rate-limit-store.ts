import { hash } from 'node:crypto';
import { ipKeyGenerator, type IncrementResponse, type Store } from 'express-rate-limit';
import type { CountReply } from './count-script.js';
import type { KeyIdentity } from './identity.js';
import { type KeyStore, type Shown, toIdentity } from './keys.js';
import { LocalRateLimits } from './local-rate-limits.js';
import type { RedisBreaker } from './redis-breaker.js';
import { redisUnavailable } from './redis-writes.js';
import { WINDOW_MS } from './tiers.js';

/** Names of counters of keys begin with this; those of addresses do not. */
const KEY_COUNTER = 'key:';
const ADDRESS_COUNTER = 'address:';

/** The name of a key's counter. */
export const counterOf = ({ id }: Pick<KeyIdentity, 'id'>): string => `${KEY_COUNTER}${id}`;

/**
 * The name of an address's counter: an IPv6 one counts with the rest of its /56, which one customer has to himself.
 * Hashed, so that Redis holds neither addresses nor anything that a client has written.
 */
export const addressCounter = (what: 'address' | 'admin', address: string): string =>
  `${what}:${hash('sha256', ipKeyGenerator(address), 'base64url')}`;

/** What a store of counters may be told. */
interface RateLimitStoreOptions {
  /** The name of the window, where it is not the only one. */
  window?: string;
  /** Whether addresses too are counted in this process while Redis is away. */
  addressesLocally?: boolean;
  /** Is called for each request that is counted in this process. */
  onLocal?: () => void;
  /** How many processes the instance has: each counts its share while Redis is away. */
  workers?: number;
}

/**
 * Counters in windows of a minute, by Redis's clock and shared by all instances: one command each.
 * While Redis is away, keys are counted in this process instead, and addresses where `addressesLocally` is set; any other
 * count is a 503 ApiError, because without Redis nobody can tell whether the key of a request is good.
 */
export class RateLimitStore implements Store {
  /** Of every name in Redis. */
  readonly prefix: string;
  private readonly local: LocalRateLimits;
  /** What is counted already: the limiter asks for a name first, and for the count of that name right afterwards. */
  private readonly done = new Map<string, IncrementResponse[]>();

  private readonly addressesLocally: boolean;
  private readonly onLocal: () => void;

  constructor(
    private readonly redis: RedisBreaker,
    prefix: string,
    { window, addressesLocally = false, onLocal = () => undefined, workers = 1 }: RateLimitStoreOptions = {},
  ) {
    this.local = new LocalRateLimits(WINDOW_MS, workers);
    this.onLocal = onLocal;
    this.addressesLocally = addressesLocally;
    this.prefix = `${prefix}:${window === undefined ? 'limit' : `limit-${window}`}:`;
  }

  /**
   * Finds the key that a request shows and counts the request, against the key or else its address, in one trip. The
   * next `increment` of that counter tells the count.
   * @param address the name of the address's counter.
   * @throws ApiError 503 where it cannot be known whether the key is good, or an address not be counted.
   */
  async countFor(shown: Shown, address: string, keys: KeyStore): Promise<KeyIdentity | null> {
    let reply: CountReply | null = null;
    const key = await keys.find(shown, async (record, now) => {
      reply = await this.ask([this.prefix + address, record], now, keys.idPrefix);
      const [, , ...fields] = reply;
      return fields.length === 0 ? null : toIdentity(...fields);
    });
    const name = key === null ? address : counterOf(key);
    const counted = this.told(name, reply);
    this.done.set(name, [...(this.done.get(name) ?? []), counted]);
    return key;
  }

  async increment(name: string): Promise<IncrementResponse> {
    const [first, ...others] = this.done.get(name) ?? [];
    if (others.length > 0) this.done.set(name, others);
    else this.done.delete(name);
    if (first !== undefined) return first;
    return this.ask([this.prefix + name], new Date()).then(
      (reply) => this.told(name, reply),
      (error: unknown) => this.told(name, null, error),
    );
  }

  /** How often a name was counted in its window so far, and when that ends. @throws ApiError 503 without Redis. */
  async counted(name: string): Promise<{ hits: number; resetsAt: Date | null }> {
    const counter = this.prefix + name;
    try {
      const [hits, left] = await this.redis.ask((redis) =>
        Promise.all([redis.get(counter), redis.pttl(counter)]),
      );
      // It may have ended between the two.
      return left > 0 ? { hits: Number(hits), resetsAt: endOf(left) } : { hits: 0, resetsAt: null };
    } catch (error) {
      throw redisUnavailable(error);
    }
  }

  /** Of the interface, as the next: nothing here takes a count back. */
  async decrement(name: string): Promise<void> {
    await this.redis.ask((redis) => redis.decr(this.prefix + name));
  }

  async resetKey(name: string): Promise<void> {
    await this.redis.ask((redis) => redis.del(this.prefix + name));
  }

  private ask(names: string[], now: Date, idPrefix = ''): Promise<CountReply> {
    const given = [...names, WINDOW_MS, now.toISOString(), this.prefix + KEY_COUNTER, idPrefix];
    return this.redis
      .ask((redis) => redis.countRequest(names.length, ...given))
      .then((reply) => {
        if (typeof reply[0] === 'number') this.redis.writes.accepted();
        return reply;
      });
  }

  /** What the limiter is told. A refusal to write is in the reply. @param reply null: none came, for this reason. */
  private told(name: string, reply: CountReply | null, reason?: unknown): IncrementResponse {
    const [hits, left] = reply ?? [null, 0];
    if (typeof hits === 'number') return { totalHits: hits, resetTime: endOf(left) };
    const failure = hits === null ? reason : this.redis.writes.refused(hits);
    if (name.startsWith(KEY_COUNTER) || (this.addressesLocally && name.startsWith(ADDRESS_COUNTER))) {
      this.onLocal();
      return this.local.increment(name, Date.now());
    }
    throw redisUnavailable(failure);
  }
}

const endOf = (left: number): Date => new Date(Date.now() + left);
