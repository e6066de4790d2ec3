import { type CheapFeatures, cheapFeatures } from './cheap-features.js';
import { codeWeight } from './codes.js';
import { type CandidateSet, compareProfiles, type FeatureName, FEATURES, type Features } from './features.js';
import type { PairWeights } from './model.js';
import { wordWeight, type WordWeight } from './overlap.js';
import { type Matchable, type Profile, type ProfileReader, readProfile } from './profile.js';

/** A listing to compare, and the shop that offers it: as a rule, a shop offers a product once. */
export type Candidate = Matchable & { id: number; source: string; merchant_id: string | null };

/** Another listing of the sought listing's shop. */
export type Sibling = Matchable & { id: number };

/** The evidence for and against a pair of listings. */
export interface PairEvidence {
  features: Features;
  /** The logit of the features alone. */
  pair: number;
  margin: RivalMargin;
}

/**
 * The lead of a pair over its best competitor: a difference of logits within ±`MAX_MARGIN`. Competitors of a pair are the
 * rivals (other listings of the candidate's shop, matched with the sought listing) and the siblings (other listings of the
 * sought listing's shop, matched with the candidate). A listing that is the same product as the one that it would compete
 * with does not count.
 */
interface RivalMargin {
  /** The lead, or 0. */
  ahead: number;
  /** The lag as a negative number, or 0. */
  behind: number;
}

/** Larger leads carry no more information. */
const MAX_MARGIN = 3;
/** Added to the logit of a contradicted pair. */
const CONTRADICTED_LOGIT = -3;
/** From this logit on, two listings of one shop are offers of one product and do not compete. */
const SAME_PRODUCT_LOGIT = -0.7;
/** Two prices are near if they are within a factor of two. */
const NEAR_PRICE = Math.log(2);
/** A pair with this logit or less is not a match whatever else is known, so siblings and trees are not evaluated. */
export const HOPELESS_LOGIT = -4;

/** A listing compared with its candidates. Features only: nothing is weighted yet. */
export interface Comparisons {
  /** The profile of the sought listing. */
  profile: Profile;
  /** With `matchesOnly`, without candidates that cannot be a match and do not compete with one that can. */
  candidates: readonly Candidate[];
  /** The profiles of the candidates, in their order. */
  profiles: readonly Profile[];
  weight: WordWeight;
  /** The features of each candidate, in their order. */
  features: readonly Features[];
  /** The features of each sibling with the candidate at this index, computed on demand. */
  bySiblings: (index: number) => readonly SiblingFeatures[];
  /** Whether the evidence of contradicted candidates is left incomplete. */
  matchesOnly: boolean;
  /** The features of two candidates with each other. */
  between: (index: number, other: number) => Features;
}

interface SiblingFeatures {
  withCandidate: Features;
  withSought: Features;
}

/**
 * @param options.matchesOnly leaves out the candidates that are plainly another product. Most candidates are, so this
 *   saves most of the work for callers that need matches only.
 */
export function compareAll(
  sought: Candidate,
  all: readonly Candidate[],
  siblings: readonly Sibling[],
  read: ProfileReader = readProfile,
  { matchesOnly = false }: { matchesOnly?: boolean } = {},
): Comparisons {
  const profile = read(sought);
  const everyCandidate = all.map((candidate) => ({ candidate, other: read(candidate) }));
  const everyProfile = [profile, ...everyCandidate.map(({ other }) => other)];
  const brands = new Set(everyProfile.flatMap(({ brand }) => brand));
  const weight = wordWeight(everyProfile, brands);
  const set: CandidateSet = { codeWeight: codeWeight(everyProfile), brands };
  const compared = everyCandidate.map((one) => ({ ...one, cheap: cheapFeatures(profile, one.other) }));
  const chosen = matchesOnly ? worthComparing(compared) : compared;
  const candidates = chosen.map(({ candidate }) => candidate);
  const profiles = chosen.map(({ other }) => other);
  return {
    profile,
    candidates,
    profiles,
    weight,
    matchesOnly,
    features: chosen.map(({ other, cheap }) => compareProfiles(profile, other, weight, set, cheap)),
    bySiblings: siblingComparison(sought, profile, siblings, { candidates, profiles, weight }),
    between: (index, other) =>
      compareProfiles(profiles[index] ?? profile, profiles[other] ?? profile, weight, set),
  };
}

/** Compares siblings with candidates on demand, each pair once. */
function siblingComparison(
  sought: Candidate,
  profile: Profile,
  siblings: readonly Sibling[],
  { candidates, profiles, weight }: Pick<Comparisons, 'candidates' | 'profiles' | 'weight'>,
): Comparisons['bySiblings'] {
  const others = siblings.filter(({ id, name }) => id !== sought.id && name !== sought.name);
  const siblingProfiles = new Map<Sibling, Profile>();
  const besideSought = new Map<Sibling, Features>();
  const byCandidate = new Map<number, SiblingFeatures[]>();
  return (index) => {
    const known = byCandidate.get(index);
    const other = profiles[index];
    if (known !== undefined || other === undefined) return known ?? [];
    const compared = others
      .filter(({ id }) => id !== candidates[index]?.id)
      .map((sibling) => {
        // Fewer fields are fetched for siblings than for candidates, so the shared reader must not memoize their profiles.
        const siblingProfile = siblingProfiles.get(sibling) ?? readProfile(sibling);
        siblingProfiles.set(sibling, siblingProfile);
        const withSought = besideSought.get(sibling) ?? compareProfiles(siblingProfile, profile, weight);
        besideSought.set(sibling, withSought);
        // The candidate set describes the candidates, and siblings are not among them.
        return { withCandidate: compareProfiles(siblingProfile, other, weight), withSought };
      });
    byCandidate.set(index, compared);
    return compared;
  };
}

/** The candidates that may be a match, and the other candidates of their shops, which compete with them. */
function worthComparing<C extends { candidate: Candidate; cheap: CheapFeatures }>(
  compared: readonly C[],
): C[] {
  const shopOf = ({ candidate: { source, merchant_id } }: C) => `${source}\0${merchant_id}`;
  const shops = new Set(compared.filter(({ cheap }) => !isPlainlyAnother(cheap)).map(shopOf));
  return compared.filter((one) => shops.has(shopOf(one)));
}

/**
 * Weighs every pair by itself, and against its rivals and siblings.
 * @returns the evidence for each candidate, in their order.
 */
export function weighEvidence(comparisons: Comparisons, weights: PairWeights): PairEvidence[] {
  const { features, bySiblings, matchesOnly } = comparisons;
  const pairs = features.map((one) => pairLogit(one, weights));
  const memoized = new Map<Features, boolean>();
  const isAnotherProduct = (withSought: Features): boolean => {
    const known = memoized.get(withSought) ?? pairLogit(withSought, weights) < SAME_PRODUCT_LOGIT;
    memoized.set(withSought, known);
    return known;
  };
  return features.map((one, index) => {
    const pair = pairs[index] ?? -Infinity;
    if (pair <= HOPELESS_LOGIT || (matchesOnly && isContradicted(one)))
      return { features: one, pair, margin: { ahead: 0, behind: -MAX_MARGIN } };
    const siblings = bySiblings(index)
      .filter(({ withSought }) => isAnotherProduct(withSought))
      .map(({ withCandidate }) => pairLogit(withCandidate, weights));
    const lead = pair - Math.max(bestRival(index, comparisons, pairs, weights), ...siblings);
    const margin = {
      ahead: Math.max(0, Math.min(MAX_MARGIN, lead)),
      behind: Math.max(-MAX_MARGIN, Math.min(0, lead)),
    };
    return { features: one, pair, margin };
  });
}

/** Whether the cheap features alone rule a match out. */
const isPlainlyAnother = (features: CheapFeatures): boolean =>
  features.storageConflict +
    features.measureConflict +
    features.countConflict +
    features.packMissing +
    features.colourConflict +
    features.tierConflict +
    features.optionConflict +
    features.modelTierConflict +
    features.partConflict >
    0 ||
  (features.brandConflict > 0 && features.gtinAgree === 0);

/** Whether a difference rules a match out regardless of what agrees: another size, colour, pack, model, or an accessory. */
export function isContradicted(features: Features): boolean {
  const { codeExact, codeOwn, gtinAgree, priceUnknown, priceDistance } = features;
  const sameModel = codeExact >= 1 || gtinAgree > 0;
  const modelConflicts =
    features.lineConflict + features.codeSeries + features.codeNeighbour + features.lengthConflict;
  // An accessory may carry the number of the product that it goes with, but it does not have that product's price.
  const nearPrice = priceUnknown === 0 && priceDistance < NEAR_PRICE;
  const sameThing = (gtinAgree > 0 && nearPrice) || codeOwn > 0 || (codeExact >= 1 && nearPrice);
  return (
    isPlainlyAnother(features) ||
    features.strangers + features.unitConflict > 0 ||
    (modelConflicts > 0 && !sameModel) ||
    (features.accessoryOnly > 0 && (!sameThing || features.priceFar > 0))
  );
}

const pairLogit = (features: Features, weights: PairWeights): number =>
  weightedSum(features, weights) + (isContradicted(features) ? CONTRADICTED_LOGIT : 0);

const isOfOneShop = (a: Candidate, b: Candidate): boolean =>
  a.source === b.source && a.merchant_id === b.merchant_id;

/** The highest logit among the other listings of the candidate's shop that are another product. */
function bestRival(
  index: number,
  { candidates, between }: Comparisons,
  pairs: readonly number[],
  weights: PairWeights,
): number {
  const candidate = candidates[index];
  // A rival below this logit does not change the margin.
  const least = (pairs[index] ?? 0) - MAX_MARGIN;
  return candidates.reduce((best, other, at) => {
    const logit = pairs[at] ?? -Infinity;
    if (candidate === undefined || at === index || logit <= Math.max(best, least)) return best;
    if (!isOfOneShop(candidate, other) || other.name === candidate.name) return best;
    return pairLogit(between(index, at), weights) < SAME_PRODUCT_LOGIT ? logit : best;
  }, -Infinity);
}

/** The features of each model whose weight is not 0. Most weights are 0. */
const nonZeroWeights = new WeakMap<PairWeights, [FeatureName, number][]>();

function weightedSum(features: Features, weights: PairWeights): number {
  let nonZero = nonZeroWeights.get(weights);
  if (nonZero === undefined) {
    nonZero = FEATURES.filter((name) => weights[name] !== 0).map((name) => [name, weights[name]]);
    nonZeroWeights.set(weights, nonZero);
  }
  let sum = 0;
  for (const [name, weight] of nonZero) sum += features[name] * weight;
  return sum;
}
