import { HOPELESS_LOGIT, weighEvidence } from '../../src/matching/evidence.js';
import { FEATURES, type FeatureName } from '../../src/matching/features.js';
import { treeInputs, TREE_INPUTS } from '../../src/matching/match.js';
import type { Model } from '../../src/matching/model.js';
import type { PairWeights } from '../../src/matching/model.js';
import { fitForest, type Boosting, type Direction } from './boosting.js';
import { fitLogistic, type Observation, type Prior } from './logistic.js';
import { weightsOf, type Case } from './cases.js';

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
  modelConflict: { mean: -1.5, precision: 20 },
  optionConflict: { mean: -3, precision: 100 },
  attributesDiffer: { mean: -2, precision: 20 },
  codeNeighbour: { mean: -3, precision: 5 },
  codeTierConflict: { mean: -2, precision: 5 },
  lineConflict: { mean: -2, precision: 5 },
  unitConflict: { mean: -2, precision: 5 },
  storageConflict: { mean: -3, precision: 5 },
  measureConflict: { mean: -2, precision: 5 },
  countConflict: { mean: -3, precision: 5 },
  packMissing: { mean: -2, precision: 5 },
  modelTierConflict: { mean: -3, precision: 5 },
  partConflict: { mean: -3, precision: 5 },
  tierConflict: { mean: -3, precision: 5 },
  brandConflict: { mean: -2, precision: 5 },
  brandElsewhere: { mean: -1, precision: 5 },
  editionMismatch: { mean: -2, precision: 20 },
  variantConflict: { mean: -2, precision: 20 },
  variantMissing: { mean: -0.7, precision: 20 },
  platformConflict: { mean: -2, precision: 20 },
  platformElsewhere: { mean: -1, precision: 20 },
  languageConflict: { mean: -2, precision: 20 },
  priceDistance: { mean: -1, precision: 20 },
  priceFar: { mean: -1, precision: 20 },
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
  trees: 80,
  depth: 3,
  rate: 0.1,
  minObservations: 20,
  l2: 1,
  inputShare: 0.3,
};

/**
 * Share of listings without a counterpart that the model is fitted for. Sets of judgements are made of listings that
 * have one, a catalogue is not; what the sets lack is made by taking the right candidates away.
 */
export const WITHOUT_COUNTERPART = 0.2;

/** A model before it is calibrated. */
export type Fitted = Pick<Model, 'pair' | 'trees'>;

/** Of the candidates after these few, which are mostly something else, every fourth is enough, for four. */
const OFTEN_RIGHT = 6;
const EVERY = 4;

/** Fits the weights of the pair's own evidence, and with them the trees that read it in its context. */
export function fitModel(cases: readonly Case[], boosting: Boosting = BOOSTING): Fitted {
  const weights = weightsOf(cases, WITHOUT_COUNTERPART);
  const pair = fitPair(cases, weights);
  const rows: Observation[] = [];
  cases.forEach(({ comparisons, labels }, index) => {
    weighEvidence(comparisons, pair).forEach((evidence, at) => {
      const label = labels[at] ?? null;
      if (label === null || evidence.pair <= HOPELESS_LOGIT) return;
      rows.push({ features: treeInputs(evidence, pair), label, weight: weights[index] ?? 0 });
    });
  });
  return { pair, trees: fitForest(rows, TREE_INPUTS, DIRECTIONS, boosting) };
}

function fitPair(cases: readonly Case[], weights: readonly number[]): PairWeights {
  const rows: Observation[] = [];
  let passed = 0;
  cases.forEach(({ comparisons, labels }, index) => {
    comparisons.features.forEach((features, at) => {
      const label = labels[at] ?? null;
      if (label === null) return;
      const isRare = label === 1 || at < OFTEN_RIGHT;
      if (!isRare && (passed += 1) % EVERY !== 0) return;
      const weight = (weights[index] ?? 0) * (isRare ? 1 : EVERY);
      rows.push({ features: FEATURES.map((name) => features[name]), label, weight });
    });
  });
  const fitted = fitLogistic(rows, PRIORS).map((weight) => Math.round(weight * 1000) / 1000);
  return Object.fromEntries(FEATURES.map((name, at) => [name, fitted[at] ?? 0])) as PairWeights;
}
