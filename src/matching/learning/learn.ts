import { type Model, TREE_INPUTS } from '../model.js';
import { bootstrapEstimate, hashShare } from '../../text/statistics.js';
import { type Boosting, type Direction, fitForest } from './boosting.js';
import { fitSlope } from './slope.js';
import { learnedInputs, learnedLogit, limitOwners, type TrainingPair } from './training-pairs.js';
import { fitWords } from './word-weights.js';

/** The parameters of the added trees. The start model has twice this learning rate, because it was fitted to more pairs. */
const BOOSTING: Boosting = { trees: 160, depth: 3, rate: 0.05, minObservations: 20, l2: 5, inputShare: 0.3 };
/** A few pairs, such as the first decisions of people, justify only a few trees. */
const PAIRS_PER_TREE = 10;
/** Scores never fall with the input for learned words. Other inputs may act in either direction, as catalogues differ. */
const DIRECTIONS = TREE_INPUTS.map((name): Direction => (name === 'words' ? 1 : 0));
/** The number of parts of the training data. The weights of words for the pairs of a part are learned from the other parts. */
const FOLDS = 5;

/** The shares of the products whose pairs calibrate a model and test it. The pairs of all others fit it. */
const TO_CALIBRATE = 0.2;
const TO_TEST = 0.2;

export type Split = 'fit' | 'calibrate' | 'test';

/** Decides what the labelled pairs of a product are used for. Later runs of learning decide the same. */
export function splitOf(product: string): Split {
  const share = hashShare(product);
  return share < TO_TEST ? 'test' : share < TO_TEST + TO_CALIBRATE ? 'calibrate' : 'fit';
}

/** Learns weights of words, and trees that correct the start model on labelled pairs. The result is not calibrated: slope 1. */
export function learnModel(known: readonly TrainingPair[], start: Model): Model {
  const pairs = known.filter(({ isRuledOut, weight }) => !isRuledOut && weight > 0);
  if (pairs.length === 0) return start;
  const words = fitWords(pairs);
  const foldOf = ({ product }: TrainingPair) => Math.floor(hashShare(`fold ${product}`) * FOLDS);
  // The trees learn how far to trust words from weights that were not fitted on the products of the pair.
  const byFold = Array.from({ length: FOLDS }, (_, fold) =>
    fitWords(pairs.filter((pair) => foldOf(pair) !== fold)),
  );
  const observations = pairs.map((pair) => ({
    features: learnedInputs(pair, byFold[foldOf(pair)] ?? words),
    label: pair.label,
    weight: pair.weight,
    offset: pair.offset,
  }));
  const count = Math.min(BOOSTING.trees, Math.floor(pairs.length / PAIRS_PER_TREE));
  const trees = fitForest(observations, TREE_INPUTS, DIRECTIONS, { ...BOOSTING, trees: count }, start.trees);
  // The weights with which the start model compares candidates with each other are left out, because they
  // were fitted to the scores of that model.
  return { pair: start.pair, trees, words, slope: 1 };
}

/** A comparison of two models by F1, with 95 % confidence intervals, over pairs of products that neither was fitted on. */
export type ModelComparison = ReturnType<typeof compareModels>;

/** Learns a model from the pairs of a catalogue and the start model, calibrates it, and compares it with the active one. */
export function learn(pairs: readonly TrainingPair[], start: Model) {
  const parts: Record<Split, TrainingPair[]> = { fit: [], calibrate: [], test: [] };
  for (const pair of limitOwners(pairs)) parts[splitOf(pair.product)].push(pair);
  const fitted = learnModel(parts.fit, start);
  const unseen = parts.calibrate
    .filter(({ isRuledOut }) => !isRuledOut)
    .map((pair) => ({ logit: learnedLogit(pair, fitted), label: pair.label, weight: pair.weight }));
  const model: Model = { ...fitted, slope: fitSlope(unseen) };
  const figures = compareModels(parts.test, model);
  return { model, figures, isBetter: figures.change.low > 0 };
}

/** Compares a learned model with the active one on pairs that neither was fitted on. Products are resampled for the intervals. */
export function compareModels(pairs: readonly TrainingPair[], learned: Model) {
  const byProduct = new Map<string, Record<'before' | 'after', PairCounts>>();
  for (const pair of pairs) {
    const { before, after } = byProduct.get(pair.product) ?? { before: NONE, after: NONE };
    const isMatch = !pair.isRuledOut && learnedLogit(pair, learned) >= 0;
    byProduct.set(pair.product, {
      before: add(before, countsOf(pair, pair.wasMatch)),
      after: add(after, countsOf(pair, isMatch)),
    });
  }
  const counts = [...byProduct.values()];
  const f1 = (model: 'before' | 'after') => (some: readonly (typeof counts)[number][]) => {
    const { right, wrong, same } = some.map((one) => one[model]).reduce(add, NONE);
    return (2 * right) / (right + wrong + same);
  };
  const [before, after] = [f1('before'), f1('after')];
  return {
    before: bootstrapEstimate(counts, before),
    after: bootstrapEstimate(counts, after),
    /** The change of the pair F1. If `low` is above 0, the new model is better beyond chance. */
    change: bootstrapEstimate(counts, (some) => after(some) - before(some)),
  };
}

/** The weights of true positives (`right`), of false positives (`wrong`), and of all pairs of one product (`same`). */
interface PairCounts {
  right: number;
  wrong: number;
  same: number;
}

const NONE: PairCounts = { right: 0, wrong: 0, same: 0 };
const add = (a: PairCounts, b: PairCounts): PairCounts => ({
  right: a.right + b.right,
  wrong: a.wrong + b.wrong,
  same: a.same + b.same,
});

const countsOf = ({ label, weight }: TrainingPair, isMatch: boolean): PairCounts => ({
  right: isMatch && label === 1 ? weight : 0,
  wrong: isMatch && label === 0 ? weight : 0,
  same: label === 1 ? weight : 0,
});
