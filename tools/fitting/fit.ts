import { weighEvidence, type Evidence } from '../../src/matching/evidence.js';
import { FEATURES, type FeatureName } from '../../src/matching/features.js';
import { treeInputs, TREE_INPUTS, type Model } from '../../src/matching/match.js';
import type { PairWeights } from '../../src/matching/weights.js';
import { fitForest, type Boosting, type Direction } from './boosting.js';
import { fitLogistic, type Observation, type Prior } from './logistic.js';
import type { Case } from './training.js';

const FOR = [
  'coverLow', 'coverHigh', 'coverFull', 'coverWithoutCode', 'describedLow', 'describedHigh', 'sharedSum', 'firstAgree',
  'descriptionAlike', 'codeExact', 'codePrefix', 'codeSibling', 'codeDescribed', 'codeAkin', 'codeOwn', 'modelAgree',
  'gtinAgree', 'numberAgree', 'measureAgree', 'colourAgree', 'brandAgree', 'brandShare', 'platformAgree',
  'platformDescribed',
] as const satisfies FeatureName[]; // prettier-ignore
const EITHER = [
  'bias', 'priceUnknown', 'lengthLow', 'lengthDistance', 'numberClose',
] as const satisfies FeatureName[]; // prettier-ignore

/** Better evidence never counts for less: the direction of each. */
const directionOf = (name: FeatureName): Direction =>
  (EITHER as readonly string[]).includes(name) ? 0 : (FOR as readonly string[]).includes(name) ? 1 : -1;

/**
 * What is known without data: evidence that the judged pairs have rarely or never, as no public set has GTINs or
 * stated models. A large precision keeps the weight where it is put.
 */
const JUDGED: Partial<Record<FeatureName, { mean: number; precision: number }>> = {
  bias: { mean: -5, precision: 0.01 },
  gtinAgree: { mean: 9, precision: 100 },
  gtinConflict: { mean: -6, precision: 100 },
  modelAgree: { mean: 2.5, precision: 20 },
  storageConflict: { mean: -3, precision: 5 },
  countConflict: { mean: -3, precision: 5 },
  packMissing: { mean: -2, precision: 5 },
  tierConflict: { mean: -3, precision: 5 },
  brandConflict: { mean: -1, precision: 5 },
};
const DEFAULT_PRIOR = { mean: 0, precision: 0.5 };

const PRIORS = FEATURES.map((name): Prior => {
  const prior = JUDGED[name] ?? DEFAULT_PRIOR;
  const direction = directionOf(name);
  return direction === 0 ? prior : { ...prior, sign: direction };
});

/** Everything that is context speaks for the pair as it grows. */
const DIRECTIONS = TREE_INPUTS.map((name): Direction =>
  (FEATURES as readonly string[]).includes(name) ? directionOf(name as FeatureName) : 1,
);

export const BOOSTING: Boosting = {
  trees: 150,
  depth: 4,
  rate: 0.06,
  minObservations: 10,
  l2: 1,
  inputShare: 0.3,
};

const NO_WEIGHTS = Object.fromEntries(FEATURES.map((name) => [name, 0])) as PairWeights;

/**
 * Added to every log-odds, because lists of matches are never complete: of the first matches that the Amazon-Google list
 * does not have, most are the same product to any reader. It gains a hundredth of F1 there; of what is scored 0.5 to
 * 0.6, the lists have nearly half.
 */
const LEFT_OUT = 0.3;

/** Fits the weights of the pair's own evidence, and with them the trees that read it in its context. */
export function fitModel(cases: readonly Case[], boosting: Boosting = BOOSTING): Model {
  const byPair = observe(cases, NO_WEIGHTS, ({ features }) => FEATURES.map((name) => features[name]));
  const fitted = fitLogistic(byPair, PRIORS).map((weight) => Math.round(weight * 1000) / 1000);
  const pair = Object.fromEntries(FEATURES.map((name, at) => [name, fitted[at] ?? 0])) as PairWeights;
  const inContext = observe(cases, pair, (evidence) => treeInputs(evidence, pair));
  const trees = fitForest(inContext, TREE_INPUTS, DIRECTIONS, boosting);
  return { pair, trees: { ...trees, base: trees.base + LEFT_OUT } };
}

function observe(
  cases: readonly Case[],
  weights: PairWeights,
  read: (evidence: Evidence) => number[],
): Observation[] {
  return cases.flatMap(({ comparisons, labels }) =>
    weighEvidence(comparisons, weights).map((evidence, at) => ({
      features: read(evidence),
      label: labels[at] ?? 0,
      weight: 1,
    })),
  );
}
