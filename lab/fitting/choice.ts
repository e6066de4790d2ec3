import { competing } from '../../src/matching/choice.js';
import { weighEvidence } from '../../src/matching/evidence.js';
import type { Observation } from '../../src/matching/learning/boosting.js';
import { calibratedLogits } from '../../src/matching/match.js';
import { CHOICE_INPUTS, type ChoiceWeights, type Model } from '../../src/matching/model.js';
import { weightsOf, type Case } from './cases.js';
import { WITHOUT_COUNTERPART } from './fit.js';
import { fitLogistic } from './logistic.js';
import { roundTo } from '../../src/text/statistics.js';

const FREE = { mean: 0, precision: 0.1 };

/**
 * Fits the weights with which the other candidates of a listing lower the probability that a candidate is the
 * same product.
 * @param unseen cases, each with a model that was fitted without them.
 */
export function fitChoice(unseen: readonly { cases: readonly Case[]; model: Model }[]): ChoiceWeights {
  const rows = unseen.flatMap(({ cases, model }) => {
    const weights = weightsOf(cases, WITHOUT_COUNTERPART);
    return cases.flatMap(({ comparisons, labels }, index) => {
      const logits = calibratedLogits(weighEvidence(comparisons, model), model);
      return competing(comparisons, logits, model.pair).flatMap(({ at, inputs }): Observation[] => {
        const label = labels[at] ?? null;
        const features = CHOICE_INPUTS.map((name) => inputs[name]);
        return label === null ? [] : [{ features, label, weight: weights[index] ?? 0 }];
      });
    });
  });
  const fitted = fitLogistic(
    rows,
    CHOICE_INPUTS.map(() => FREE),
  );
  const weights = CHOICE_INPUTS.map((name, at) => [name, roundTo(3, fitted[at] ?? 0)]);
  return Object.fromEntries(weights) as ChoiceWeights;
}
