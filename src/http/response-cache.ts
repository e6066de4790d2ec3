import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Answer } from '../platform/answer.js';

type SerializedAnswer = Answer & { body: Buffer };

export interface Caches {
  listings: ResponseCache;
  suggestions: ResponseCache;
}

/** An entry of the cache. It is empty after the first request with a key; only the second one stores the answer. */
interface CacheEntry {
  answer: SerializedAnswer | null;
  version: string | null;
}

/** The number of simultaneous requests from which the cache saves more than looking up the version costs. */
export const BUSY = 5;

/** The maximum time in ms to look up the version of the catalogue. If it takes longer, the cache is not used. */
const VERSION_TIMEOUT_MS = 100;

export const MAX_BYTES = 32 * 1024 * 1024;

const ENTRY_OVERHEAD_BYTES = 500;

/** A cache for a busy service. An answer is stored at its second request, and is valid until the catalogue changes. */
export class ResponseCache {
  private readonly entries: LRUCache<string, CacheEntry>;
  private active = 0;
  private version: string | null = null;
  private lookUp: Promise<string | null> | null = null;
  private nextLookUp: Promise<string | null> | null = null;

  /** @param findVersion returns a name of the catalogue's state, which differs after every change that searches see. */
  constructor(
    private readonly findVersion: () => Promise<string>,
    private readonly bounds = { busy: BUSY, bytes: MAX_BYTES },
  ) {
    this.entries = new LRUCache({
      maxSize: bounds.bytes,
      sizeCalculation: ({ answer }, key) =>
        ENTRY_OVERHEAD_BYTES + 2 * key.length + (answer?.body.length ?? 0),
    });
  }

  /** Returns the cached answer if it is valid, otherwise that of `handle`. @param key what it depends on besides the catalogue. */
  async answer(key: string, handle: () => Promise<Answer> | Answer): Promise<Answer> {
    this.active += 1;
    try {
      return await (this.active < this.bounds.busy ? handle() : this.cachedOr(key, handle));
    } finally {
      this.active -= 1;
    }
  }

  get usage(): { entries: number; bytes: number } {
    return { entries: this.entries.size, bytes: this.entries.calculatedSize };
  }

  private async cachedOr(key: string, handle: () => Promise<Answer> | Answer): Promise<Answer> {
    const entry = this.entries.get(key);
    if (entry === undefined) {
      this.entries.set(key, { answer: null, version: null });
      return handle();
    }
    // The version is read first, so that an answer made during a change becomes invalid early rather than late.
    let { version } = this;
    if (version === null || entry.version === version) version = await this.currentVersion();
    if (entry.answer !== null && entry.version === version) return entry.answer;
    const answer = serialized(await handle());
    if (version !== null) this.entries.set(key, { answer, version });
    return answer;
  }

  /** Waiting requests share a look-up that starts after they have arrived, so that it sees every change before them. */
  private currentVersion(): Promise<string | null> {
    if (this.lookUp === null) return this.startLookUp();
    this.nextLookUp ??= this.lookUp.then(() => this.startLookUp());
    return this.nextLookUp;
  }

  private startLookUp(): Promise<string | null> {
    this.nextLookUp = null;
    const found = this.findVersion().then(
      (version) => (this.version = version),
      () => null,
    );
    const timeout = sleep(VERSION_TIMEOUT_MS, null, { ref: false });
    const lookUp = Promise.race([found, timeout]).finally(() => {
      this.lookUp = null;
    });
    this.lookUp = lookUp;
    return lookUp;
  }
}

function serialized(answer: Answer): SerializedAnswer {
  const { body } = answer;
  return { ...answer, body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)) };
}
