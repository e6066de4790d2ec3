/** The time in ms after which other requests of this process are served before a computation continues. */
const SLICE_MS = 0.5;

/** The pause in ms after each slice beside other requests, so that computations take at most a third of the event loop. */
const PAUSE_MS = 1;

/** How long, in ms, long computations pause between slices after a request has arrived beside others. */
const BUSY_MS = 250;

/** The bytes of listings that a step of long work reads: less beside other requests, which wait while it is parsed. */
const STEP_BYTES = { busy: 64 * 1024, calm: 512 * 1024 };

let busyUntil = -Infinity;

/** Called when a request arrives while others are being served. */
export function pauseBetweenSlices(): void {
  busyUntil = performance.now() + BUSY_MS;
}

const isBusy = (): boolean => performance.now() < busyUntil;

/** The bytes of listings that the next step of long work should read. */
export const stepBytes = (): number => (isBusy() ? STEP_BYTES.busy : STEP_BYTES.calm);

/** The computations that wait for a turn of the event loop, with the number of slices that each has had. */
const waiting: { slices: number; resume(): void }[] = [];

/** Divides a computation into slices; the one with the fewest continues first. @returns a function that waits for its next turn. */
export function slices(): () => Promise<void> {
  let had = 0;
  return () =>
    new Promise((resume) => {
      waiting.push({ slices: had, resume });
      had += 1;
      if (waiting.length === 1) resumeLater();
    });
}

function resumeNext(): void {
  const next = waiting.reduce((least, one) => (one.slices < least.slices ? one : least));
  waiting.splice(waiting.indexOf(next), 1);
  next.resume();
  if (waiting.length > 0) resumeLater();
}

function resumeLater(): void {
  if (isBusy()) setTimeout(resumeNext, PAUSE_MS);
  else setImmediate(resumeNext);
}

/** Computes a value for each item of a list, in slices of time, so that other requests are not delayed. */
export async function mapInSlices<T, R>(items: readonly T[], compute: (item: T, place: number) => R) {
  const nextTurn = slices();
  const results: R[] = [];
  let start = performance.now();
  for (const [place, item] of items.entries()) {
    if (performance.now() - start > SLICE_MS) {
      await nextTurn();
      start = performance.now();
    }
    results.push(compute(item, place));
  }
  return results;
}
