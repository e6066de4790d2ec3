import { AsyncLocalStorage } from 'node:async_hooks';

/** How long a request has waited for the engine and for Redis so far, in ms; waits at the same time add up. */
export interface Waits {
  engine: number;
  redis: number;
}

const ofThisRequest = new AsyncLocalStorage<Waits>();

/** Runs what answers a request: whatever it asks the engine or Redis, at once or later, is added to `waits`. */
export function countingWaits(waits: Waits, run: () => void): void {
  ofThisRequest.run(waits, run);
}

/** Asks the engine or Redis, and counts the wait if there is a request that waits. */
export function waiting<T>(on: keyof Waits, ask: () => Promise<T>): Promise<T> {
  const waits = ofThisRequest.getStore();
  if (waits === undefined) return ask();
  const started = performance.now();
  const answer = ask();
  const count = () => {
    waits[on] += performance.now() - started;
  };
  answer.then(count, count);
  return answer;
}
