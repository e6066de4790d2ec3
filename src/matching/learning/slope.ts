import { fitLogistic, type Observation } from './logistic.js';
import { roundTo } from '../../text/statistics.js';

/** A pair of listings that was not fitted on, with the log-odds that a model gives to it. */
export interface UnseenPair {
  logit: number;
  label: 0 | 1;
  weight: number;
}

const FREE = { mean: 0, precision: 1e-3 };

/**
 * Fits the factor, at most 1, by which log-odds above 0 are multiplied, because models are overconfident on
 * data that they were not fitted on (Platt scaling). Log-odds below 0 are not changed, because candidates
 * below a probability of 0.5 are not returned.
 */
export function fitSlope(unseen: readonly UnseenPair[]): number {
  const likely = unseen.filter(({ logit }) => logit > 0);
  if (likely.length === 0) return 1;
  const rows = likely.map(({ logit, ...pair }): Observation => ({ ...pair, features: [logit, 1] }));
  const [slope = 1] = fitLogistic(rows, [FREE, FREE]);
  return roundTo(3, Math.min(1, Math.max(0, slope)));
}
