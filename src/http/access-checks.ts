import type { Request, RequestHandler, Response } from 'express';
import { rateLimit } from 'express-rate-limit';
import type { Access, RateLimit } from '../platform/access/access.js';
import { addressCounter, addressOf } from '../platform/access/client-address.js';
import { FROM_FUTURE, isPublic, keyOf, writableSources } from '../platform/access/key.js';
import { ADDRESS_LIMIT, WINDOW_MS } from '../platform/access/tiers.js';
import { parseClientJson } from '../platform/client-json.js';
import { notAWriter, rateLimited, tokenFromFuture, unauthorized } from '../platform/errors.js';
import { timedForRedis } from '../telemetry/dependency-timings.js';
import { UPLOAD_PATH } from '../usecases/write-listings.js';
import { createAdmissionControl } from './admission/admission-control.js';
import type { Pools } from './admission/pools.js';
import type { AccessRule } from './endpoint.js';
import { readUpload } from './transfer/request-body.js';

/** Creates middleware that looks up the API key, counts the request against it or its address, and answers 429 above the limit. */
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
    /** For requests of the operator: only counts the request. `refuseOverLimit` refuses it later, once the body was read. */
    countAdmin: count(access, admin),
    /** Runs after the body was read: a request with the admin secret passes, so that others cannot lock the operator out. */
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
    // Each message of a batch is counted, so one request may count several times.
    validate: { singleCount: false },
    handler: (_request, response, next) => {
      response.locals.overLimit = true;
      next();
    },
  });

const isOverLimit = (response: Response): boolean => response.locals.overLimit === true;

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

interface AccessChecks {
  beforeBody: RequestHandler[];
  afterBody: RequestHandler[];
}

/** Middleware that lets requests without credentials pass `requireKey`. A request with a wrong key does not pass as public. */
const acceptPublic: RequestHandler = (request, response, next) => {
  response.locals.isPublic = request.headers.authorization === undefined;
  next();
};

/** Middleware that refuses a request without a usable key, unless it is public. It runs after the rate limit, which counts it. */
export const requireKey: RequestHandler = (_request, response, next) => {
  if (keyOf(response) !== null || isPublic(response)) next();
  else next(response.locals.tokenFromFuture === true ? tokenFromFuture() : unauthorized());
};

/** Middleware that refuses a request whose key has no scope to write, before the request's body is read. */
const requireWriter: RequestHandler = (_request, response, next) => {
  const key = keyOf(response);
  next(key === null || writableSources(key).size === 0 ? notAWriter() : undefined);
};

/** Refuses an upload while one with its `Idempotency-Key` is running. @throws ApiError 409 */
const refuseRunning =
  ({ idempotency }: Access) =>
  async (request: Request, response: Response): Promise<void> => {
    const [owner, name] = [keyOf(response)?.id, request.get('idempotency-key')];
    if (owner !== undefined && name !== undefined)
      await idempotency.checkNotRunning({ owner, path: UPLOAD_PATH, name });
  };

export function createAccessChecks(
  access: Access,
  limits: ReturnType<typeof createRateLimits>,
  pools: Pools,
): Record<AccessRule, AccessChecks> {
  const { isPublicRead } = access;
  const { enter, leave } = createAdmissionControl(pools.requests);
  const withKey = (limit: RequestHandler) => [enter, timedForRedis(limit), requireKey, leave];
  const read = (limit: RequestHandler) => [...(isPublicRead ? [acceptPublic] : []), ...withKey(limit)];
  const before = (...beforeBody: RequestHandler[]): AccessChecks => ({ beforeBody, afterBody: [] });
  return {
    open: before(),
    counted: before(enter, timedForRedis(limits.limitAddress), leave),
    key: before(...withKey(limits.limit)),
    read: before(...read(limits.limit)),
    suggestions: before(...read(limits.limitSuggestions)),
    writer: before(
      ...withKey(limits.limitWrites),
      requireWriter,
      readUpload(pools.uploads, refuseRunning(access)),
    ),
    // No admission control, so that an operator can still revoke a key that causes overload. The body may have the admin secret.
    admin: { beforeBody: [timedForRedis(limits.countAdmin)], afterBody: [limits.refuseOverLimit] },
  };
}
