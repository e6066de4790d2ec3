import type { RequestHandler } from 'express';
import type { Access } from '../platform/access/access.js';
import { isPublic, keyOf } from '../platform/access/authenticate.js';
import { writableSources } from '../platform/access/key.js';
import { notAWriter, tokenFromFuture, unauthorized } from '../platform/errors.js';
import { timedForRedis } from '../telemetry/dependency-timings.js';
import { createAdmissionControl } from './admission/admission-control.js';
import type { Pools } from './admission/pools.js';
import type { AccessRule } from './endpoint.js';
import type { RateLimits } from './rate-limits.js';
import { readUpload } from './transfer/request-body.js';

/** The checks of one access rule: the credential, the rate limit and the permission of a request. */
interface AccessChecks {
  beforeBody: RequestHandler[];
  afterBody: RequestHandler[];
}

/**
 * Middleware that lets a request without credentials pass `requireKey`, as a public request. A request with a wrong
 * key is not public.
 */
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

/** Creates the checks of every access rule. */
export function createAccessChecks(
  { isPublicRead }: Access,
  limits: RateLimits,
  pools: Pools,
): Record<AccessRule, AccessChecks> {
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
    writer: before(...withKey(limits.limitWrites), requireWriter, readUpload(pools.uploads)),
    // Admin endpoints have no admission control, so that an operator can still revoke a key that causes
    // overload. Their rate limit follows the body, because the body may contain the admin secret.
    admin: { beforeBody: [timedForRedis(limits.countAdmin)], afterBody: [limits.refuseOverLimit] },
  };
}
