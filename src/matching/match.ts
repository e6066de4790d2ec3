import type { Contradiction, MatchReason } from '../schemas/match-reasons.js';
import { logistic, roundTo } from '../text/statistics.js';
import { chooseAmong } from './choice.js';
import {
  type Candidate,
  compareAll,
  type Comparisons,
  HOPELESS_LOGIT,
  type PairEvidence,
  type Sibling,
  weighEvidence,
} from './evidence.js';
import type { Features } from './features.js';
import {
  forestLogit,
  HAND_WEIGHTED,
  MARGIN_INPUTS,
  MODEL,
  type Model,
  type PairWeights,
  TREE_FEATURES,
} from './model.js';
import type { Profile, ProfileReader } from './profile.js';
import { contradictionsOf, isContradicted, reasonsOf } from './verdict.js';

/** The result of matching: how likely it is that two listings are the same product, and why. */
export interface Match {
  /** The calibrated probability that the two listings are the same product, 0 to 1, with four decimals. */
  score: number;
  /** What the two listings agree in, strongest evidence first. */
  reasons: MatchReason[];
  /** Whether the listings differ in something that rules out a match, whatever else they share. */
  contradicted: boolean;
  /** What the two listings differ in. Not every difference rules out a match. */
  contradictions: Contradiction[];
}

/** From this score on, two listings count as a match: they are at least as likely the same product as not. */
export const MATCH_THRESHOLD = 0.5;

/** The factor for the probability of a pair that cannot be a match. It keeps the score below `MATCH_THRESHOLD`. */
const CONTRADICTED_FACTOR = 0.45;

/**
 * Scores each candidate, in their order. @param candidates all that may be the product, because the weight of a word depends on
 * them.
 * @param siblings similar listings of the sought listing's own shop. A candidate that fits one better is a match of that.
 * @param read a reader that memoizes. @param model by default the one that ships with the service.
 */
export const matchCandidates = (
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[] = [],
  read?: ProfileReader,
  model?: Model,
): Match[] => scoreComparisons(compareAll(sought, candidates, siblings, read), model);

/** The matches of at least `MATCH_THRESHOLD`, in the order of the candidates. What is plainly another product is not scored. */
export function matchesAmong(
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[] = [],
  read?: ProfileReader,
  model?: Model,
): (Match & { id: number })[] {
  const comparisons = compareAll(sought, candidates, siblings, read, { matchesOnly: true });
  const matches = scoreComparisons(comparisons, model);
  return comparisons.candidates.flatMap(({ id }, at) => {
    const match = matches[at];
    return match === undefined || match.score < MATCH_THRESHOLD ? [] : [{ id, ...match }];
  });
}

/** Rounds a score to the decimals with which scores are stored and returned. */
export const roundScore = (score: number): number => roundTo(4, score);

/** Scores candidates whose features have been computed already. @param model by default the one that ships with the service. */
export function scoreComparisons(comparisons: Comparisons, model: Model = MODEL): Match[] {
  const weighed = weighEvidence(comparisons, model);
  const logits = chooseAmong(comparisons, calibratedLogits(weighed, model), model);
  return weighed.map((evidence, at) => {
    const { features } = evidence;
    const contradicted = isContradicted(features);
    if (contradicted && comparisons.matchesOnly)
      return { score: 0, reasons: [], contradicted, contradictions: [] };
    const logit = logits[at] ?? calibratedLogit(evidence, model);
    const probability = Math.min(logistic(logit), maxProbability(features));
    return {
      score: roundScore(contradicted ? probability * CONTRADICTED_FACTOR : probability),
      reasons: reasonsOf(features),
      contradicted,
      contradictions: contradictionsOf(features, comparisons.profile, comparisons.profiles[at] as Profile),
    };
  });
}

function calibratedLogit(evidence: PairEvidence, model: Model): number {
  const logit = matchLogit(evidence, model);
  return logit > 0 ? model.slope * logit : logit;
}

/** The calibrated logit of each pair, without regard to competing candidates; null if something rules out a match. */
export const calibratedLogits = (weighed: readonly PairEvidence[], model: Model): (number | null)[] =>
  weighed.map((evidence) => (isContradicted(evidence.features) ? null : calibratedLogit(evidence, model)));

/** The logit (log-odds) that a pair of listings is the same product, before calibration. */
export const matchLogit = (evidence: PairEvidence, { pair, trees }: Pick<Model, 'pair' | 'trees'>): number =>
  evidence.pair <= HOPELESS_LOGIT
    ? evidence.pair
    : forestLogit(trees, treeInputs(evidence, pair)) + handWeightedLogit(evidence.features, pair);

/** The maximum score of listings that share no GTIN and no model number, because equal names alone are weaker evidence. */
const MAX_BY_NAME = 0.89;
const maxProbability = ({ codeExact, gtinAgree, modelAgree }: Features): number =>
  codeExact >= 1 || gtinAgree + modelAgree > 0 ? 1 : MAX_BY_NAME;

/** The inputs of the decision trees for one pair of listings. */
export const treeInputs = (
  { features, pair, margin, words }: PairEvidence,
  weights: PairWeights,
): number[] => [
  pair - handWeightedLogit(features, weights),
  ...MARGIN_INPUTS.map((name) => margin[name]),
  ...TREE_FEATURES.map((name) => features[name]),
  words,
];

export const handWeightedLogit = (features: Features, weights: PairWeights): number =>
  HAND_WEIGHTED.reduce((sum, name) => sum + features[name] * weights[name], 0);
