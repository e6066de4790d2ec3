/** The score of a candidate, whether it is the same product, and its weight. */
export interface Scored {
  score: number;
  same: boolean;
  weight: number;
}

/** The minimum score of the matches that `compare` returns. */
export const SHOWN = 0.5;
/** The minimum score of a match that is considered certain. */
export const SURE = 0.9;

/**
 * Computes the expected calibration error: the weighted mean, over ten equal score intervals, of the
 * difference between the mean score and the share of candidates that are the same product.
 * @returns a number from 0 to 1; NaN if there are no candidates.
 */
export function calibrationError(scored: readonly Scored[]): number {
  const apart = new Float64Array(10);
  let all = 0;
  for (const { score, same, weight } of scored) {
    const tenth = tenthOf(score);
    apart[tenth] = (apart[tenth] ?? 0) + weight * (score - Number(same));
    all += weight;
  }
  return apart.reduce((total, each) => total + Math.abs(each), 0) / all;
}

/**
 * Returns the share of candidates with at least this score that are the same product; NaN if no candidate
 * has this score.
 */
export function precisionFrom(scored: readonly Scored[], from: number): number {
  let [right, all] = [0, 0];
  for (const { score, same, weight } of scored) {
    if (score < from) continue;
    all += weight;
    if (same) right += weight;
  }
  return right / all;
}

const tenthOf = (score: number): number => Math.min(9, Math.floor(score * 10 + 1e-9));
