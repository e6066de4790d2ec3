import type { Limit } from './slots.js';

/** Bounds of a limit, and the time an answer should take, in ms. */
export interface LoadBounds {
  least: number;
  /** Where it begins, and what it comes back to by itself. */
  first: number;
  most: number;
  target: number;
}

/** How often a limit that is too high is lowered, in ms. */
const LOWERED_EVERY = 100;
const LOWERED_BY = 0.9;

/** From the least to the first in so long, in ms, however few answers there are. */
const RECOVERS_IN = 10_000;

/**
 * As much as the engine and this process can serve in time, found as TCP finds its window: each answer in time adds a
 * little, late ones take a tenth. By answers alone a limit would stay low for as long as there is little to do, so it
 * comes back by time as well; where it is still too high, late answers take more than time gives.
 */
export class AdaptiveLimit implements Limit {
  private limit: number;
  private lowered = -Infinity;
  private asked = -Infinity;

  constructor(private readonly bounds: LoadBounds) {
    this.limit = bounds.first;
  }

  size(now: number): number {
    this.recover(now);
    return Math.floor(this.limit);
  }

  learn(took: number, now: number): void {
    this.recover(now);
    const { least, most, target } = this.bounds;
    if (took <= target) {
      this.limit = Math.min(most, this.limit + 1 / this.limit);
    } else if (now - this.lowered >= LOWERED_EVERY) {
      this.limit = Math.max(least, this.limit * LOWERED_BY);
      this.lowered = now;
    }
  }

  private recover(now: number): void {
    const { least, first } = this.bounds;
    if (this.limit < first && now > this.asked) {
      const gained = ((first - least) * (now - this.asked)) / RECOVERS_IN;
      this.limit = Math.min(first, this.limit + gained);
    }
    this.asked = now;
  }
}
