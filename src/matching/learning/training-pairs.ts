import { type Comparisons, HOPELESS_LOGIT, weighEvidence, wordsOfPair } from '../evidence.js';
import { handWeightedLogit, MATCH_THRESHOLD, matchLogit, scoreComparisons, treeInputs } from '../match.js';
import { forestLogit, type Model, TREE_INPUTS, type WordWeights } from '../model.js';
import { isContradicted } from '../verdict.js';
import { ownerOf } from '../../listing/owner.js';

/** Whether two listings are the same product: 1: yes, 0: no, null: unknown. */
export type Label = 0 | 1 | null;

/** A labelled pair of listings, reduced to what learning needs, so that many pairs fit in memory. */
export interface TrainingPair {
  label: 0 | 1;
  weight: number;
  /** The key of the product of the sought listing. All pairs of a product are used for the same purpose. */
  product: string;
  owners: readonly [string, string];
  /** The logit (log-odds) of a match according to the start model. */
  logit: number;
  /** The inputs of the decision trees for this pair, computed with the start model. */
  inputs: readonly number[];
  /** The part of the logit that comes from the features whose weights are set by hand. */
  offset: number;
  /** The words of the two names, as `wordsOfPair` returns them. */
  words: readonly string[];
  /** Whether the two listings cannot match by any learned model, for example because their sizes differ. */
  isRuledOut: boolean;
  /** Whether the active model takes the two listings for the same product. */
  wasMatch: boolean;
}

/** A listing with its compared candidates, and what is known about each of them. */
export interface LabelledComparisons {
  comparisons: Comparisons;
  owner: string;
  product: string;
  /** The label of each candidate, in the order of the candidates. */
  labels: readonly Label[];
  /** The weight of each pair of the listing. */
  weight: number;
}

/** The labelled pairs of a listing and its candidates. @param start the model to learn from. @param active the one in use. */
export function trainingPairs(
  { comparisons, owner, product, labels, weight }: LabelledComparisons,
  start: Model,
  active: Model = start,
): TrainingPair[] {
  const { profile, profiles, candidates } = comparisons;
  const scores = scoreComparisons(comparisons, active);
  return weighEvidence(comparisons, start).flatMap((evidence, at): TrainingPair[] => {
    const label = labels[at] ?? null;
    const candidate = candidates[at];
    if (label === null || candidate === undefined) return [];
    return [
      {
        label,
        weight,
        product,
        owners: [owner, ownerOf(candidate)],
        logit: matchLogit(evidence, start),
        inputs: treeInputs(evidence, start.pair),
        offset: handWeightedLogit(evidence.features, start.pair),
        words: [...wordsOfPair(profile, profiles[at] ?? profile)],
        isRuledOut: evidence.pair <= HOPELESS_LOGIT || isContradicted(evidence.features),
        wasMatch: (scores[at]?.score ?? 0) >= MATCH_THRESHOLD,
      },
    ];
  });
}

const WORDS = TREE_INPUTS.indexOf('words');

/** The inputs of the decision trees for a pair, with the learned weights of the words of its names. */
export const learnedInputs = ({ inputs, words }: TrainingPair, learned: WordWeights): number[] =>
  inputs.with(
    WORDS,
    words.reduce((sum, word) => sum + (learned.weights[word] ?? 0), learned.base),
  );

/** The logit of a pair by a model that was learned from the start model of the pair. */
export const learnedLogit = (pair: TrainingPair, { trees, words }: Model): number =>
  words === undefined || pair.isRuledOut
    ? pair.logit
    : pair.offset + forestLogit(trees, learnedInputs(pair, words));

/** The maximum share of the pairs that involve one owner, so that none dominates. Each pair involves two listings' owners. */
const maxShare = (owners: number): number => Math.max(0.25, Math.min(1, 3 / owners));
const ROUNDS = 5;

/** Lowers the weights of pairs whose owner is in more than its share of them. Nothing changes if one owner is in all pairs. */
export function limitOwners(pairs: readonly TrainingPair[]): TrainingPair[] {
  const factors = pairs.map(() => 1);
  for (let round = 0; round < ROUNDS; round += 1) {
    const weights = new Map<string, number>();
    let total = 0;
    pairs.forEach(({ owners, weight }, at) => {
      const limited = weight * (factors[at] ?? 1);
      total += limited;
      for (const owner of new Set(owners)) weights.set(owner, (weights.get(owner) ?? 0) + limited);
    });
    const most = maxShare(weights.size) * total;
    const factorOf = (owner: string): number => Math.min(1, most / (weights.get(owner) ?? most));
    pairs.forEach(({ owners }, at) => {
      factors[at] = (factors[at] ?? 1) * Math.min(...owners.map(factorOf));
    });
  }
  const largest = factors.reduce((max, factor) => Math.max(max, factor), 0);
  return pairs.map((pair, at) => ({ ...pair, weight: (pair.weight * (factors[at] ?? 1)) / largest }));
}
