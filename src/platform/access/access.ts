import type { Config } from '../config/config.js';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { adminSecretCheck, adminSecretTest } from './admin-secret.js';
import {
  acceptPublic,
  credentialOf,
  type FindAccessToken,
  FROM_FUTURE,
  requireKey,
  requireWriter,
  type VerifyToken,
} from './authenticate.js';
import { Idempotency } from '../redis/idempotency.js';
import type { KeyIdentity } from './key.js';
import { KeyStore } from './key-store.js';
import type { Revocations } from './known-keys.js';
import { count, type FindAndCount, limit, refuseOverLimit } from './limit.js';
import { OAuthGrants, oauthResource } from './oauth-grants.js';
import { RateLimitStore } from './rate-limit-store.js';
import { SUGGESTIONS_FACTOR, TIERS, WRITE_LIMIT } from './tiers.js';
import { WriteQuotas } from './write-quotas.js';

/** The path of the resource that OAuth protects, as Express matches it. */
const MCP_PATH = /^\/mcp\/?$/i;

export type Access = ReturnType<typeof createAccess>;

/**
 * Creates the authentication and rate limits of requests. `limit` runs before `requireKey`, so that refused
 * requests are counted.
 * @param revocations where revocations are recorded for the time when Redis is away; by default, nowhere.
 * @param verifyToken verifies tokens; by default, tokens are not accepted.
 */
export function createAccess({
  redis,
  config,
  revocations,
  verifyToken,
}: {
  redis: RedisBreaker;
  config: Pick<Config, 'indexPrefix' | 'adminSecret'> &
    Partial<Pick<Config, 'workers' | 'publicReadLimit' | 'oauthIssuer' | 'publicUrl'>>;
  revocations?: Revocations;
  verifyToken?: VerifyToken;
}) {
  const keys = new KeyStore(redis, config.indexPrefix, revocations);
  const grants = new OAuthGrants(redis, config.indexPrefix);
  const { oauthIssuer = null, publicUrl = '' } = config;
  // Access tokens are valid for `/mcp` only, which is the resource that they were issued for.
  const findAccessToken: FindAccessToken | undefined =
    oauthIssuer === null
      ? undefined
      : async (request, token) =>
          MCP_PATH.test(request.path) ? grants.keyOf(token, oauthResource(publicUrl)) : null;
  const store = (options: { window?: 'suggestions' | 'writes'; addressesLocally?: boolean } = {}) =>
    new RateLimitStore(redis, config.indexPrefix, { ...options, workers: config.workers });
  const findIn =
    (counters: RateLimitStore): FindAndCount =>
    async (request, response, addressCounter) => {
      const credential = await credentialOf(request, verifyToken, findAccessToken);
      if (credential === FROM_FUTURE) response.locals.tokenFromFuture = true;
      return credential === null || credential === FROM_FUTURE
        ? null
        : counters.countFor(credential, addressCounter, keys);
    };
  // express-rate-limit requires a separate store for each limiter. The first three stores count in one
  // rate-limit window in Redis.
  const requests = store();
  const adminRequests = store({ addressesLocally: true });
  const links = store({ addressesLocally: true });
  const suggestions = store({ window: 'suggestions' });
  const writes = store({ window: 'writes' });
  const { publicReadLimit = null } = config;
  const publicLimit = publicReadLimit ?? 0;
  const suggestionLimit = ({ tier }: KeyIdentity) => TIERS[tier] * SUGGESTIONS_FACTOR;
  return {
    keys,
    /** The clients and tokens of OAuth. */
    grants,
    /**
     * Middleware that looks up the request's API key, which `keyOf(response)` then returns, and counts the
     * request against the key or, without one, against the client address. Refuses it with 429 above the
     * limit.
     */
    limit: limit(count(requests, findIn(requests), undefined, publicLimit)),
    /** Middleware like `limit`, which counts a request for suggestions in a rate-limit window of its own. */
    limitSuggestions: limit(
      count(suggestions, findIn(suggestions), suggestionLimit, publicLimit * SUGGESTIONS_FACTOR),
    ),
    /** Middleware like `limit`, which counts a write request in a rate-limit window of its own. */
    limitWrites: limit(count(writes, findIn(writes), () => WRITE_LIMIT)),
    /** Middleware that counts a request against its client address, even while Redis is unavailable. */
    limitAddress: limit(count(links)),
    /**
     * Middleware that only counts a request. `refuseOverLimit` refuses one above the limit after its body was
     * read, because the body may contain the admin secret.
     */
    count: count(adminRequests),
    refuseOverLimit: refuseOverLimit(adminSecretTest(config.adminSecret)),
    /** Middleware before `limit` for requests that only read: none, or one that accepts requests without a key. */
    acceptPublic: publicReadLimit === null ? [] : [acceptPublic],
    requireKey,
    /** Middleware that answers 403 to a request whose API key has no scope to write. */
    requireWriter,
    /** Returns the current state of a key's rate-limit windows. */
    async usage(key: KeyIdentity) {
      const [ofRequests, ofSuggestions, ofWrites] = await Promise.all([
        requests.usage(key, TIERS[key.tier]),
        suggestions.usage(key, suggestionLimit(key)),
        writes.usage(key, WRITE_LIMIT),
      ]);
      return { requests: ofRequests, suggestions: ofSuggestions, writes: ofWrites };
    },
    idempotency: new Idempotency(redis, config.indexPrefix),
    quotas: new WriteQuotas(redis, config.indexPrefix, config.workers),
    checkAdminSecret: adminSecretCheck(config.adminSecret, adminRequests),
    /** The number of requests since the start that this process counted because Redis was unavailable. */
    get countedLocally() {
      const stores = [requests, adminRequests, links, suggestions, writes];
      return stores.reduce((sum, { countedLocally }) => sum + countedLocally, 0);
    },
  };
}
