import type { IncrementResponse } from 'express-rate-limit';

/** About 20 MB. A client can come from many addresses; beyond this number the oldest counters are dropped. */
const MOST_WINDOWS = 100_000;

/**
 * Counters in fixed windows, in the memory of this process. If an instance has several processes, each allows its share of a
 * limit. Counting is one step, unlike with the limiter's own memory
 * store, whose answers change under requests that come at the same time. Times are Unix milliseconds.
 */
export class LocalRateLimits {
  /** In the order in which the windows began, so also in that in which they end. */
  private readonly windows = new Map<string, { hits: number; end: number }>();

  constructor(
    private readonly lengthMs: number,
    private readonly workers = 1,
  ) {}

  increment(name: string, now: number): IncrementResponse {
    this.dropEnded(now);
    const window = this.windows.get(name) ?? { hits: 0, end: now + this.lengthMs };
    window.hits++;
    this.windows.set(name, window);
    if (this.windows.size > MOST_WINDOWS) this.dropOldest();
    // The other processes are assumed to have counted as many requests. The first request is always allowed.
    return { totalHits: 1 + (window.hits - 1) * this.workers, resetTime: new Date(window.end) };
  }

  private dropOldest(): void {
    const [oldest] = this.windows.keys();
    if (oldest !== undefined) this.windows.delete(oldest);
  }

  private dropEnded(now: number): void {
    for (const [name, { end }] of this.windows) {
      if (end > now) return;
      this.windows.delete(name);
    }
  }
}
