import { createHash, timingSafeEqual } from 'node:crypto';
import { ipKeyGenerator } from 'express-rate-limit';
import { invalidAdminSecret, rateLimited } from '../errors.js';
import type { RateLimitStore } from './rate-limit-store.js';

/** Wrong secrets that an address may try in a window. */
const MAX_WRONG = 5;

/**
 * Checks a secret against the configured one.
 * @throws ApiError 403 for a wrong or missing one; 429, right or wrong, after five wrong ones from that address
 * within a minute; 503 when Redis cannot count.
 */
export type CheckAdminSecret = (attempt: { given: string | undefined; address: string }) => Promise<void>;

/** @param adminSecret null: nobody is let in. */
export function adminSecretCheck(adminSecret: string | null, counters: RateLimitStore): CheckAdminSecret {
  return async ({ given, address }) => {
    // Nothing to guess, so nothing to count.
    if (adminSecret === null) throw invalidAdminSecret();
    const right = given !== undefined && isSame(given, adminSecret);
    const counter = `admin:${ipKeyGenerator(address)}`;
    // A wrong one is counted before it is answered, so that many at once are no way round the limit.
    const wrongBefore = right
      ? await counters.hits(counter)
      : (await counters.increment(counter)).totalHits - 1;
    if (wrongBefore >= MAX_WRONG) throw rateLimited();
    if (!right) throw invalidAdminSecret();
  };
}

/** In a time that tells nothing of either text, its length included. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
