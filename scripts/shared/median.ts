/**
 * Returns the median of some numbers; for an even number of values, the lower one of the two in the middle;
 * NaN if there are none.
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? NaN;
}
