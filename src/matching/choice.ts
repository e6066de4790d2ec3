import { type Comparisons, areOtherProducts } from './evidence.js';
import type { Features } from './features.js';
import { CHOICE_INPUTS, type ChoiceInput, type ChoiceWeights, type PairWeights } from './model.js';

/**
 * The logit up to which a candidate is too unlikely to be chosen, and too unlikely to compete with the other
 * candidates.
 */
const NO_CHOICE_LOGIT = -3;

/** A candidate that may be chosen: its position, and the inputs by which it is compared with the other candidates. */
export interface Choosable {
  at: number;
  inputs: Readonly<Record<ChoiceInput, number>>;
}

/**
 * Compares the likely candidates of a listing with each other. Candidates that are offers of one product do
 * not compete.
 * @param logits the logit of each candidate by itself, or null if it is ruled out.
 */
export function competing(
  comparisons: Comparisons,
  logits: readonly (number | null)[],
  weights: PairWeights,
): Choosable[] {
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
  return likely.map(({ at, logit, features, rivals }) => ({
    at,
    inputs: { bias: 1, logit, others: Math.log(1 + rivals), ...evidenceOf(features) },
  }));
}

/** The inputs that state how much the two listings tell about each other, whatever the trees conclude from it. */
const evidenceOf = (features: Features): Pick<Record<ChoiceInput, number>, 'silent' | 'shared'> => ({
  silent: features.variantMissing + features.editionMismatch + features.countMissing,
  shared: features.sharedSum,
});

/**
 * Returns the logits of the candidates after they were compared with each other. A likely candidate becomes
 * less likely if other products are likely as well, and more likely if there are none.
 */
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
