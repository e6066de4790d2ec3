import { median } from '../../scripts/shared/median.js';
import type { Reading } from './readings.js';

/** How much the memory may grow between the second and the last quarter of a soak test: 10 % plus 20 MB. */
const GROWTH = { share: 0.1, megabytes: 20 };

/** The condition under which memory use counts as constant, as text for the report. */
export const FLAT_RULE =
  `the median of the last quarter's resident memory is at most ${GROWTH.share * 100} % ` +
  `and ${GROWTH.megabytes} MB above that of the second quarter`;

/**
 * Returns whether memory stays constant after the warm-up; null without enough measurements. A leak grows
 * steadily, whereas caches and the heap fill up in the first quarter of the test.
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
