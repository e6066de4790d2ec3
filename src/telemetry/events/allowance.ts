interface Bucket {
  tokens: number;
  /** When they were counted last. */
  at: number;
  omitted: number;
}

const MINUTE_MS = 60_000;

/**
 * How many events are written of requests that nobody answers for: so many a minute of each kind (token buckets), so
 * that strangers cannot fill the disk that the catalogue is on. What is left out is counted.
 */
export class Allowance {
  /** Events left out since the start. */
  omitted = 0;
  readonly #buckets = new Map<string, Bucket>();

  /**
   * @param kind a bucket of its own; there must be few of them.
   * @param perMinute how many of the kind, and how many at once.
   * @returns how many of its kind were left out since the last one that was not; null: this one is left out too.
   */
  take(kind: string, perMinute: number, now: Date): number | null {
    const at = now.getTime();
    const { tokens, at: before, omitted } = this.#buckets.get(kind) ?? { tokens: perMinute, at, omitted: 0 };
    // Requests do not end in the order in which they came.
    const passed = Math.max(0, at - before);
    const filled = Math.min(perMinute, tokens + (perMinute * passed) / MINUTE_MS);
    const taken = filled >= 1;
    this.#buckets.set(kind, {
      tokens: taken ? filled - 1 : filled,
      at: Math.max(at, before),
      omitted: taken ? 0 : omitted + 1,
    });
    if (taken) return omitted;
    this.omitted += 1;
    return null;
  }
}
