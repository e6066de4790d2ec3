import type { IncrementResponse } from 'express-rate-limit';

/**
 * Counters in fixed windows, in this process alone. Counting is one step, unlike with the limiter's own memory
 * store, whose answers change under requests that come at the same time. Times are Unix milliseconds.
 */
export class LocalRateLimits {
  /** In the order in which the windows began, so also in that in which they end. */
  private readonly windows = new Map<string, { hits: number; end: number }>();

  constructor(private readonly lengthMs: number) {}

  increment(name: string, now: number): IncrementResponse {
    this.dropEnded(now);
    const window = this.windows.get(name) ?? { hits: 0, end: now + this.lengthMs };
    window.hits++;
    this.windows.set(name, window);
    return { totalHits: window.hits, resetTime: new Date(window.end) };
  }

  private dropEnded(now: number): void {
    for (const [name, { end }] of this.windows) {
      if (end > now) return;
      this.windows.delete(name);
    }
  }
}
