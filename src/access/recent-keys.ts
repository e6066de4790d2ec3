import type { KeyIdentity } from './identity.js';

/** How long a key is remembered after its last request. */
const REMEMBERED_MS = 60_000;
const MAX_KEYS = 10_000;

/**
 * The keys of the last minute's requests, for the time when Redis cannot be asked. Bounded: the one that was
 * seen longest ago gives way. Times are milliseconds on any clock that does not go back.
 */
export class RecentKeys {
  private readonly seen = new Map<string, { key: KeyIdentity; at: number }>();

  /** @param credential the key's hash or its id: what it was found by. */
  remember(credential: string, key: KeyIdentity, now: number): void {
    this.seen.delete(credential);
    this.seen.set(credential, { key, at: now });
    if (this.seen.size > MAX_KEYS) {
      const [oldest] = this.seen.keys();
      if (oldest !== undefined) this.seen.delete(oldest);
    }
  }

  /** The key, if it was seen in the last minute; being served counts as seen. */
  recall(credential: string, now: number): KeyIdentity | null {
    const key = this.peek(credential, now);
    if (key !== null) this.remember(credential, key, now);
    return key;
  }

  /** The key, if it was seen in the last minute. */
  peek(credential: string, now: number): KeyIdentity | null {
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
