import { type CheapFeatures, cheapFeatures } from './cheap-features.js';
import { codeWeight } from './codes.js';
import { type CandidateSet, compareProfiles, type FeatureName, FEATURES, type Features } from './features.js';
import { haveNamesOfOtherProducts } from './head-comparison.js';
import type { Model, PairWeights } from './model.js';
import { wordLogit } from './words.js';
import { wordWeight, type WordWeight } from './overlap.js';
import { type Matchable, type Profile, type ProfileReader, readProfile } from './profile.js';
import { shareModelNumber } from './shared-numbers.js';

/**
 * A listing that may be the same product as another one. Its source and its merchant are included, because
 * they identify its shop, and a shop usually offers a product only once.
 */
export type Candidate = Matchable & { id: number; source: string; merchant_id: string | null };

/**
 * A similar listing of the same shop as the sought listing, that is, the listing for which matches are
 * searched.
 */
export type Sibling = Matchable & { id: number };

/** The evidence for and against a match of the sought listing and one candidate. */
export interface PairEvidence {
  features: Features;
  /** The logit (log-odds) of a match by the features of the pair alone, without its competitors. */
  pair: number;
  margin: RivalMargin;
  /** The logit that the learned weights of the words of the two names result in; 0 if the model has none. */
  words: number;
}

/**
 * How far the logit of a pair is above or below the logit of its best competitor, limited to
 * ±`MAX_MARGIN`. Competitors of a pair are the rivals (other listings of the candidate's shop, paired
 * with the sought listing) and the siblings (other listings of the sought listing's shop, paired with
 * the candidate). A rival that is the same product as the candidate, and a sibling that is the same
 * product as the sought listing, do not count.
 */
interface RivalMargin {
  /** The logit of the pair minus that of its best competitor, or 0 if the competitor is ahead. */
  ahead: number;
  /** The logit of the pair minus that of its best competitor, or 0 if the pair is ahead. */
  behind: number;
}

/**
 * The maximum lead of a pair over its best competitor that counts, as a difference of logits, because a
 * larger lead makes a match no more likely.
 */
const MAX_MARGIN = 3;
/**
 * Added to the logit of a pair of listings that differ in something that rules out a match, such as the
 * size.
 */
const CONTRADICTED_LOGIT = -3;
/**
 * The minimum logit at which two listings of one shop are taken for offers of the same product. Such
 * listings do not compete for a match.
 */
const SAME_PRODUCT_LOGIT = -0.7;
/** The maximum logarithm of the ratio of two prices that are near each other: a factor of two. */
const NEAR_PRICE = Math.log(2);
/**
 * A pair of listings with at most this logit cannot be a match, so siblings and decision trees are not
 * evaluated for it.
 */
export const HOPELESS_LOGIT = -4;

/** The features of a sought listing with each of its candidates. No weights are applied yet. */
export interface Comparisons {
  /** The profile of the sought listing, that is, the listing for which matches are searched. */
  profile: Profile;
  /** The candidates. With `matchesOnly`, only possible matches and the listings that compete with them. */
  candidates: readonly Candidate[];
  /** The profiles of the candidates, in the order of the candidates. */
  profiles: readonly Profile[];
  weight: WordWeight;
  /**
   * For each candidate, the features of the pair of the sought listing and this candidate, in the order
   * of the candidates.
   */
  features: readonly Features[];
  /**
   * Returns the features of each sibling of the sought listing paired with the candidate at this index.
   * They are computed on demand.
   */
  bySiblings: (index: number) => readonly SiblingFeatures[];
  /**
   * Whether only matches are wanted. The evidence for candidates that plainly do not match is then
   * incomplete.
   */
  matchesOnly: boolean;
  /** Returns the features of the pair of two candidates, given by their indices. */
  between: (index: number, other: number) => Features;
}

interface SiblingFeatures {
  withCandidate: Features;
  withSought: Features;
}

/**
 * Compares a sought listing with its candidates and prepares the comparison with its siblings.
 * @param options.matchesOnly leaves out the candidates that are plainly another product. Most candidates
 *   are, so this saves most of the work for callers that need matches only.
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
    bySiblings: siblingComparison(sought, profile, siblings, {
      candidates,
      profiles,
      weight,
      // A sibling that is a candidate as well has been read already.
      known: everyCandidate.map(({ candidate, other }) => [candidate, other]),
    }),
    between: (index, other) =>
      compareProfiles(profiles[index] ?? profile, profiles[other] ?? profile, weight, set),
  };
}

/**
 * Returns a function that compares the siblings of the sought listing (similar listings of its own source)
 * with one of its candidates. The result is cached, so each pair is compared only once.
 */
function siblingComparison(
  sought: Candidate,
  profile: Profile,
  siblings: readonly Sibling[],
  {
    candidates,
    profiles,
    weight,
    known,
  }: Pick<Comparisons, 'candidates' | 'profiles' | 'weight'> & { known: [Sibling, Profile][] },
): Comparisons['bySiblings'] {
  const others = siblings.filter(({ id, name }) => id !== sought.id && name !== sought.name);
  const siblingProfiles = new Map<Sibling, Profile>(known);
  const besideSought = new Map<Sibling, Features>();
  const byCandidate = new Map<number, SiblingFeatures[]>();
  return (index) => {
    const cached = byCandidate.get(index);
    const other = profiles[index];
    if (cached !== undefined || other === undefined) return cached ?? [];
    const compared = others
      .filter(({ id }) => id !== candidates[index]?.id)
      .map((sibling) => {
        // Fewer fields are fetched for siblings than for candidates, so the shared reader must not memoize their profiles.
        const siblingProfile = siblingProfiles.get(sibling) ?? readProfile(sibling);
        siblingProfiles.set(sibling, siblingProfile);
        const withSought = besideSought.get(sibling) ?? compareProfiles(siblingProfile, profile, weight);
        besideSought.set(sibling, withSought);
        // The weights of codes are derived from the candidates alone, so they do not apply to siblings.
        return { withCandidate: compareProfiles(siblingProfile, other, weight), withSought };
      });
    byCandidate.set(index, compared);
    return compared;
  };
}

/**
 * Selects the candidates that may be a match, and the other candidates of the same shops, because they
 * compete with possible matches.
 */
function worthComparing<C extends { candidate: Candidate; cheap: CheapFeatures }>(
  compared: readonly C[],
): C[] {
  const shops = new Set(
    compared.filter(({ cheap }) => !isPlainlyAnother(cheap)).map(({ candidate }) => shopOf(candidate)),
  );
  return compared.filter(({ candidate }) => shops.has(shopOf(candidate)));
}

/**
 * Computes the evidence that the sought listing and each candidate are offers of one product. It depends on
 * the features of the pair and on those of competing pairs: the sought listing with other listings of the
 * candidate's shop (rivals), and the candidate with other listings of the sought listing's shop (siblings).
 * @returns the evidence for each candidate, in the order of the candidates.
 */
export function weighEvidence(
  comparisons: Comparisons,
  { pair: weights, words }: Pick<Model, 'pair' | 'words'>,
): PairEvidence[] {
  const { profile, profiles, features, bySiblings, matchesOnly } = comparisons;
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
      return { features: one, pair, margin: { ahead: 0, behind: -MAX_MARGIN }, words: 0 };
    const siblings = bySiblings(index)
      .filter(({ withSought }) => isAnotherProduct(withSought))
      .map(({ withCandidate }) => pairLogit(withCandidate, weights));
    const lead = pair - Math.max(bestRival(index, comparisons, pairs, weights), ...siblings);
    const margin = {
      ahead: Math.max(0, Math.min(MAX_MARGIN, lead)),
      behind: Math.max(-MAX_MARGIN, Math.min(0, lead)),
    };
    return { features: one, pair, margin, words: wordLogit(profile, profiles[index] ?? profile, words) };
  });
}

/** Whether the features that cost little to compute rule out that two listings are the same product. */
const isPlainlyAnother = (features: CheapFeatures): boolean =>
  features.storageConflict +
    features.measureConflict +
    features.countConflict +
    features.packMissing +
    features.colourConflict +
    features.tierConflict +
    features.optionConflict +
    features.alternativeConflict +
    features.modelTierConflict +
    features.partConflict >
    0 ||
  (features.brandConflict > 0 && features.gtinAgree === 0);

/**
 * Whether two listings are certainly different products: they state another maker, size, colour or variant, or their
 * names are those of different products. Listings that share a GTIN or a model number are not. A pack that only one of
 * them states is ignored, because the description of the other one may state it, and callers need not have descriptions.
 */
export const areDifferentProducts = (a: Profile, b: Profile): boolean => {
  if (haveNamesOfOtherProducts(a, b)) return true;
  const features = cheapFeatures(a, b);
  return (
    isPlainlyAnother({ ...features, packMissing: 0 }) && features.gtinAgree === 0 && !shareModelNumber(a, b)
  );
};

/**
 * The minimum value of a feature for model numbers, such as `codeExact`, at which two listings share a model number. A model
 * number of four characters, which often names a product line, reaches it.
 */
export const SHARED_CODE = 0.6;

/**
 * Whether two listings differ in something that rules out a match, whatever else they share: the size,
 * colour, pack or model, or one is an accessory of the other.
 */
export const isContradicted = (features: Features): boolean =>
  isPlainlyAnother(features) ||
  features.strangers + features.unitConflict + features.languageConflict + features.platformConflict > 0 ||
  haveOtherVariants(features) ||
  haveOtherModels(features) ||
  (features.lengthConflict > 0 && !shareModel(features)) ||
  isAccessoryOfOther(features);

const shareModel = ({ codeExact, gtinAgree }: Features): boolean => codeExact >= 1 || gtinAgree > 0;

/** Whether two listings are other models of a line or a series, and share neither a GTIN nor a model number of one product. */
export const haveOtherModels = (features: Features): boolean =>
  features.lineConflict + features.codeSeries + features.codeNeighbour > 0 && !shareModel(features);

/** Whether the names of two listings that share no model number state other variants. */
export const haveOtherVariants = ({ variantConflict, codeExact }: Features): boolean =>
  variantConflict > 0 && codeExact < SHARED_CODE;

/**
 * Whether one of two listings is an accessory of the other. It may state the model number of the product that it goes with,
 * but it does not cost as much.
 */
export function isAccessoryOfOther(features: Features): boolean {
  const { accessoryOnly, codeExact, codeOwn, gtinAgree, priceUnknown, priceDistance, priceFar } = features;
  const nearPrice = priceUnknown === 0 && priceDistance < NEAR_PRICE;
  const sameThing = codeOwn > 0 || ((gtinAgree > 0 || codeExact >= 1) && nearPrice);
  return accessoryOnly > 0 && (!sameThing || priceFar > 0);
}

const pairLogit = (features: Features, weights: PairWeights): number =>
  weightedSum(features, weights) + (isContradicted(features) ? CONTRADICTED_LOGIT : 0);

/** The key of the shop that offers a listing: its source, and on a marketplace its merchant. */
export const shopOf = ({ source, merchant_id }: Pick<Candidate, 'source' | 'merchant_id'>): string =>
  `${source}\0${merchant_id}`;

const isOfOneShop = (a: Candidate, b: Candidate): boolean =>
  a.source === b.source && a.merchant_id === b.merchant_id;

/**
 * The highest logit of a rival: another listing of the candidate's shop, paired with the sought listing.
 * Listings of the same product as the candidate do not count.
 */
function bestRival(
  index: number,
  comparisons: Comparisons,
  pairs: readonly number[],
  weights: PairWeights,
): number {
  const { candidates } = comparisons;
  const candidate = candidates[index];
  // Rivals with a logit of at most `least` are skipped: the lead of the pair over them exceeds `MAX_MARGIN`
  // anyway.
  const least = (pairs[index] ?? 0) - MAX_MARGIN;
  return candidates.reduce((best, other, at) => {
    const logit = pairs[at] ?? -Infinity;
    if (candidate === undefined || at === index || logit <= Math.max(best, least)) return best;
    if (!isOfOneShop(candidate, other)) return best;
    return areOtherProducts(comparisons, index, at, weights) ? logit : best;
  }, -Infinity);
}

/** Whether two candidates, given by their indices, are offers of two products. */
export const areOtherProducts = (
  { candidates, between }: Comparisons,
  index: number,
  other: number,
  weights: PairWeights,
): boolean =>
  candidates[index]?.name !== candidates[other]?.name &&
  pairLogit(between(index, other), weights) < SAME_PRODUCT_LOGIT;

/**
 * A cache: for each fitted model, the features whose weight is not 0, with their weights. Most weights are 0,
 * so sums over them are faster.
 */
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
