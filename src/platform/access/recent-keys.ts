import type { KeyIdentity } from './identity.js';

/** How long a key is believed after Redis has confirmed it. */
export const REMEMBERED_MS = 60_000;
const MAX_KEYS = 10_000;

/**
 * The keys that Redis has confirmed in the last minute, for the time when it cannot be asked. Bounded: the one that
 * was confirmed longest ago gives way. Times are milliseconds on any clock that does not go back.
 */
export class RecentKeys {
  private readonly seen = new Map<string, { key: KeyIdentity; at: number }>();

  /**
   * Redis has just confirmed this key.
   * @param credential the key's hash or its id: what it was found by.
   */
  remember(credential: string, key: KeyIdentity, now: number): void {
    this.seen.delete(credential);
    this.seen.set(credential, { key, at: now });
    if (this.seen.size > MAX_KEYS) {
      const [oldest] = this.seen.keys();
      if (oldest !== undefined) this.seen.delete(oldest);
    }
  }

  /** The key, if it was confirmed in the last minute. Use does not prolong that: meanwhile it may have been revoked. */
  recall(credential: string, now: number): KeyIdentity | null {
    const found = this.seen.get(credential);
    return found === undefined || now - found.at > REMEMBERED_MS ? null : found.key;
  }

  /** Forgets what was found by this credential. */
  forget(credential: string): void {
    this.seen.delete(credential);
  }

  /** Forgets a key by its id, whatever it was found by. */
  forgetKey(id: string): void {
    for (const [credential, { key }] of this.seen) if (key.id === id) this.seen.delete(credential);
  }
}
