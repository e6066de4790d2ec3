import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import { rateLimited } from '../errors.js';
import { parseClientJson } from '../client-json.js';
import type { IsAdminSecret } from './admin-secret.js';
import { isPublic, keyOf } from './authenticate.js';
import { addressCounter, addressOf } from './client-address.js';
import type { KeyIdentity } from './key.js';
import { ADDRESS_LIMIT, TIERS, WINDOW_MS } from './tiers.js';
import { counterOf, type RateLimitStore } from './rate-limit-store.js';

/** Looks up the API key of a request and counts the request against the key, or else its address. */
export type FindAndCount = (
  request: Request,
  response: Response,
  addressCounter: string,
) => Promise<KeyIdentity | null>;

/**
 * Middleware that counts a request and sets the rate-limit headers; `limit` and `refuseOverLimit` refuse
 * requests.
 * @param find looks up the API key; by default, every request counts against its address.
 * @param limitOf the number of requests per window of a key; by default, that of its tier.
 * @param publicLimit the number of public requests per window of an address.
 */
export function count(
  counters: RateLimitStore,
  find: FindAndCount = () => Promise.resolve(null),
  limitOf: (key: KeyIdentity) => number = ({ tier }) => TIERS[tier],
  publicLimit = 0,
): RequestHandler {
  return rateLimit({
    windowMs: WINDOW_MS,
    store: counters,
    keyGenerator: async (request, response) => {
      // Public requests have a counter of their own, so that guessed keys and clicks do not use up their limit.
      if (isPublic(response)) return addressCounter('public', addressOf(request));
      const address = addressCounter('address', addressOf(request));
      const key = await find(request, response, address);
      response.locals.key = key;
      return key === null ? address : counterOf(key);
    },
    limit: (_request, response) => {
      if (isPublic(response)) return publicLimit;
      const key = keyOf(response);
      return key === null ? ADDRESS_LIMIT : limitOf(key);
    },
    standardHeaders: 'draft-8',
    legacyHeaders: true,
    retryAfter: WINDOW_MS / 1_000,
    // A batch of messages is counted several times.
    validate: { singleCount: false },
    handler: (_request, response, next) => {
      response.locals.overLimit = true;
      next();
    },
  });
}

export function limit(counting: RequestHandler): RequestHandler {
  return (request, response, next) => {
    void counting(request, response, (error?: unknown) => {
      next(error ?? (isOverLimit(response) ? rateLimited() : undefined));
    });
  };
}

/**
 * Middleware that refuses a request above the rate limit, unless it contains the admin secret, so that no
 * other client can lock the operator out.
 */
export function refuseOverLimit(isAdminSecret: IsAdminSecret): RequestHandler {
  return (request, response, next) => {
    const isAllowed = !isOverLimit(response) || isAdminSecret(adminSecretOf(request));
    next(isAllowed ? undefined : rateLimited());
  };
}

const isOverLimit = (response: Response): boolean => response.locals.overLimit === true;

/** The admin secret of a request, from the header or else from the body. */
function adminSecretOf(request: Request): string | undefined {
  const header = request.get('x-admin-secret');
  if (header !== undefined) return header;
  try {
    const { admin_secret: secret } = parseClientJson(String(request.body)) as { admin_secret?: unknown };
    return typeof secret === 'string' ? secret : undefined;
  } catch {
    return undefined;
  }
}
