import type { RequestHandler } from 'express';
import type { Config } from '../config/config.js';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { type CheckAdminSecret, adminSecretCheck, adminSecretTest } from './admin-secret.js';
import { credentialOf, FROM_FUTURE, requireKey, requireWriter, type VerifyToken } from './authenticate.js';
import { Idempotency } from './idempotency.js';
import type { KeyIdentity } from './key.js';
import { KeyStore } from './key-store.js';
import { count, type FindAndCount, limit, refuseOverLimit } from './limit.js';
import { counterOf, RateLimitStore } from './rate-limit-store.js';
import { SUGGESTIONS_FACTOR, TIERS, WRITE_LIMIT } from './tiers.js';
import { WriteQuotas } from './write-quotas.js';

/** The state of a one-minute window. `resetsAt` is null before its first request. */
export interface RateLimitWindow {
  limit: number;
  used: number;
  resetsAt: Date | null;
}

/** Who may call, and how often. `limit` runs before `requireKey`, so that refused requests are counted. */
export interface Access {
  keys: KeyStore;
  /** Looks up the request's key, which `keyOf(response)` then returns, and counts against the key or else the address. */
  limit: RequestHandler;
  /** The same in the window of suggestions. */
  limitSuggestions: RequestHandler;
  /** The same in the window of writes. */
  limitWrites: RequestHandler;
  /** Counts against the address whichever key is presented; in this process while Redis is away. */
  limitAddress: RequestHandler;
  /** Counts without refusing. Admin endpoints refuse after the body is read, because it may contain the secret. */
  count: RequestHandler;
  refuseOverLimit: RequestHandler;
  /** 401 without a usable key. */
  requireKey: RequestHandler;
  /** 403 for a key without any scope to write. */
  requireWriter: RequestHandler;
  /** The windows of a key. */
  usage(
    key: KeyIdentity,
  ): Promise<{ requests: RateLimitWindow; suggestions: RateLimitWindow; writes: RateLimitWindow }>;
  idempotency: Idempotency;
  quotas: WriteQuotas;
  checkAdminSecret: CheckAdminSecret;
  /** The number of requests since the process started that were counted here because Redis did not count them. */
  readonly countedLocally: number;
}

/** @param verifyToken default: tokens are not accepted. */
export function createAccess({
  redis,
  config,
  verifyToken,
}: {
  redis: RedisBreaker;
  config: Pick<Config, 'indexPrefix' | 'adminSecret'> & Partial<Pick<Config, 'workers'>>;
  verifyToken?: VerifyToken;
}): Access {
  const keys = new KeyStore(redis, config.indexPrefix);
  let countedLocally = 0;
  const onLocal = () => {
    countedLocally += 1;
  };
  const store = (options: { window?: string; addressesLocally?: boolean } = {}) =>
    new RateLimitStore(redis, config.indexPrefix, { ...options, onLocal, workers: config.workers });
  const findIn =
    (counters: RateLimitStore): FindAndCount =>
    async (request, response, addressCounter) => {
      const credential = await credentialOf(request, verifyToken);
      if (credential === FROM_FUTURE) response.locals.tokenFromFuture = true;
      return credential === null || credential === FROM_FUTURE
        ? null
        : counters.countFor(credential, addressCounter, keys);
    };
  // express-rate-limit requires a store per limiter; these three share one window in Redis.
  const requests = store();
  const adminRequests = store();
  const links = store({ addressesLocally: true });
  const suggestions = store({ window: 'suggestions' });
  const writes = store({ window: 'writes' });
  const suggestionLimit = ({ tier }: KeyIdentity) => TIERS[tier] * SUGGESTIONS_FACTOR;
  const usageOf = async (counters: RateLimitStore, key: KeyIdentity, max: number) => {
    const { hits, resetsAt } = await counters.usage(counterOf(key));
    return { limit: max, used: hits, resetsAt };
  };
  return {
    keys,
    limit: limit(count(requests, findIn(requests))),
    limitSuggestions: limit(count(suggestions, findIn(suggestions), suggestionLimit)),
    limitWrites: limit(count(writes, findIn(writes), () => WRITE_LIMIT)),
    limitAddress: limit(count(links)),
    count: count(adminRequests),
    refuseOverLimit: refuseOverLimit(adminSecretTest(config.adminSecret)),
    requireKey,
    requireWriter,
    async usage(key) {
      const [ofRequests, ofSuggestions, ofWrites] = await Promise.all([
        usageOf(requests, key, TIERS[key.tier]),
        usageOf(suggestions, key, suggestionLimit(key)),
        usageOf(writes, key, WRITE_LIMIT),
      ]);
      return { requests: ofRequests, suggestions: ofSuggestions, writes: ofWrites };
    },
    idempotency: new Idempotency(redis, config.indexPrefix),
    quotas: new WriteQuotas(redis, config.indexPrefix, config.workers),
    checkAdminSecret: adminSecretCheck(config.adminSecret, adminRequests),
    get countedLocally() {
      return countedLocally;
    },
  };
}
