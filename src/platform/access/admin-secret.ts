import { hash, timingSafeEqual } from 'node:crypto';
import { invalidAdminSecret, rateLimited } from '../errors.js';
import { addressCounter } from './client-address.js';
import type { RateLimitStore } from './rate-limit-store.js';

/** The number of wrong admin secrets that one network, and all of them together, may send per one-minute window. */
const MAX_WRONG = { ofNetwork: 5, ofAll: 50 };

/**
 * Checks an admin secret. The correct one is always accepted, so that others of its network cannot lock the operator out.
 * @throws ApiError 403 if it is wrong or missing; 429 after five wrong ones of a network, or fifty of all, in a minute.
 */
export type CheckAdminSecret = (attempt: { given: string | undefined; address: string }) => Promise<void>;

export type IsAdminSecret = (given: string | undefined) => boolean;

/** Creates a check for the admin secret. @param adminSecret null if none is configured. */
export const adminSecretTest =
  (adminSecret: string | null): IsAdminSecret =>
  (given) =>
    adminSecret !== null && given !== undefined && isEqual(given, adminSecret);

/** Creates a check that limits wrong admin secrets. @param adminSecret null if none is configured. */
export function adminSecretCheck(adminSecret: string | null, counters: RateLimitStore): CheckAdminSecret {
  const isCorrect = adminSecretTest(adminSecret);
  return async ({ given, address }) => {
    if (isCorrect(given)) return;
    // Requests without a secret, and all requests if none is configured, are refused without being counted: they guess nothing.
    if (adminSecret === null || given === undefined) throw invalidAdminSecret();
    const { totalHits: own } = await counters.increment(addressCounter('admin', address));
    if (own > MAX_WRONG.ofNetwork) throw rateLimited();
    const { totalHits: all } = await counters.increment('admin:all');
    throw all > MAX_WRONG.ofAll ? rateLimited() : invalidAdminSecret();
  };
}

/** Compares hashes, so that the time reveals nothing about the texts, not even their lengths. */
const isEqual = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
