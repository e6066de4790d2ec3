import { isContradicted, weighEvidence } from '../evidence.js';
import { matchLogit } from '../match.js';
import type { Model } from '../model.js';
import { fitLogistic, type Observation } from './logistic.js';
import type { LabelledCase } from './labelled.js';

const FREE = { mean: 0, precision: 1e-3 };

/**
 * Fits the factor, at most 1, by which log-odds above 0 are multiplied, because models are overconfident on
 * data that they were not fitted on (Platt scaling). Log-odds below 0 are not changed, because candidates
 * below a probability of 0.5 are not returned.
 * @param unseen cases, and for each part of them a model that was not fitted on that part.
 */
export function fitSlope(
  unseen: readonly { cases: readonly LabelledCase[]; model: Omit<Model, 'slope'> }[],
): number {
  const rows = unseen.flatMap(({ cases, model }) =>
    cases.flatMap(({ comparisons, labels, weights }) =>
      weighEvidence(comparisons, model).flatMap((evidence, at): Observation[] => {
        const label = labels[at] ?? null;
        const odds = matchLogit(evidence, model);
        if (label === null || odds <= 0 || isContradicted(evidence.features)) return [];
        return [{ features: [odds, 1], label, weight: weights[at] ?? 0 }];
      }),
    ),
  );
  if (rows.length === 0) return 1;
  const [slope = 1] = fitLogistic(rows, [FREE, FREE]);
  return Math.round(Math.min(1, Math.max(0, slope)) * 1000) / 1000;
}
