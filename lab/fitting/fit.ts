import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { competing } from '../../src/matching/choice.js';
import { HOPELESS_LOGIT, weighEvidence } from '../../src/matching/evidence.js';
import { FEATURES, type FeatureName } from '../../src/matching/features.js';
import { calibratedLogits, matchLogit, treeInputs } from '../../src/matching/match.js';
import {
  CHOICE_INPUTS,
  type ChoiceWeights,
  type Model,
  type PairWeights,
  TREE_INPUTS,
} from '../../src/matching/model.js';
import {
  fitForest,
  type Boosting,
  type Direction,
  type Observation,
} from '../../src/matching/learning/boosting.js';
import type { UnseenPair } from '../../src/matching/learning/slope.js';
import { isContradicted } from '../../src/matching/verdict.js';
import { weightsOf, type Case } from './cases.js';
import { fitLogistic, type Prior } from './logistic.js';
import { roundTo } from '../../src/text/statistics.js';

const { raises, either, priors } = parse(readFileSync(new URL('priors.yaml', import.meta.url), 'utf8')) as {
  raises: string[];
  either: string[];
  priors: Record<string, [mean: number, precision: number]>;
};

const unknown = [...raises, ...either, ...Object.keys(priors)].filter(
  (name) => !(FEATURES as readonly string[]).includes(name),
);
if (unknown.length > 0) throw new Error(`priors.yaml names ${unknown.join(', ')}, which is no feature`);

/** The direction in which a feature may change the probability of a match: better evidence never lowers it. */
const directionOf = (name: FeatureName): Direction => {
  if (either.includes(name)) return 0;
  return raises.includes(name) ? 1 : -1;
};

const PRIORS = FEATURES.map((name): Prior => {
  const [mean, precision] = priors[name] ?? [0, 0.5];
  const direction = directionOf(name);
  return direction === 0 ? { mean, precision } : { mean, precision, sign: direction };
});

/** Context features, which compare a pair with the other candidates, may only raise the probability. */
const DIRECTIONS = TREE_INPUTS.map((name): Direction =>
  (FEATURES as readonly string[]).includes(name) ? directionOf(name as FeatureName) : 1,
);

const BOOSTING: Boosting = { trees: 80, depth: 3, rate: 0.1, minObservations: 20, l2: 1, inputShare: 0.3 };

/** The share of listings that are the only one of their product: frequent in a catalogue but rare in judged data sets. */
export const WITHOUT_COUNTERPART = 0.2;

export type Fitted = Pick<Model, 'pair' | 'trees'>;

/** All of this number of top candidates count; of lower ones, matches and every fourth other, with four times the weight. */
const OFTEN_RIGHT = 6;
const EVERY = 4;

/** Fits the weights of the features of a pair, and then the trees that combine them with the other candidates. */
export function fitModel(cases: readonly Case[]): Fitted {
  const weights = weightsOf(cases, WITHOUT_COUNTERPART);
  const pair = fitPair(cases, weights);
  const rows: Observation[] = [];
  cases.forEach(({ comparisons, labels }, index) => {
    weighEvidence(comparisons, { pair }).forEach((evidence, at) => {
      const label = labels[at] ?? null;
      if (label === null || evidence.pair <= HOPELESS_LOGIT) return;
      rows.push({ features: treeInputs(evidence, pair), label, weight: weights[index] ?? 0 });
    });
  });
  return { pair, trees: fitForest(rows, TREE_INPUTS, DIRECTIONS, BOOSTING) };
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
  const fitted = fitLogistic(rows, PRIORS).map((weight) => roundTo(3, weight));
  return Object.fromEntries(FEATURES.map((name, at) => [name, fitted[at] ?? 0])) as PairWeights;
}

/** The pairs of cases that the model was not fitted on, with their log-odds. Pairs that are ruled out are left out. */
export function unseenPairs(cases: readonly Case[], model: Fitted): UnseenPair[] {
  const weights = weightsOf(cases, WITHOUT_COUNTERPART);
  return cases.flatMap(({ comparisons, labels }, index) =>
    weighEvidence(comparisons, model).flatMap((evidence, at): UnseenPair[] => {
      const label = labels[at] ?? null;
      if (label === null || isContradicted(evidence.features)) return [];
      return [{ logit: matchLogit(evidence, model), label, weight: weights[index] ?? 0 }];
    }),
  );
}

const FREE = { mean: 0, precision: 0.1 };

/** Fits how much the other candidates of a listing lower the probability of a match, on cases unseen by their models. */
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
