import type { RequestHandler } from 'express';
import onHeaders from 'on-headers';
import { overloaded } from '../errors.js';

/** A fixed number of places. */
export class Places {
  private taken = 0;

  constructor(readonly size: number) {}

  /** Takes a place. @returns what gives it back (once, however often it is called); null: all are taken. */
  take(): (() => void) | null {
    if (this.taken >= this.size) return null;
    this.taken += 1;
    let given = false;
    return () => {
      if (!given) this.taken -= 1;
      given = true;
    };
  }
}

/** Bounds of how many requests are worked on at once, and the time an answer should take, in ms. */
export interface LoadBounds {
  least: number;
  first: number;
  most: number;
  target: number;
}

/** How often a limit that is too high is lowered, in ms. */
const LOWERED_EVERY = 100;
const LOWERED_BY = 0.9;

/**
 * As many places as the engine and this process can serve in time, found as TCP finds its window: each answer in time
 * adds a little, late ones take a tenth. Whoever finds no place is better told at once than kept waiting with all
 * others. Times are ms on a clock that does not go back.
 */
export class AdaptivePlaces {
  private taken = 0;
  private limit: number;
  private lowered = -Infinity;

  constructor(private readonly bounds: LoadBounds) {
    this.limit = bounds.first;
  }

  /** How many there are now. */
  get size(): number {
    return Math.floor(this.limit);
  }

  take(now: number): ((now: number) => void) | null {
    if (this.taken >= this.size) return null;
    this.taken += 1;
    let given = false;
    return (then) => {
      if (given) return;
      given = true;
      this.taken -= 1;
      this.learn(then - now, then);
    };
  }

  private learn(took: number, now: number): void {
    const { least, most, target } = this.bounds;
    if (took <= target) {
      this.limit = Math.min(most, this.limit + 1 / this.limit);
    } else if (now - this.lowered >= LOWERED_EVERY) {
      this.limit = Math.max(least, this.limit * LOWERED_BY);
      this.lowered = now;
    }
  }
}

/** With these, an engine that is asked five times too much answers what it takes in well under a second. */
const BOUNDS: LoadBounds = { least: 32, first: 128, most: 512, target: 400 };

/**
 * Refuses requests past what can be answered in time, before they cost anything. A request is worked on until its
 * answer begins: how fast the client takes it is no measure.
 */
export function shedLoad(places = new AdaptivePlaces(BOUNDS)): RequestHandler {
  return (_request, response, next) => {
    const leave = places.take(performance.now());
    if (leave === null) {
      next(overloaded());
      return;
    }
    const done = () => {
      leave(performance.now());
    };
    onHeaders(response, done);
    response.once('close', done);
    next();
  };
}
