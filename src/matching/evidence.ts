import { compareProfiles, FEATURES, type FeatureName, type Features, type Known } from './features.js';
import { wordWeight, type WordWeight } from './overlap.js';
import { codeWeight } from './codes.js';
import { readProfile, type Matchable, type Profile } from './profile.js';
import type { PairWeights } from './model.js';

/** A listing to compare, and the shop that offers it: a shop offers a product once, as a rule. */
export type Candidate = Matchable & { id: number; source: string; merchant_id: string | null };

/** Another listing of the sought listing's shop. */
export type Sibling = Matchable & { id: number };

/** Reads a listing that may be read again, compared with another one. */
export type ProfileReader = (listing: Sibling) => Profile;

/** What speaks for and against a pair of listings. */
export interface Evidence {
  features: Features;
  /** Log-odds of the features alone. */
  pair: number;
  context: Context;
}

/**
 * What the other listings of the two shops say about a pair: differences of log-odds, within ±`MARGIN`. The same from
 * either side: rivals are other listings of the candidate's shop, siblings are other listings of the sought one's,
 * matched with the candidate. What is the same product as the one that it competes with is neither.
 */
export interface Context {
  /** How far the pair is ahead of the best rival or sibling. */
  ahead: number;
  behind: number;
}

/** More of a lead says nothing more. */
const MARGIN = 3;
const CONTRADICTED_LOGIT = -3;
/** Two listings of one shop from here on are offers of one product, and do not compete. */
const SAME_LOGIT = -0.7;
/** Prices within a factor of two. */
const NEAR_PRICE = Math.log(2);
/** Below this a pair is no match whatever else is known: neither siblings nor trees are asked. */
export const HOPELESS_LOGIT = -4;

/** A listing compared with its candidates, before anything is weighed. */
export interface Comparisons {
  /** The listing, read. */
  profile: Profile;
  candidates: readonly Candidate[];
  /** Those read, in their order. */
  profiles: readonly Profile[];
  weight: WordWeight;
  /** One for each candidate. */
  features: readonly Features[];
  /** Of each sibling with the candidate at this position; worked out when it is asked for. */
  bySiblings: (index: number) => readonly Sided[];
  /** Of two candidates with each other. */
  between: (index: number, other: number) => Features;
}

/** A sibling's evidence with a candidate, and with the sought listing. */
export interface Sided {
  withCandidate: Features;
  withSought: Features;
}

export function compareAll(
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[],
  read: ProfileReader = readProfile,
): Comparisons {
  const profile = read(sought);
  const profiles = candidates.map((candidate) => read(candidate));
  const brands = new Set(profiles.concat(profile).flatMap(({ brand }) => brand));
  const weight = wordWeight([profile, ...profiles], brands);
  const known: Known = { telling: codeWeight([profile, ...profiles]), brands };
  const others = siblings.filter(({ id, name }) => id !== sought.id && name !== sought.name);
  const siblingProfiles = new Map<Sibling, Profile>();
  const found = new Map<number, Sided[]>();
  const besides = new Map<Sibling, Features>();
  const bySiblings = (index: number): Sided[] => {
    const known = found.get(index);
    const other = profiles[index];
    if (known !== undefined || other === undefined) return known ?? [];
    const compared = others
      .filter(({ id }) => id !== candidates[index]?.id)
      .map((sibling) => {
        const itsProfile = siblingProfiles.get(sibling) ?? read(sibling);
        siblingProfiles.set(sibling, itsProfile);
        const withSought = besides.get(sibling) ?? compareProfiles(itsProfile, profile, weight, known);
        besides.set(sibling, withSought);
        return { withCandidate: compareProfiles(itsProfile, other, weight, known), withSought };
      });
    found.set(index, compared);
    return compared;
  };
  return {
    ...{ profile, candidates, profiles, weight },
    features: profiles.map((other) => compareProfiles(profile, other, weight, known)),
    bySiblings,
    between: (index, other) =>
      compareProfiles(profiles[index] ?? profile, profiles[other] ?? profile, weight, known),
  };
}

/**
 * Weighs every pair by itself, and against its rivals and siblings.
 * @returns one for each candidate, in their order.
 */
export function weighEvidence(comparisons: Comparisons, weights: PairWeights): Evidence[] {
  const { features, bySiblings } = comparisons;
  const pairs = features.map((one) => pairLogOdds(one, weights));
  const besides = new Map<Features, boolean>();
  const isAnother = (sibling: Features): boolean => {
    const known = besides.get(sibling) ?? pairLogOdds(sibling, weights) < SAME_LOGIT;
    besides.set(sibling, known);
    return known;
  };
  return features.map((one, index) => {
    const pair = pairs[index] ?? -Infinity;
    if (pair <= HOPELESS_LOGIT) return { features: one, pair, context: { ahead: 0, behind: -MARGIN } };
    const siblings = bySiblings(index)
      .filter(({ withSought }) => isAnother(withSought))
      .map(({ withCandidate }) => pairLogOdds(withCandidate, weights));
    const ahead = pair - Math.max(bestRival(index, comparisons, pairs, weights), ...siblings);
    return { features: one, pair, context: contextOf(ahead) };
  });
}

/** What rules a match out whatever else agrees: another size, colour, number of pieces, model, or an accessory. */
export function isContradicted(features: Features): boolean {
  const { codeExact, codeOwn, gtinAgree, priceUnknown, priceDistance } = features;
  const sameModel = codeExact >= 1 || gtinAgree > 0;
  const variant =
    features.storageConflict +
    features.measureConflict +
    features.countConflict +
    features.packMissing +
    features.colourConflict +
    features.tierConflict +
    features.optionConflict +
    features.modelTierConflict +
    features.partConflict +
    features.strangers +
    features.unitConflict;
  const model =
    features.lineConflict + features.codeSeries + features.codeNeighbour + features.lengthConflict;
  // An accessory may carry the number of what it goes with, but not its price, and it says what it is for.
  const nearPrice = priceUnknown === 0 && priceDistance < NEAR_PRICE;
  const sameThing = (gtinAgree > 0 && nearPrice) || codeOwn > 0 || (codeExact >= 1 && nearPrice);
  return (
    variant > 0 ||
    (model > 0 && !sameModel) ||
    (features.brandConflict > 0 && gtinAgree === 0) ||
    (features.accessoryOnly > 0 && (!sameThing || features.priceFar > 0))
  );
}

const pairLogOdds = (features: Features, weights: PairWeights): number =>
  dot(features, weights) + (isContradicted(features) ? CONTRADICTED_LOGIT : 0);

const contextOf = (ahead: number): Context => ({
  ahead: Math.max(0, Math.min(MARGIN, ahead)),
  behind: Math.max(-MARGIN, Math.min(0, ahead)),
});

const ofOneShop = (a: Candidate, b: Candidate): boolean =>
  a.source === b.source && a.merchant_id === b.merchant_id;

/** The best log-odds among the other listings of the same shop that are another product. */
function bestRival(
  index: number,
  { candidates, between }: Comparisons,
  pairs: readonly number[],
  weights: PairWeights,
): number {
  const candidate = candidates[index];
  const least = (pairs[index] ?? 0) - MARGIN;
  return candidates.reduce((best, other, at) => {
    const odds = pairs[at] ?? -Infinity;
    if (candidate === undefined || at === index || odds <= Math.max(best, least)) return best;
    if (!ofOneShop(candidate, other) || other.name === candidate.name) return best;
    return pairLogOdds(between(index, at), weights) < SAME_LOGIT ? odds : best;
  }, -Infinity);
}

/** Most weights are 0, and the same are asked for again and again. */
const counting = new WeakMap<PairWeights, [FeatureName, number][]>();

function dot(features: Features, weights: PairWeights): number {
  let told = counting.get(weights);
  if (told === undefined) {
    told = FEATURES.filter((name) => weights[name] !== 0).map((name) => [name, weights[name]]);
    counting.set(weights, told);
  }
  let sum = 0;
  for (const [name, weight] of told) sum += features[name] * weight;
  return sum;
}
