import { type Comparisons, areOtherProducts } from './evidence.js';
import { CHOICE_INPUTS, type ChoiceInput, type ChoiceWeights, type PairWeights } from './model.js';

/** Up to this logit, a candidate is too unlikely to be chosen, and to compete with the others. */
const NO_CHOICE_LOGIT = -3;

/** The inputs of the choice among likely candidates, with their indices. @param logits null if something rules out a match. */
export function competing(
  comparisons: Comparisons,
  logits: readonly (number | null)[],
  weights: PairWeights,
): { at: number; inputs: Readonly<Record<ChoiceInput, number>> }[] {
  const likely = logits.flatMap((logit, at) => {
    const features = comparisons.features[at];
    if (logit === null || logit <= NO_CHOICE_LOGIT || features === undefined) return [];
    return [{ at, logit, features, odds: Math.exp(logit), rivals: 0 }];
  });
  likely.forEach((one, nth) => {
    for (const other of likely.slice(nth + 1)) {
      if (!areOtherProducts(comparisons, one.at, other.at, weights)) continue;
      one.rivals += other.odds;
      other.rivals += one.odds;
    }
  });
  return likely.map(({ at, logit, features, rivals }) => {
    const silent = features.variantMissing + features.editionMismatch + features.countMissing;
    return {
      at,
      inputs: { bias: 1, logit, others: Math.log(1 + rivals), silent, shared: features.sharedSum },
    };
  });
}

/** The logit of each candidate after the comparison: lower for a likely candidate if other products are likely too. */
export function chooseAmong(
  comparisons: Comparisons,
  logits: readonly (number | null)[],
  { pair, choice }: { pair: PairWeights; choice?: ChoiceWeights },
): (number | null)[] {
  if (choice === undefined) return [...logits];
  const chosen = [...logits];
  for (const { at, inputs } of competing(comparisons, logits, pair))
    chosen[at] = CHOICE_INPUTS.reduce((sum, name) => sum + choice[name] * inputs[name], 0);
  return chosen;
}
