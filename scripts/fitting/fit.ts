import { FEATURES, type FeatureName } from '../../src/matching/features.js';
import { gatherEvidence, type ContextEvidence } from '../../src/matching/match.js';
import type { Weights } from '../../src/matching/weights.js';
import { fitLogistic, type Observation, type Prior } from './logistic.js';
import type { Case } from './training.js';

const FOR = [
  'coverLow', 'coverHigh', 'coverFull', 'coverWithoutCode', 'describedLow', 'describedHigh', 'codeExact', 'codePrefix',
  'modelAgree', 'gtinAgree', 'numberAgree', 'measureAgree', 'colourAgree', 'brandAgree', 'platformAgree',
] as const satisfies FeatureName[]; // prettier-ignore
const EITHER = ['bias', 'priceUnknown', 'codeSibling'] as const satisfies FeatureName[];

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

const PAIR_PRIORS = FEATURES.map((name): Prior => {
  const prior = JUDGED[name] ?? DEFAULT_PRIOR;
  if ((EITHER as readonly string[]).includes(name)) return prior;
  return { ...prior, sign: (FOR as readonly string[]).includes(name) ? 1 : -1 };
});

const CONTEXT = [
  'bias',
  'pair',
  'aheadOfRivals',
  'behindRivals',
  'aheadOfSiblings',
  'behindSiblings',
] as const satisfies (keyof ContextEvidence)[];
const CONTEXT_PRIORS = CONTEXT.map((): Prior => ({ mean: 0, precision: 0.01 }));

const NO_WEIGHTS: Weights = {
  pair: record(
    FEATURES,
    FEATURES.map(() => 0),
  ),
  context: record(
    CONTEXT,
    CONTEXT.map(() => 0),
  ),
};

/** Fits the weights of the pair's own evidence, and with them those of its context. */
export function fitWeights(cases: readonly Case[]): Weights {
  const pair = record(FEATURES, fitLogistic(observe(cases, NO_WEIGHTS, 'features', FEATURES), PAIR_PRIORS));
  const context = fitLogistic(observe(cases, { ...NO_WEIGHTS, pair }, 'context', CONTEXT), CONTEXT_PRIORS);
  return { pair, context: record(CONTEXT, context) };
}

function observe(
  cases: readonly Case[],
  weights: Weights,
  what: 'features' | 'context',
  names: readonly string[],
): Observation[] {
  return cases.flatMap(({ sought, candidates, siblings, labels }) =>
    gatherEvidence(sought, candidates, what === 'context' ? siblings : [], weights).map((evidence, index) => {
      const values = evidence[what] as unknown as Record<string, number>;
      return { features: names.map((name) => values[name] ?? 0), label: labels[index] ?? 0, weight: 1 };
    }),
  );
}

function record<Name extends string>(
  names: readonly Name[],
  values: readonly number[],
): Record<Name, number> {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? 0])) as Record<Name, number>;
}
