import { type Contradiction, CONTRADICTIONS, type MatchReason } from '../schemas/match-reasons.js';
import { logistic, roundTo } from '../text/statistics.js';
import {
  type Candidate,
  compareAll,
  type Comparisons,
  type PairEvidence,
  haveOtherModels,
  haveOtherVariants,
  HOPELESS_LOGIT,
  isAccessoryOfOther,
  isContradicted,
  SHARED_CODE,
  type Sibling,
  weighEvidence,
} from './evidence.js';
import { chooseAmong } from './choice.js';
import type { Features } from './features.js';
import { haveOtherLines } from './head-comparison.js';
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
import { shareModelNumber } from './shared-numbers.js';

/** The result of matching: how likely it is that two listings are the same product, and why. */
export interface Match {
  /**
   * The calibrated probability that the two listings are the same product, 0 to 1, with four decimals.
   */
  score: number;
  /** What the two listings agree in, strongest evidence first. */
  reasons: MatchReason[];
  /** Whether the listings differ in something that rules out a match, whatever else they share. */
  contradicted: boolean;
  /** What the two listings differ in. Not every difference rules out a match. */
  contradictions: Contradiction[];
}

/**
 * The score from which on two listings count as a match. From 0.5 on, they are at least as likely the
 * same product as not.
 */
export const MATCH_THRESHOLD = 0.5;

/**
 * If two listings differ in something that rules out a match, their probability is multiplied by this
 * factor, which keeps the score below `MATCH_THRESHOLD`.
 */
const CONTRADICTED_FACTOR = 0.45;

/**
 * Scores how likely each candidate is the same product as the sought listing.
 * @param candidates all listings that may be the same product, because the weight of a word depends on
 *   how many of them have it.
 * @param siblings similar listings of the sought listing's own shop. If one of them fits a candidate
 *   better, the candidate is a match of that sibling.
 * @param read a memoizing reader, for callers that compare a listing more than once.
 * @param model the model that scores; by default the one that ships with the service.
 * @returns one match for each candidate, in their order.
 */
export const matchCandidates = (
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[] = [],
  read?: ProfileReader,
  model?: Model,
): Match[] => scoreComparisons(compareAll(sought, candidates, siblings, read), model);

/**
 * Returns the candidates that score at least `MATCH_THRESHOLD`. This costs less than `matchCandidates`,
 * because candidates that are plainly another product are not scored.
 * @returns each match with the candidate's id, in the order of the candidates.
 */
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

/**
 * Scores candidates whose features have been computed already.
 * @param model the model that scores; by default the one that ships with the service.
 */
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
    const score = contradicted ? probability * CONTRADICTED_FACTOR : probability;
    return {
      score: roundScore(score),
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

/**
 * The calibrated logit (log-odds) of each pair, without regard to competing candidates; null if something
 * rules out that the pair is a match.
 */
export const calibratedLogits = (weighed: readonly PairEvidence[], model: Model): (number | null)[] =>
  weighed.map((evidence) => (isContradicted(evidence.features) ? null : calibratedLogit(evidence, model)));

/** The logit (log-odds) that a pair of listings is the same product, before calibration. */
export const matchLogit = (evidence: PairEvidence, { pair, trees }: Pick<Model, 'pair' | 'trees'>): number =>
  evidence.pair <= HOPELESS_LOGIT
    ? evidence.pair
    : forestLogit(trees, treeInputs(evidence, pair)) + handWeightedLogit(evidence.features, pair);

/**
 * The maximum score of a pair of listings that share no GTIN and no model number, because equal names alone
 * are weaker evidence.
 */
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

/**
 * The condition for each reason that is given for a match. It holds only if both listings state the
 * property, they agree, and nothing of the same kind differs.
 */
const REASONS: [reason: MatchReason, holds: (features: Features) => boolean][] = [
  ['gtin', ({ gtinAgree }) => gtinAgree > 0],
  [
    'model',
    ({ codeExact, codePrefix, modelAgree, modelConflict, codeNeighbour }) =>
      (modelAgree > 0 || codeExact >= 0.6 || codePrefix >= 0.6) && modelConflict + codeNeighbour === 0,
  ],
  ['brand', ({ brandAgree, brandConflict }) => brandAgree > 0 && brandConflict === 0],
  ['name', ({ describedHigh, coverHigh }) => coverHigh >= 0.6 || describedHigh >= 0.8],
  [
    'size',
    ({ measureAgree, measureConflict, storageConflict, lengthConflict, optionConflict, countConflict }) =>
      measureAgree > 0 &&
      measureConflict + storageConflict + lengthConflict + optionConflict + countConflict === 0,
  ],
  [
    'version',
    ({ numberAgree, numberConflict, lineConflict, unitConflict }) =>
      numberAgree > 0 && numberConflict + lineConflict + unitConflict === 0,
  ],
  ['colour', ({ colourAgree }) => colourAgree > 0],
  ['price', ({ priceUnknown, priceDistance }) => priceUnknown === 0 && priceDistance < 0.1],
];

function reasonsOf(features: Features): MatchReason[] {
  const reasons = REASONS.filter(([, holds]) => holds(features)).map(([reason]) => reason);
  return reasons.length > 0 ? reasons : ['name'];
}

/**
 * For each property in which two listings can contradict each other, such as the size, whether they do. A model number that
 * both have outweighs other numbers and words of their names, so these are then no contradiction.
 */
const CONTRADICTING: Partial<Record<Contradiction, (features: Features, a: Profile, b: Profile) => boolean>> =
  {
    identifier: ({ gtinConflict }) => gtinConflict > 0,
    maker: ({ brandConflict }) => brandConflict > 0,
    line: (_features, a, b) => haveOtherLines(a, b),
    model: (features) =>
      haveOtherModels(features) ||
      (features.modelConflict > 0 && features.gtinAgree === 0) ||
      (features.codeConflict > 0 &&
        Math.max(features.gtinAgree, features.codeExact, features.codePrefix, features.codeAkin) <
          SHARED_CODE),
    variant: (features, a, b) =>
      features.tierConflict + features.modelTierConflict + features.alternativeConflict > 0 ||
      haveOtherVariants(features) ||
      (features.codeTierConflict > 0 && !shareModelNumber(a, b)),
    kind: (features) => features.partConflict + features.strangers > 0 || isAccessoryOfOther(features),
    size: ({
      storageConflict,
      measureConflict,
      lengthConflict,
      unitConflict,
      optionConflict,
      countConflict,
      packMissing,
    }) =>
      storageConflict +
        measureConflict +
        lengthConflict +
        unitConflict +
        optionConflict +
        countConflict +
        packMissing >
      0,
    colour: ({ colourConflict }) => colourConflict > 0,
    edition: ({ platformConflict, languageConflict }) => platformConflict + languageConflict > 0,
  };

/** Returns what two listings differ in, in the order of `CONTRADICTIONS`. */
export const contradictionsOf = (features: Features, a: Profile, b: Profile): Contradiction[] =>
  CONTRADICTIONS.filter((name) => CONTRADICTING[name]?.(features, a, b) === true);
