import { type CheapFeatures, cheapFeatures } from './cheap-features.js';
import { codeWeight } from './codes.js';
import { type CandidateSet, compareProfiles, FEATURES, type Features } from './features.js';
import type { Model, PairWeights, WordWeights } from './model.js';
import { wordWeight } from './overlap.js';
import { type Matchable, type Profile, type ProfileReader, readProfile } from './profile.js';
import { isContradicted, isPlainlyAnother } from './verdict.js';

/** A listing that may be the same product as another one, with its shop, because a shop usually offers a product only once. */
export type Candidate = Matchable & { id: number; source: string; merchant_id: string | null };

/** A similar listing of the shop of the sought listing, for which matches are searched. */
export type Sibling = Matchable & { id: number };

/** The evidence for and against a match of the sought listing and one candidate. */
export interface PairEvidence {
  features: Features;
  /** The logit (log-odds) of a match by the features of the pair alone, without its competitors. */
  pair: number;
  /**
   * The logit of the pair minus that of its best competitor, limited to ±`MAX_MARGIN`: as `ahead` or `behind`. Competitors are
   * the rivals (other listings of the candidate's shop) and the siblings (other listings of the sought listing's shop, paired
   * with the candidate) that are other products.
   */
  margin: { ahead: number; behind: number };
  /** The logit that the learned weights of the words of the two names result in; 0 if the model has none. */
  words: number;
}

/** The maximum difference of logits that counts, because a larger lead makes a match no more likely. */
const MAX_MARGIN = 3;
/** Added to the logit of a pair of listings that differ in something that rules out a match, such as the size. */
const CONTRADICTED_LOGIT = -3;
/** From this logit on, two listings of one shop are taken for offers of one product, which do not compete. */
const SAME_PRODUCT_LOGIT = -0.7;
/** Up to this logit, a pair cannot be a match, so its siblings and the decision trees are not evaluated. */
export const HOPELESS_LOGIT = -4;

/** The features of a sought listing with each of its candidates. No weights are applied yet. */
export type Comparisons = ReturnType<typeof compareAll>;

/** Returns a function that computes the value of each key once. */
const computeOnce =
  <Key, Value>(compute: (key: Key) => Value, known = new Map<Key, Value>()) =>
  (key: Key): Value => {
    const value = known.get(key) ?? compute(key);
    known.set(key, value);
    return value;
  };

/**
 * Computes the features of a listing paired with each of its candidates and siblings.
 * @param options.matchesOnly whether to leave out candidates that are plainly another product.
 * @param options.areLinked whether the candidates are linked as offers of one product. Such candidates do not compete, so they are
 * not compared with each other, and the cost grows with their number instead of its square.
 */
export function compareAll(
  sought: Candidate,
  all: readonly Candidate[],
  siblings: readonly Sibling[],
  read: ProfileReader = readProfile,
  { matchesOnly = false, areLinked = false }: { matchesOnly?: boolean; areLinked?: boolean } = {},
) {
  const profile = read(sought);
  const everyCandidate = all.map((candidate) => ({ candidate, other: read(candidate) }));
  const everyProfile = [profile, ...everyCandidate.map(({ other }) => other)];
  const brands = new Set(everyProfile.flatMap(({ brand }) => brand));
  const weight = wordWeight(everyProfile, brands);
  const set: CandidateSet = { codeWeight: codeWeight(everyProfile), brands };
  const compared = everyCandidate.map((one) => ({ ...one, cheap: cheapFeatures(profile, one.other) }));
  const chosen = matchesOnly ? worthComparing(compared) : compared;
  const others = siblings.filter(({ id, name }) => id !== sought.id && name !== sought.name);
  // Fewer fields are fetched for siblings than for candidates, so the shared reader must not memoize their profiles. A sibling
  // that is a candidate as well has been read already.
  const readSibling = computeOnce<Sibling, Profile>(
    readProfile,
    new Map(everyCandidate.map(({ candidate, other }) => [candidate, other])),
  );
  // The weights of codes are derived from the candidates alone, so they do not apply to siblings.
  const withSought = computeOnce((one: Sibling) => compareProfiles(readSibling(one), profile, weight));
  return {
    profile,
    /** The candidates, in the same order as their profiles and features. With `matchesOnly`, only possible matches and rivals. */
    candidates: chosen.map(({ candidate }) => candidate),
    profiles: chosen.map(({ other }) => other),
    /** Whether only matches are wanted. The evidence for candidates that plainly do not match is then incomplete. */
    matchesOnly,
    /** Whether the candidates are linked as offers of one product, which do not compete. */
    areLinked,
    features: chosen.map(({ other, cheap }) => compareProfiles(profile, other, weight, set, cheap)),
    /** Returns the features of each sibling paired with the candidate at this index. They are computed on demand. */
    bySiblings: computeOnce((index: number) => {
      const { candidate, other } = chosen[index] as (typeof chosen)[number];
      return others
        .filter(({ id }) => id !== candidate.id)
        .map((one) => ({
          withSought: withSought(one),
          withCandidate: compareProfiles(readSibling(one), other, weight),
        }));
    }),
    /** Returns the features of the pair of two candidates, given by their indices. */
    between: (index: number, other: number) =>
      compareProfiles(chosen[index]?.other ?? profile, chosen[other]?.other ?? profile, weight, set),
  };
}

/** Selects the candidates that may be a match, and the other candidates of their shops, which compete with them. */
function worthComparing<C extends { candidate: Candidate; cheap: CheapFeatures }>(
  compared: readonly C[],
): C[] {
  const shops = new Set(
    compared.filter(({ cheap }) => !isPlainlyAnother(cheap)).map(({ candidate }) => shopOf(candidate)),
  );
  return compared.filter(({ candidate }) => shops.has(shopOf(candidate)));
}

/** Computes the evidence for each candidate, in their order, from the features of its pair and of the pairs that compete. */
export function weighEvidence(
  comparisons: Comparisons,
  { pair: weights, words }: Pick<Model, 'pair' | 'words'>,
): PairEvidence[] {
  const { profile, profiles, features, bySiblings, matchesOnly } = comparisons;
  const pairs = features.map((one) => pairLogit(one, weights));
  const isAnotherProduct = computeOnce(
    (withSought: Features) => pairLogit(withSought, weights) < SAME_PRODUCT_LOGIT,
  );
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

/** The words of two names as a learned model counts them: `=word` for a word of both, `-word` for a word of one of them. */
export function wordsOfPair(a: Profile, b: Profile): Set<string> {
  const marked = (one: Profile, other: Profile) =>
    one.words.map(({ text }) => (other.forms.has(text) ? '=' : '-') + text);
  return new Set([...marked(a, b), ...marked(b, a)]);
}

/** The logit that the learned weights of the words of two names result in; 0 if the model has none. */
const wordLogit = (a: Profile, b: Profile, words: WordWeights | undefined): number =>
  words === undefined
    ? 0
    : [...wordsOfPair(a, b)].reduce((sum, word) => sum + (words.weights[word] ?? 0), words.base);

const pairLogit = (features: Features, weights: PairWeights): number =>
  FEATURES.reduce((sum, name) => sum + features[name] * weights[name], 0) +
  (isContradicted(features) ? CONTRADICTED_LOGIT : 0);

/** The key of the shop that offers a listing: its source, and on a marketplace its merchant. */
export const shopOf = ({ source, merchant_id }: Pick<Candidate, 'source' | 'merchant_id'>): string =>
  `${source}\0${merchant_id}`;

function bestRival(
  index: number,
  comparisons: Comparisons,
  pairs: readonly number[],
  weights: PairWeights,
): number {
  const { candidates } = comparisons;
  const shop = shopOf(candidates[index] as Candidate);
  // A rival with a lower logit is skipped, because the lead of the pair over it exceeds `MAX_MARGIN` anyway.
  const least = (pairs[index] ?? 0) - MAX_MARGIN;
  return candidates.reduce((best, other, at) => {
    const logit = pairs[at] ?? -Infinity;
    if (at === index || logit <= Math.max(best, least) || shopOf(other) !== shop) return best;
    return areOtherProducts(comparisons, index, at, weights) ? logit : best;
  }, -Infinity);
}

/** Whether two candidates, given by their indices, are offers of two products. */
export const areOtherProducts = (
  { candidates, areLinked, between }: Comparisons,
  index: number,
  other: number,
  weights: PairWeights,
): boolean =>
  !areLinked &&
  candidates[index]?.name !== candidates[other]?.name &&
  pairLogit(between(index, other), weights) < SAME_PRODUCT_LOGIT;
