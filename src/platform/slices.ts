import { setImmediate } from 'node:timers/promises';

/** The time in ms after which other requests of this process are served before a computation continues. */
const SLICE_MS = 1;

let latest: Promise<void> = Promise.resolve();

/**
 * Waits until the event loop has served other requests. Between two of its turns one computation continues, however many
 * wait, so that together they delay other requests no longer than one of them does.
 */
export function nextTurn(): Promise<void> {
  latest = latest.then(() => setImmediate());
  return latest;
}

/** Computes a value for each item of a list, in slices of time, so that other requests are not delayed. */
export async function mapInSlices<T, R>(items: readonly T[], compute: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let start = performance.now();
  for (const item of items) {
    if (performance.now() - start > SLICE_MS) {
      await nextTurn();
      start = performance.now();
    }
    results.push(compute(item));
  }
  return results;
}
