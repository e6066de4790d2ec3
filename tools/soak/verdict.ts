import { median } from '../../scripts/shared/median.js';
import type { Reading } from './readings.js';

/** Memory may be so much more at the end than after the warm-up. */
const GROWTH = { share: 0.1, megabytes: 20 };

/** The rule, for people. */
export const FLAT_RULE =
  `the median of the last quarter's resident memory is at most ${GROWTH.share * 100} % ` +
  `and ${GROWTH.megabytes} MB above that of the second quarter`;

/**
 * Whether memory stays as it is once all is warm. A leak grows on; caches and the heap fill up in the first quarter,
 * and a collection more or less moves no median.
 * @returns null where there is too little to tell.
 */
export function memoryIsFlat(
  readings: readonly Pick<Reading, 'resident'>[],
): { flat: boolean; second: number; last: number } | null {
  const memory = readings.flatMap(({ resident }) => resident ?? []);
  if (memory.length < 8) return null;
  const quarter = Math.floor(memory.length / 4);
  const second = median(memory.slice(quarter, 2 * quarter));
  const last = median(memory.slice(-quarter));
  return { flat: last <= second * (1 + GROWTH.share) + GROWTH.megabytes, second, last };
}
