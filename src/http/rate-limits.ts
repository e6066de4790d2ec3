import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { Access, RateLimit } from '../platform/access/access.js';
import { FROM_FUTURE, isPublic, keyOf } from '../platform/access/authenticate.js';
import { addressCounter, addressOf } from '../platform/access/client-address.js';
import { ADDRESS_LIMIT, WINDOW_MS } from '../platform/access/tiers.js';
import { parseClientJson } from '../platform/client-json.js';
import { rateLimited } from '../platform/errors.js';

export type RateLimits = ReturnType<typeof createRateLimits>;

/**
 * Creates middleware that looks up the API key of a request, which `keyOf(response)` then returns, counts the request against
 * the key or, without one, against the client address, sets the rate-limit headers, and refuses it with 429 above the limit. It
 * runs before the credential is required, so that refused requests are counted.
 */
export function createRateLimits(access: Access) {
  const { requests, suggestions, writes, links, admin } = access.limits;
  const limit =
    (counting: RequestHandler): RequestHandler =>
    (request, response, next) => {
      void counting(request, response, (error?: unknown) => {
        next(error ?? (isOverLimit(response) ? rateLimited() : undefined));
      });
    };
  return {
    limit: limit(count(access, requests)),
    limitSuggestions: limit(count(access, suggestions)),
    limitWrites: limit(count(access, writes)),
    limitAddress: limit(count(access, links)),
    /** Only counts a request of the operator. */
    countAdmin: count(access, admin),
    /**
     * Refuses a request above the limit after its body was read, unless it contains the admin secret, so that no other client
     * can lock the operator out.
     */
    refuseOverLimit: ((request, response, next) => {
      const isAllowed = !isOverLimit(response) || access.isAdminSecret(adminSecretOf(request));
      next(isAllowed ? undefined : rateLimited());
    }) satisfies RequestHandler,
  };
}

const count = (access: Access, { counters, limitOf, publicLimit }: RateLimit): RequestHandler =>
  rateLimit({
    windowMs: WINDOW_MS,
    store: counters,
    keyGenerator: async (request, response) => {
      // Public requests have a counter of their own, so that guessed keys and clicks do not use up their limit.
      if (isPublic(response)) return addressCounter('public', addressOf(request));
      const address = () => addressCounter('address', addressOf(request));
      const credential = limitOf === null ? null : await access.credentialOf(request);
      response.locals.tokenFromFuture = credential === FROM_FUTURE;
      if (credential === null || credential === FROM_FUTURE) return address();
      const { key, counter } = await counters.countFor(credential, address, access.keys);
      response.locals.key = key;
      return counter;
    },
    limit: (_request, response) => {
      if (isPublic(response)) return publicLimit;
      const key = keyOf(response);
      return key === null || limitOf === null ? ADDRESS_LIMIT : limitOf(key);
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
