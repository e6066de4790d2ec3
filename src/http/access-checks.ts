import type { RequestHandler } from 'express';
import type { Access } from '../platform/access/access.js';
import { timedForRedis } from '../telemetry/dependency-timings.js';
import { createAdmissionControl } from './admission/admission-control.js';
import type { Pools } from './admission/pools.js';
import type { AccessRule } from './endpoint.js';
import { readUpload } from './transfer/request-body.js';

/** The checks of one access rule: the credential, the rate limit and the permission of a request. */
interface AccessChecks {
  beforeBody: RequestHandler[];
  afterBody: RequestHandler[];
}

/** Creates the checks of every access rule. */
export function createAccessChecks(access: Access, pools: Pools): Record<AccessRule, AccessChecks> {
  const { acceptPublic, requireKey, requireWriter, refuseOverLimit } = access;
  const { enter, leave } = createAdmissionControl(pools.requests);
  const upload = readUpload(pools.uploads);
  const withKey = (limit: RequestHandler) => [enter, timedForRedis(limit), requireKey, leave];
  const before = (...beforeBody: RequestHandler[]): AccessChecks => ({ beforeBody, afterBody: [] });
  return {
    open: before(),
    counted: before(enter, timedForRedis(access.limitAddress), leave),
    key: before(...withKey(access.limit)),
    read: before(...acceptPublic, ...withKey(access.limit)),
    suggestions: before(...acceptPublic, ...withKey(access.limitSuggestions)),
    writer: before(...withKey(access.limitWrites), requireWriter, upload),
    // Admin endpoints have no admission control, so that an operator can still revoke a key that causes
    // overload. Their rate limit follows the body, because the body may contain the admin secret.
    admin: { beforeBody: [timedForRedis(access.count)], afterBody: [refuseOverLimit] },
  };
}
