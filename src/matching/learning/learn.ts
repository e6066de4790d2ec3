import { HOPELESS_LOGIT, isContradicted, weighEvidence } from '../evidence.js';
import { handWeightedLogit, MATCH_THRESHOLD, matchLogit, scoreComparisons, treeInputs, TREE_INPUTS } from '../match.js';
import type { Model } from '../model.js';
import { wordsOfPair } from '../words.js';
import { bootstrapEstimate, type Estimate } from '../../text/statistics.js';
import { type Boosting, type Direction, fitForest } from './boosting.js';
import type { LabelledCase } from './labelled.js';
import { fitWords, type WordedPair } from './word-weights.js';
import { fitSlope } from './slope.js';

/**
 * The trees that are added to those of the start model. Their rate is half of that of the shipped model, because a catalogue
 * has fewer pairs than the judged sets together.
 */
const BOOSTING: Boosting = { trees: 160, depth: 3, rate: 0.05, minObservations: 20, l2: 5, inputShare: 0.3 };
/**
 * Only the weight of the learned words has a direction: what a catalogue shows about its own features need not
 * agree with what judged sets show.
 */
const DIRECTIONS = TREE_INPUTS.map((name): Direction => (name === 'words' ? 1 : 0));
/** The number of parts of the training data whose words are weighed by the other parts. */
const FOLDS = 5;

/** The shares of products by their use. Which product has which use is fixed by its key. */
const TO_CALIBRATE = 0.2;
const TO_TEST = 0.2;

/** The use of a product's cases. */
export type Part = 'fit' | 'calibrate' | 'test';

/** Assigns a product to a part. The same product always has the same part, also in later runs of learning. */
export function partOf(product: string): Part {
  const share = shareOf(product);
  return share < TO_TEST ? 'test' : share < TO_TEST + TO_CALIBRATE ? 'calibrate' : 'fit';
}

/** Maps a text to a number from 0 up to 1 that looks random, but is always the same for the text (FNV-1a, mixed). */
export function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846ca68b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

interface TrainingPair extends WordedPair {
  inputs: number[];
  offset: number;
}

/**
 * Learns a model from labelled cases. It keeps everything of the start model, and adds weights of words and trees that
 * correct its errors on these cases. The new model is not calibrated: its slope is 1.
 */
export function learnModel(cases: readonly LabelledCase[], start: Model): Model {
  const pairs = cases.flatMap((one) => trainingPairs(one, start));
  if (pairs.length === 0) return start;
  const words = fitWords(pairs);
  const foldOf = ({ product }: TrainingPair) => Math.floor(shareOf(`fold ${product}`) * FOLDS);
  // The trees learn how far to trust the words from pairs of products that the weights of the words were not fitted on.
  const byFold = Array.from({ length: FOLDS }, (_, fold) => fitWords(pairs.filter((pair) => foldOf(pair) !== fold)));
  const position = TREE_INPUTS.indexOf('words');
  const observations = pairs.map((pair) => {
    const { base, weights } = byFold[foldOf(pair)] ?? words;
    const logit = pair.words.reduce((sum, word) => sum + (weights[word] ?? 0), base);
    return { features: pair.inputs.with(position, logit), label: pair.label, weight: pair.weight, offset: pair.offset };
  });
  const trees = fitForest(observations, TREE_INPUTS, DIRECTIONS, BOOSTING, start.trees);
  return { pair: start.pair, trees, words, slope: 1 };
}

/** The labelled pairs of a case on which a model can be fitted: nothing that rules out a match is fitted. */
function trainingPairs({ comparisons, labels, weights, product }: LabelledCase, start: Model): TrainingPair[] {
  const { profile, profiles } = comparisons;
  return weighEvidence(comparisons, start).flatMap((evidence, at) => {
    const label = labels[at] ?? null;
    const weight = weights[at] ?? 0;
    if (label === null || weight === 0 || evidence.pair <= HOPELESS_LOGIT || isContradicted(evidence.features)) return [];
    return {
      words: [...wordsOfPair(profile, profiles[at] ?? profile)],
      logit: matchLogit(evidence, start),
      inputs: treeInputs(evidence, start.pair),
      offset: handWeightedLogit(evidence.features, start.pair),
      label,
      weight,
      product,
    };
  });
}

/** A learned model, and how it compares with the model before it on products that neither was fitted on. */
export interface Learned {
  model: Model;
  figures: {
    before: Estimate;
    after: Estimate;
    /** The change of the pair F1; `low` above 0 means that the new model is better beyond chance. */
    change: Estimate;
  };
  isBetter: boolean;
}

/**
 * Learns a model from the cases of a catalogue, calibrates it on products that it was not fitted on, and compares it with the
 * active model on further products.
 * @param start the model from which learning starts.
 * @param active the model that is in use.
 */
export function learn(cases: readonly LabelledCase[], start: Model, active: Model): Learned {
  const parts: Record<Part, LabelledCase[]> = { fit: [], calibrate: [], test: [] };
  for (const one of cases) parts[partOf(one.product)].push(one);
  const fitted = learnModel(parts.fit, start);
  const model = { ...fitted, slope: fitSlope([{ cases: parts.calibrate, model: fitted }]) };
  const figures = compareModels(parts.test, active, model);
  return { model, figures, isBetter: figures.change.low > 0 };
}

/** Compares two models by the pair F1 on cases that neither was fitted on. Intervals resample products. */
export function compareModels(cases: readonly LabelledCase[], before: Model, after: Model): Learned['figures'] {
  const byProduct = new Map<string, { before: Counts; after: Counts }>();
  for (const one of cases) {
    const known = byProduct.get(one.product) ?? { before: NONE, after: NONE };
    byProduct.set(one.product, {
      before: add(known.before, countsOf(one, before)),
      after: add(known.after, countsOf(one, after)),
    });
  }
  const counts = [...byProduct.values()];
  const f1 = (some: readonly Counts[]) => f1Of(some.reduce(add, NONE));
  return {
    before: bootstrapEstimate(counts, (some) => f1(some.map((one) => one.before))),
    after: bootstrapEstimate(counts, (some) => f1(some.map((one) => one.after))),
    change: bootstrapEstimate(
      counts,
      (some) => f1(some.map((one) => one.after)) - f1(some.map((one) => one.before)),
    ),
  };
}

/** The weights of the pairs that a model takes for the same product rightly and wrongly, and of all pairs that are. */
interface Counts {
  right: number;
  wrong: number;
  same: number;
}

const NONE: Counts = { right: 0, wrong: 0, same: 0 };
const add = (a: Counts, b: Counts): Counts => ({
  right: a.right + b.right,
  wrong: a.wrong + b.wrong,
  same: a.same + b.same,
});
const f1Of = ({ right, wrong, same }: Counts): number => (2 * right) / (right + wrong + same);

function countsOf({ comparisons, labels, weights }: LabelledCase, model: Model): Counts {
  const counts = { ...NONE };
  scoreComparisons(comparisons, model).forEach(({ score }, at) => {
    const [label, weight] = [labels[at] ?? null, weights[at] ?? 0];
    if (label === null) return;
    if (label === 1) counts.same += weight;
    if (score >= MATCH_THRESHOLD) counts[label === 1 ? 'right' : 'wrong'] += weight;
  });
  return counts;
}
