import { LRUCache } from 'lru-cache';
import type { KeyIdentity } from './key.js';
import { isExpired } from './key-records.js';

/** How long, in ms, a key is accepted without Redis if the revocations since then cannot be read. */
export const UNCHECKED_MS = 60_000;

/** For how many ms a key is accepted without Redis after Redis last confirmed it, if revocations can be read. */
export const KNOWN_KEY_MS = 12 * 3_600_000;

const MAX_KNOWN_KEYS = 100_000;

/** From when keys are refused, by the id of the key: ISO 8601 in UTC. */
export type Endings = ReadonlyMap<string, string>;

/** Where revocations are recorded besides Redis, so that they take effect while Redis is away. It stores no hashes. */
export interface Revocations {
  /** Records from when a key is refused. Resolves once every process can read it. */
  record(id: string, refusedFrom: string, now: Date): Promise<void>;
  /** The keys that were revoked, or got an earlier expiry, within `KNOWN_KEY_MS`. Rejects if that cannot be read. */
  read(now: Date): Promise<Endings>;
}

/** For programs that serve no requests while Redis is away, or have no Elasticsearch: they cannot read revocations. */
export const NO_REVOCATIONS: Revocations = {
  record: () => Promise.resolve(),
  read: () => Promise.reject(new Error('This process reads no revocations')),
};

/**
 * The keys that Redis confirmed. While it is away, one is accepted for `UNCHECKED_MS` after that or after revocations were read, and
 * for at most `KNOWN_KEY_MS` after that. Accepting a key extends neither.
 */
export class KnownKeys {
  /** The keys with the time when Redis last confirmed them, on the clock of this object. */
  private readonly byId: LRUCache<string, { key: KeyIdentity; confirmedAt: number }>;
  /** The ids of keys by the hashes of their raw forms. */
  private readonly ids: LRUCache<string, string>;
  endings: Endings = new Map();
  private readAt = -Infinity;
  private confirmedAt = -Infinity;
  private reading: Promise<boolean> | null = null;

  constructor(
    private readonly revocations: Revocations,
    private readonly clock: { now(): number } = performance,
  ) {
    // Unlike `max`, the option `maxSize` allocates no memory before there are keys.
    const options = {
      maxSize: MAX_KNOWN_KEYS,
      sizeCalculation: () => 1,
      ttl: KNOWN_KEY_MS,
      ttlResolution: 0,
    };
    this.byId = new LRUCache({ ...options, perf: clock });
    this.ids = new LRUCache({ ...options, perf: clock });
  }

  /** Stores the answer of Redis to a look-up. @param name the id of the key, or the hash of its raw form. */
  confirm(name: string, key: KeyIdentity | null): void {
    if (key === null) {
      this.byId.delete(this.ids.get(name) ?? name);
      this.ids.delete(name);
      return;
    }
    this.confirmedAt = this.clock.now();
    if (name !== key.id) this.ids.set(name, key.id);
    this.byId.set(key.id, { key, confirmedAt: this.confirmedAt });
  }

  /** The developer of a key, which never changes. */
  developerOf(id: string): string | undefined {
    return this.byId.peek(id)?.key.developerId;
  }

  forget(id: string): void {
    this.byId.delete(id);
  }

  /** Decides about a key while Redis is away. @returns null if it was revoked or has expired; undefined if that is unknown. */
  async accept(name: string, now: Date): Promise<KeyIdentity | null | undefined> {
    const id = this.ids.get(name) ?? name;
    const known = this.byId.get(id);
    if (known === undefined) return undefined;
    const isRecent = this.isWithinMinute(known.confirmedAt);
    if (!isRecent && !this.isWithinMinute(this.readAt)) await this.readRevocations(now);
    if (isExpired(known.key.expiresAt, now) || isExpired(this.endings.get(id), now)) return null;
    if (isRecent) return known.key;
    return this.isWithinMinute(this.readAt) ? { ...known.key, readsOnly: true } : undefined;
  }

  /** Reads the revocations again; simultaneous calls share one request. @returns whether they could be read. */
  readRevocations(now: Date): Promise<boolean> {
    this.reading ??= this.revocations
      .read(now)
      .then(
        (endings) => {
          this.endings = endings;
          this.readAt = this.clock.now();
          return true;
        },
        () => false,
      )
      .finally(() => {
        this.reading = null;
      });
    return this.reading;
  }

  /** Whether a key that this process knows is served although Redis is away. */
  get areServed(): boolean {
    const sinceConfirmed = this.clock.now() - this.confirmedAt;
    return this.isWithinMinute(this.readAt) && sinceConfirmed < KNOWN_KEY_MS;
  }

  private isWithinMinute(at: number): boolean {
    return this.clock.now() - at <= UNCHECKED_MS;
  }
}
