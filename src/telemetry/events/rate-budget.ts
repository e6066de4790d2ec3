interface TokenBucket {
  tokens: number;
  /** When the tokens of the bucket were last updated, in milliseconds since 1970. */
  updatedAt: number;
  omitted: number;
}

const MINUTE_MS = 60_000;

/** A token bucket for each kind of event of anonymous requests, so that these cannot fill the disk that the catalogue shares. */
export class RateBudget {
  /** The number of events that were deliberately not written since the start. */
  omitted = 0;
  readonly #buckets = new Map<string, TokenBucket>();

  /** Takes a token of a kind, of which there must be few. @returns how many events were omitted since the last; null: this one, too. */
  take(kind: string, perMinute: number, now: Date): number | null {
    const at = now.getTime();
    const bucket = this.#buckets.get(kind) ?? { tokens: perMinute, updatedAt: at, omitted: 0 };
    // Requests do not end in the order in which they started, so time may seem to go back.
    const elapsedMs = Math.max(0, at - bucket.updatedAt);
    const tokens = Math.min(perMinute, bucket.tokens + (perMinute * elapsedMs) / MINUTE_MS);
    const isWritten = tokens >= 1;
    this.#buckets.set(kind, {
      tokens: isWritten ? tokens - 1 : tokens,
      updatedAt: Math.max(at, bucket.updatedAt),
      omitted: isWritten ? 0 : bucket.omitted + 1,
    });
    if (isWritten) return bucket.omitted;
    this.omitted += 1;
    return null;
  }
}
