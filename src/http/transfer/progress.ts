/** How fast bytes have to move. */
export interface MinimumRate {
  /** How often progress is checked, in ms. */
  every: number;
  /** In every period of so many checks at least `bytes` bytes have to move. */
  checks: number;
  bytes: number;
}

/**
 * Watches a transfer until `stop` is called, and reports once that it is too slow.
 *
 * Checks are counted rather than time, so that a process that was busy for seconds does not blame its client.
 * @param bytes how many bytes have moved so far.
 * @returns stop
 */
export function watchProgress(bytes: () => number, rate: MinimumRate, tooSlow: () => void): () => void {
  let checks = 0;
  let before = bytes();
  const timer = setInterval(() => {
    checks += 1;
    const now = bytes();
    if (now - before >= rate.bytes) {
      checks = 0;
      before = now;
    }
    if (checks < rate.checks) return;
    clearInterval(timer);
    tooSlow();
  }, rate.every);
  return () => {
    clearInterval(timer);
  };
}
