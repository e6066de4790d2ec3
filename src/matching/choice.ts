import { type Comparisons, areOtherProducts } from './evidence.js';
import type { ChoiceWeights, PairWeights } from './model.js';

/**
 * The logit up to which a candidate is too unlikely to be chosen, and too unlikely to compete with the other
 * candidates.
 */
const NO_CHOICE_LOGIT = -3;

/** A candidate that may be chosen: its position, its logit, and its competition. */
export interface Choosable {
  at: number;
  logit: number;
  /**
   * The competition of the candidate: the logarithm of the sum of the odds of all candidates that are another
   * product than this one, plus 1 for the answer that no candidate is the same product as the sought listing.
   */
  others: number;
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
  const likely = logits.flatMap((logit, at) =>
    logit === null || logit <= NO_CHOICE_LOGIT ? [] : [{ at, logit, odds: Math.exp(logit), rivals: 0 }],
  );
  likely.forEach((one, nth) => {
    for (const other of likely.slice(nth + 1)) {
      if (!areOtherProducts(comparisons, one.at, other.at, weights)) continue;
      one.rivals += other.odds;
      other.rivals += one.odds;
    }
  });
  return likely.map(({ at, logit, rivals }) => ({ at, logit, others: Math.log(1 + rivals) }));
}

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
  for (const { at, logit, others } of competing(comparisons, logits, pair))
    chosen[at] = choice.bias + choice.logit * logit + choice.others * others;
  return chosen;
}
