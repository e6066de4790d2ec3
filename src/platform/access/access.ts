import type { Request } from 'express';
import type { Config } from '../config/config.js';
import { Idempotency } from '../redis/idempotency.js';
import type { RedisBreaker } from '../redis/redis-breaker.js';
import { adminSecretChecks } from './admin-secret.js';
import {
  type Credential,
  credentialOfRawKey,
  type FROM_FUTURE,
  type KeyIdentity,
  type VerifyToken,
} from './key.js';
import { KeyStore } from './key-store.js';
import type { Revocations } from './known-keys.js';
import { isAccessToken, OAuthGrants, oauthResource } from './oauth-grants.js';
import { RateLimitStore, type RateLimitWindow } from './rate-limit-store.js';
import { SUGGESTIONS_FACTOR, TIERS, WRITE_LIMIT } from './tiers.js';
import { WriteQuotas } from './write-quotas.js';

/** The header `Authorization: Bearer …`, with exactly one space, as in RFC 6750, in any letter case. */
const BEARER = /^bearer ([A-Za-z0-9._~+/-]+=*)$/i;
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The path of the resource that OAuth protects, as Express matches it. */
const MCP_PATH = /^\/mcp\/?$/i;

export interface RateLimit {
  counters: RateLimitStore;
  /** The limit of a key; null if all requests count against their addresses. */
  limitOf: ((key: KeyIdentity) => number) | null;
  publicLimit: number;
}

export type Access = ReturnType<typeof createAccess>;

/** Creates the functions that authenticate and count requests. By default, no tokens are accepted and no revocations recorded. */
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
  const { adminSecret, indexPrefix, oauthIssuer = null, publicUrl = '', publicReadLimit, workers } = config;
  const credentialOf = async (request: Request): Promise<Credential | typeof FROM_FUTURE | null> => {
    const text = BEARER.exec(request.get('authorization') ?? '')?.[1];
    if (text === undefined) return null;
    const ofKey = credentialOfRawKey(text);
    if (ofKey !== null) return ofKey;
    if (!isAccessToken(text)) return (TOKEN.test(text) && (await verifyToken?.(text))) || null;
    // Access tokens are valid for `/mcp` only, which is the resource that they were issued for.
    const isForResource = oauthIssuer !== null && MCP_PATH.test(request.path);
    return isForResource ? grants.keyOf(text, oauthResource(publicUrl)) : null;
  };
  // express-rate-limit requires a store for each limiter. The stores of the same window share their counters in Redis.
  const limitBy = (limitOf: RateLimit['limitOf'], window?: 'suggestions' | 'writes', publicLimit = 0) => {
    const options = { window, addressesLocally: limitOf === null, workers };
    return { counters: new RateLimitStore(redis, indexPrefix, options), limitOf, publicLimit };
  };
  const ofTier = ({ tier }: KeyIdentity) => TIERS[tier];
  const ofSuggestions = (key: KeyIdentity) => ofTier(key) * SUGGESTIONS_FACTOR;
  const publicLimit = publicReadLimit ?? 0;
  const limits = {
    requests: limitBy(ofTier, undefined, publicLimit),
    suggestions: limitBy(ofSuggestions, 'suggestions', publicLimit * SUGGESTIONS_FACTOR),
    writes: limitBy(() => WRITE_LIMIT, 'writes'),
    links: limitBy(null),
    admin: limitBy(null),
  };
  return {
    keys,
    grants,
    limits,
    isPublicRead: typeof publicReadLimit === 'number',
    /** Reads the API key or token of a request; null if it cannot be one of this service. */
    credentialOf,
    async usage(key: KeyIdentity): Promise<Record<'requests' | 'suggestions' | 'writes', RateLimitWindow>> {
      const usageOf = ({ counters, limitOf }: RateLimit) => counters.usage(key.counter, limitOf?.(key) ?? 0);
      const [requests, suggestions, writes] = await Promise.all([
        usageOf(limits.requests),
        usageOf(limits.suggestions),
        usageOf(limits.writes),
      ]);
      return { requests, suggestions, writes };
    },
    idempotency: new Idempotency(redis, indexPrefix),
    quotas: new WriteQuotas(redis, indexPrefix, workers),
    ...adminSecretChecks(adminSecret, limits.admin.counters),
    /** The number of requests since the start that this process counted because Redis was unavailable. */
    get countedLocally() {
      return Object.values(limits).reduce((sum, { counters }) => sum + counters.countedLocally, 0);
    },
  };
}
