import { isContradicted, weighEvidence } from '../../src/matching/evidence.js';
import { matchLogit } from '../../src/matching/match.js';
import { weightsOf, type Case } from './cases.js';
import type { Fitted } from './fit.js';
import { fitLogistic, type Observation } from './logistic.js';

/** Cases of sets that a model was not fitted on. */
export interface Unseen {
  cases: readonly Case[];
  model: Fitted;
}

const FREE = { mean: 0, precision: 1e-3 };

/**
 * By how much models are too sure of what they have not seen: the slope of what is true by their log-odds above even
 * (Platt's calibration), at most 1. Below even nothing is shown, and there nothing is changed.
 * @param withoutCounterpart share of the listings, as for the fit.
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
