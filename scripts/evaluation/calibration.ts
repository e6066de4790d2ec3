import { sum } from './statistics.js';

/** A candidate's score, whether it is the same product, and how much it counts. */
export interface Scored {
  score: number;
  same: boolean;
  weight: number;
}

/** From here on `compare` shows a match. */
export const SHOWN = 0.5;
/** From here on a score calls a match sure. */
export const SURE = 0.9;

/**
 * Expected calibration error: how far the mean score and the true share of each tenth are apart, by how many there are.
 * @returns 0 to 1; NaN where there are none.
 */
export function calibrationError(scored: readonly Scored[]): number {
  const apart = new Float64Array(10);
  let all = 0;
  for (const { score, same, weight } of scored) {
    const tenth = tenthOf(score);
    apart[tenth] = (apart[tenth] ?? 0) + weight * (score - Number(same));
    all += weight;
  }
  return sum([...apart].map(Math.abs)) / all;
}

/** Share of those with at least such a score that are the same product; NaN where there are none. */
export function precisionFrom(scored: readonly Scored[], from: number): number {
  const chosen = scored.filter(({ score }) => score >= from);
  return sum(chosen.map(({ same, weight }) => (same ? weight : 0))) / sum(chosen.map(({ weight }) => weight));
}

export const tenthOf = (score: number): number => Math.min(9, Math.floor(score * 10 + 1e-9));
