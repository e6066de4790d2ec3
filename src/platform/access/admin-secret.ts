import { hash, timingSafeEqual } from 'node:crypto';
import { invalidAdminSecret, rateLimited } from '../errors.js';
import { addressCounter } from './client-address.js';
import type { RateLimitStore } from './rate-limit-store.js';

/** The number of wrong admin secrets that one network, and all of them together, may send per one-minute window. */
const MAX_WRONG = { ofNetwork: 5, ofAll: 50 };

/** Creates the checks of the admin secret. @param adminSecret null if none is configured. */
export function adminSecretChecks(adminSecret: string | null, counters: RateLimitStore) {
  const isAdminSecret = (given: string | undefined): boolean =>
    adminSecret !== null && given !== undefined && isEqual(given, adminSecret);
  return {
    isAdminSecret,
    /**
     * The correct secret is always accepted, so that others of its network cannot lock the operator out.
     * @throws ApiError 403 if it is wrong or missing; 429 after five wrong ones of a network, or fifty of all, in a minute.
     */
    async checkAdminSecret({
      given,
      address,
    }: {
      given: string | undefined;
      address: string;
    }): Promise<void> {
      if (isAdminSecret(given)) return;
      // Requests without a secret, and all requests if none is configured, are refused without being counted: they guess nothing.
      if (adminSecret === null || given === undefined) throw invalidAdminSecret();
      const { totalHits: own } = await counters.increment(addressCounter('admin', address));
      if (own > MAX_WRONG.ofNetwork) throw rateLimited();
      const { totalHits: all } = await counters.increment('admin:all');
      throw all > MAX_WRONG.ofAll ? rateLimited() : invalidAdminSecret();
    },
  };
}

/** Compares hashes, so that the time reveals nothing about the texts, not even their lengths. */
const isEqual = (a: string, b: string): boolean =>
  timingSafeEqual(hash('sha256', a, 'buffer'), hash('sha256', b, 'buffer'));
