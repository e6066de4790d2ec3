import {
  compareAll,
  HOPELESS_LOGIT,
  isContradicted,
  weighEvidence,
  type Candidate,
  type Comparisons,
  type Evidence,
  type ProfileReader,
  type Sibling,
} from './evidence.js';
import { FEATURES, type FeatureName } from './features.js';
import { logOdds } from './forest.js';
import { MODEL, type Model, type PairWeights } from './model.js';
import { reasonsOf } from './reasons.js';

export type { Candidate, Sibling } from './evidence.js';

/** Whether two listings are the same product. */
export interface Match {
  /** Calibrated probability, 0 to 1. */
  score: number;
  /** What agreed, strongest first: `gtin`, `model`, `brand`, `name`, `size`, `version`, `colour`, `price`. */
  reasons: string[];
  /** Whether something rules it out, whatever else agrees. */
  contradicted: boolean;
}

/** From here on two listings are as likely the same product as not. */
export const MATCH_THRESHOLD = 0.5;

/**
 * Evidence of which judged data has nothing to learn from: its weight is a judgement, added to what the trees say.
 */
export const STATED = [
  'gtinAgree',
  'gtinConflict',
  'modelAgree',
  'modelConflict',
  'optionConflict',
  'attributesDiffer',
] as const satisfies FeatureName[];

/** What a contradiction leaves of a probability: less than the threshold, whatever else agrees. */
const CONTRADICTED = 0.45;

/**
 * How likely each candidate is the same product as the listing.
 * @param candidates all that may be, as many as there are: how common a word is among them tells how little it says.
 * @param siblings similar listings of the sought listing's own shop: where one of them fits a candidate better,
 *   the candidate is that one's.
 * @param read where listings are compared more than once.
 * @returns one match for each candidate, in their order.
 */
export function matchCandidates(
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[] = [],
  read?: ProfileReader,
): Match[] {
  return decide(compareAll(sought, candidates, siblings, read));
}

/**
 * Those candidates that are likelier the same product than not, with less work than to tell how likely each is.
 * @returns each with its id, in the order of the candidates.
 */
export function matchesAmong(
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[] = [],
  read?: ProfileReader,
): (Match & { id: number })[] {
  const comparisons = compareAll(sought, candidates, siblings, read, { matchesAlone: true });
  const decided = decide(comparisons);
  return comparisons.candidates.flatMap(({ id }, at) => {
    const match = decided[at];
    return match === undefined || match.score < MATCH_THRESHOLD ? [] : [{ id, ...match }];
  });
}

/** The same, of what is compared already, and with any model. */
export function decide(comparisons: Comparisons, model: Model = MODEL): Match[] {
  return weighEvidence(comparisons, model.pair).map((evidence) => {
    const { features } = evidence;
    const contradicted = isContradicted(features);
    if (contradicted && comparisons.matchesAlone) return { score: 0, reasons: [], contradicted };
    const odds = oddsOf(evidence, model);
    const chance = Math.min(logistic(odds > 0 ? model.slope * odds : odds), surest(features));
    const score = contradicted ? chance * CONTRADICTED : chance;
    return { score: Math.round(score * 10_000) / 10_000, reasons: reasonsOf(features), contradicted };
  });
}

/** Log-odds that a pair is the same product, as the trees say; too sure of catalogues that they were not fitted on. */
export const oddsOf = (evidence: Evidence, { pair, trees }: Pick<Model, 'pair' | 'trees'>): number =>
  evidence.pair <= HOPELESS_LOGIT
    ? evidence.pair
    : logOdds(trees, treeInputs(evidence, pair)) + stated(evidence.features, pair);

/** Names alone, however alike, are never as sure as a number that both listings have. */
const SUREST_BY_NAME = 0.89;
const surest = ({ codeExact, gtinAgree, modelAgree }: Evidence['features']): number =>
  codeExact >= 1 || gtinAgree + modelAgree > 0 ? 1 : SUREST_BY_NAME;

const TREE_FEATURES = FEATURES.filter(
  (name) => name !== 'bias' && !(STATED as readonly string[]).includes(name),
);
const CONTEXT = ['ahead', 'behind'] as const;

/** Names of what `treeInputs` gives, in its order. */
export const TREE_INPUTS: readonly string[] = ['pair', ...CONTEXT, ...TREE_FEATURES];

/** What the trees read of a pair. */
export function treeInputs({ features, pair, context }: Evidence, weights: PairWeights): number[] {
  return [
    pair - stated(features, weights),
    ...CONTEXT.map((name) => context[name]),
    ...TREE_FEATURES.map((name) => features[name]),
  ];
}

const stated = (features: Evidence['features'], weights: PairWeights): number =>
  STATED.reduce((sum, name) => sum + features[name] * weights[name], 0);

const logistic = (logit: number): number => 1 / (1 + Math.exp(-logit));
