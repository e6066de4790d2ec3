/** The bounds of a number of concurrency slots, which recovers to `initial` over time, and the response time that it keeps. */
interface AdaptiveBounds {
  min: number;
  initial: number;
  max: number;
  targetMs: number;
}

/** The shortest time between two decreases of the number of concurrency slots, in ms. */
const DECREASE_INTERVAL_MS = 100;
const DECREASE_FACTOR = 0.9;

/** The time in ms in which the number of concurrency slots recovers from `min` to `initial` without any response. */
const RECOVERY_MS = 10_000;

/**
 * A number of slots that adapts to how many requests are served in time, by additive increase and multiplicative decrease, as
 * TCP does. It also recovers over time, because there may be little traffic; late responses lower it faster than that.
 */
export class AdaptiveLimit {
  private limit: number;
  private decreasedAt = -Infinity;
  private recoveredAt = -Infinity;

  constructor(private readonly bounds: AdaptiveBounds) {
    this.limit = bounds.initial;
  }

  size(now: number): number {
    this.recover(now);
    return Math.floor(this.limit);
  }

  observe(heldMs: number, now: number): void {
    this.recover(now);
    const { min, max, targetMs } = this.bounds;
    if (heldMs <= targetMs) {
      this.limit = Math.min(max, this.limit + 1 / this.limit);
    } else if (now - this.decreasedAt >= DECREASE_INTERVAL_MS) {
      this.limit = Math.max(min, this.limit * DECREASE_FACTOR);
      this.decreasedAt = now;
    }
  }

  private recover(now: number): void {
    const { min, initial } = this.bounds;
    if (this.limit < initial && now > this.recoveredAt) {
      const gained = ((initial - min) * (now - this.recoveredAt)) / RECOVERY_MS;
      this.limit = Math.min(initial, this.limit + gained);
    }
    this.recoveredAt = now;
  }
}
