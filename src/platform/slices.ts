import { setImmediate } from 'node:timers/promises';

/** The time in ms after which other requests of this process are served before a computation continues. */
const SLICE_MS = 1;

/** Computes a value for each item of a list, in slices of time, so that other requests are not delayed. */
export async function mapInSlices<T, R>(items: readonly T[], compute: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  let start = performance.now();
  for (const item of items) {
    if (performance.now() - start > SLICE_MS) {
      await setImmediate();
      start = performance.now();
    }
    results.push(compute(item));
  }
  return results;
}
