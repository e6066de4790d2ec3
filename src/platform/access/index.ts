import type { RequestHandler } from 'express';
import type { Config } from '../config/config.js';
import { type CheckAdminSecret, adminSecretCheck, adminSecretTest } from './admin-secret.js';
import { FROM_FUTURE, requireKey, requireWriter, shownBy, type VerifyToken } from './authenticate.js';
import { KeyStore } from './keys.js';
import { Idempotency } from './idempotency.js';
import type { KeyIdentity } from './identity.js';
import { count, type FindAndCount, limit, refuseStrangers } from './limit.js';
import type { RedisBreaker } from './redis-breaker.js';
import { WriteQuotas } from './write-quotas.js';
import { counterOf, RateLimitStore } from './rate-limit-store.js';
import { SUGGESTIONS_TIMES, TIERS, WRITE_LIMIT } from './tiers.js';

/** A window of a minute: how many requests it takes and has taken; no end where it has not begun. */
export interface Window {
  limit: number;
  used: number;
  resetsAt: Date | null;
}

/** Who may call, and how often. The order is limit → requireKey: every refusal counts. */
export interface Access {
  keys: KeyStore;
  /** Finds the request's key, if any (`keyOf(response)` gives it), and counts against that, else the address. */
  limit: RequestHandler;
  /** The same in the window of suggestions. */
  limitSuggestions: RequestHandler;
  /** The same in the window of requests that write. */
  limitWrites: RequestHandler;
  /** Counts against the address, whatever key is shown; while Redis is away, it counts in this process. */
  limitAddress: RequestHandler;
  /** The operator's endpoints count first, and refuse when the body is read: it may hold the secret. */
  count: RequestHandler;
  refuseStrangers: RequestHandler;
  /** 401 without a usable key. */
  requireKey: RequestHandler;
  /** 403 for keys that may write nothing. */
  requireWriter: RequestHandler;
  /** What a key has used of its windows. */
  usage(key: KeyIdentity): Promise<{ requests: Window; suggestions: Window; writes: Window }>;
  idempotency: Idempotency;
  quotas: WriteQuotas;
  checkAdminSecret: CheckAdminSecret;
  /** Requests whose limit was counted in this process since it started, because Redis did not count them. */
  readonly countedLocally: number;
}

/** @param verifyToken without it, no tokens are taken. */
export function createAccess(given: {
  redis: RedisBreaker;
  config: Pick<Config, 'indexPrefix' | 'adminSecret'> & Partial<Pick<Config, 'workers'>>;
  verifyToken?: VerifyToken;
}): Access {
  const { redis, config, verifyToken } = given;
  const keys = new KeyStore(redis, config.indexPrefix);
  let countedLocally = 0;
  const onLocal = () => {
    countedLocally += 1;
  };
  const store = (options: { window?: string; addressesLocally?: boolean } = {}) =>
    new RateLimitStore(redis, config.indexPrefix, { ...options, onLocal, workers: config.workers });
  const counters = store();
  // Of the same window: a limiter insists on a store of its own.
  const addressCounters = store();
  const linkCounters = store({ addressesLocally: true });
  const findIn =
    (store: RateLimitStore): FindAndCount =>
    async (request, response, address) => {
      const shown = await shownBy(request, verifyToken);
      if (shown === FROM_FUTURE) response.locals.tokenFromFuture = true;
      return shown === null || shown === FROM_FUTURE ? null : store.countFor(shown, address, keys);
    };
  const suggestionCounters = store({ window: 'suggestions' });
  const suggestionsOf = ({ tier }: KeyIdentity) => TIERS[tier] * SUGGESTIONS_TIMES;
  const writeCounters = store({ window: 'writes' });
  const windowOf = async (store: RateLimitStore, key: KeyIdentity, most: number): Promise<Window> => {
    const { hits, resetsAt } = await store.counted(counterOf(key));
    return { limit: most, used: hits, resetsAt };
  };
  return {
    keys,
    limit: limit(count(counters, findIn(counters))),
    limitSuggestions: limit(count(suggestionCounters, findIn(suggestionCounters), suggestionsOf)),
    limitWrites: limit(count(writeCounters, findIn(writeCounters), () => WRITE_LIMIT)),
    limitAddress: limit(count(linkCounters)),
    count: count(addressCounters),
    refuseStrangers: refuseStrangers(adminSecretTest(config.adminSecret)),
    requireKey,
    requireWriter,
    async usage(key) {
      const [requests, suggestions, writes] = await Promise.all([
        windowOf(counters, key, TIERS[key.tier]),
        windowOf(suggestionCounters, key, suggestionsOf(key)),
        windowOf(writeCounters, key, WRITE_LIMIT),
      ]);
      return { requests, suggestions, writes };
    },
    idempotency: new Idempotency(redis, config.indexPrefix),
    quotas: new WriteQuotas(redis, config.indexPrefix, config.workers),
    checkAdminSecret: adminSecretCheck(config.adminSecret, addressCounters),
    get countedLocally() {
      return countedLocally;
    },
  };
}
