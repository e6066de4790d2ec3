import { createHash, timingSafeEqual } from 'node:crypto';
import { invalidAdminSecret, rateLimited } from '../errors.js';
import { addressCounter, type RateLimitStore } from './rate-limit-store.js';

/** Wrong secrets that an address may try in a window. */
const MAX_WRONG = 5;

/**
 * Checks a secret against the configured one. The right one is let in whatever else came from its address, or others
 * there could lock the operator out.
 * @throws ApiError 403 for a wrong or missing one; 429 for those after five from that address within a minute; 503
 * when Redis cannot count them.
 */
export type CheckAdminSecret = (attempt: { given: string | undefined; address: string }) => Promise<void>;

/** Tells the right secret. */
export type IsAdminSecret = (given: string | undefined) => boolean;

/** @param adminSecret null: nobody's is right. */
export const adminSecretTest =
  (adminSecret: string | null): IsAdminSecret =>
  (given) =>
    adminSecret !== null && given !== undefined && isSame(given, adminSecret);

/** @param adminSecret null: nobody is let in. */
export function adminSecretCheck(adminSecret: string | null, counters: RateLimitStore): CheckAdminSecret {
  const isRight = adminSecretTest(adminSecret);
  return async ({ given, address }) => {
    if (isRight(given)) return;
    // Nothing to guess, so nothing to count.
    if (adminSecret === null) throw invalidAdminSecret();
    const { totalHits } = await counters.increment(addressCounter('admin', address));
    throw totalHits > MAX_WRONG ? rateLimited() : invalidAdminSecret();
  };
}

/** In a time that tells nothing of either text, its length included. */
function isSame(a: string, b: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(hash(a), hash(b));
}
