import { isContradicted, weighEvidence } from '../../src/matching/evidence.js';
import { matchLogit } from '../../src/matching/match.js';
import { weightsOf, type Case } from './cases.js';
import type { Fitted } from './fit.js';
import { fitLogistic, type Observation } from './logistic.js';

/** Cases of data sets, and a model that was not fitted on these sets. */
export interface Unseen {
  cases: readonly Case[];
  model: Fitted;
}

const FREE = { mean: 0, precision: 1e-3 };

/**
 * Fits the factor, at most 1, by which log-odds above 0 are multiplied, because models are overconfident on
 * data that they were not fitted on (Platt scaling). Log-odds below 0 are not changed, because candidates
 * below a probability of 0.5 are not returned.
 * @param withoutCounterpart the share of listings for which no other listing is the same product.
 */
export function fitSlope(unseen: readonly Unseen[], withoutCounterpart: number): number {
  const rows = unseen.flatMap(({ cases, model }): Observation[] => {
    const weights = weightsOf(cases, withoutCounterpart);
    return cases.flatMap(({ comparisons, labels }, index) =>
      weighEvidence(comparisons, model.pair).flatMap((evidence, at): Observation[] => {
        const label = labels[at] ?? null;
        const odds = matchLogit(evidence, model);
        if (label === null || odds <= 0 || isContradicted(evidence.features)) return [];
        return [{ features: [odds, 1], label, weight: weights[index] ?? 0 }];
      }),
    );
  });
  const [slope = 1] = fitLogistic(rows, [FREE, FREE]);
  return Math.round(Math.min(1, Math.max(0, slope)) * 1000) / 1000;
}
