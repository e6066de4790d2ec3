import { compareProfiles, FEATURES, type FeatureName, type Features, type Known } from './features.js';
import { comparePlainly, type PlainFeatures } from './plain-features.js';
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
  /** With `matchesAlone` without those that cannot be a match, and tell of no other that can. */
  candidates: readonly Candidate[];
  /** Those read, in their order. */
  profiles: readonly Profile[];
  weight: WordWeight;
  /** One for each candidate. */
  features: readonly Features[];
  /** Of each sibling with the candidate at this position; worked out when it is asked for. */
  bySiblings: (index: number) => readonly Sided[];
  /** Whether what is ruled out is weighed no further. */
  matchesAlone: boolean;
  /** Of two candidates with each other. */
  between: (index: number, other: number) => Features;
}

/** A sibling's evidence with a candidate, and with the sought listing. */
export interface Sided {
  withCandidate: Features;
  withSought: Features;
}

/** @param matchesAlone whether of what is no match nothing need be known but that: most candidates are none. */
export function compareAll(
  sought: Candidate,
  all: readonly Candidate[],
  siblings: readonly Sibling[],
  read: ProfileReader = readProfile,
  { matchesAlone = false }: { matchesAlone?: boolean } = {},
): Comparisons {
  const profile = read(sought);
  const every = all.map((candidate) => ({ candidate, other: read(candidate) }));
  const everyProfile = [profile, ...every.map(({ other }) => other)];
  const brands = new Set(everyProfile.flatMap(({ brand }) => brand));
  const weight = wordWeight(everyProfile, brands);
  const known: Known = { telling: codeWeight(everyProfile), brands };
  const compared = every.map((one) => ({ ...one, plain: comparePlainly(profile, one.other) }));
  const kept = matchesAlone ? worthComparing(compared) : compared;
  const candidates = kept.map(({ candidate }) => candidate);
  const profiles = kept.map(({ other }) => other);
  const others = siblings.filter(({ id, name }) => id !== sought.id && name !== sought.name);
  const siblingProfiles = new Map<Sibling, Profile>();
  const found = new Map<number, Sided[]>();
  const besides = new Map<Sibling, Features>();
  const bySiblings = (index: number): Sided[] => {
    const before = found.get(index);
    const other = profiles[index];
    if (before !== undefined || other === undefined) return before ?? [];
    const compared = others
      .filter(({ id }) => id !== candidates[index]?.id)
      .map((sibling) => {
        // Of siblings less is fetched: read by themselves, they are the same beside whatever else is compared.
        const itsProfile = siblingProfiles.get(sibling) ?? readProfile(sibling);
        siblingProfiles.set(sibling, itsProfile);
        const withSought = besides.get(sibling) ?? compareProfiles(itsProfile, profile, weight);
        besides.set(sibling, withSought);
        // What the candidates tell together is about them, and no sibling is among them.
        return { withCandidate: compareProfiles(itsProfile, other, weight), withSought };
      });
    found.set(index, compared);
    return compared;
  };
  return {
    profile,
    candidates,
    profiles,
    weight,
    matchesAlone,
    features: kept.map(({ other, plain }) => compareProfiles(profile, other, weight, known, plain)),
    bySiblings,
    between: (index, other) =>
      compareProfiles(profiles[index] ?? profile, profiles[other] ?? profile, weight, known),
  };
}

/** Those that may be a match, and others of their shops, which compete with them. */
function worthComparing<C extends { candidate: Candidate; plain: PlainFeatures }>(
  compared: readonly C[],
): C[] {
  const shopOf = ({ candidate: { source, merchant_id } }: C) => `${source}\0${merchant_id}`;
  const shops = new Set(compared.filter(({ plain }) => !isOtherAtOnce(plain)).map(shopOf));
  return compared.filter((one) => shops.has(shopOf(one)));
}

/**
 * Weighs every pair by itself, and against its rivals and siblings.
 * @returns one for each candidate, in their order.
 */
export function weighEvidence(comparisons: Comparisons, weights: PairWeights): Evidence[] {
  const { features, bySiblings, matchesAlone } = comparisons;
  const pairs = features.map((one) => pairLogOdds(one, weights));
  const besides = new Map<Features, boolean>();
  const isAnother = (sibling: Features): boolean => {
    const known = besides.get(sibling) ?? pairLogOdds(sibling, weights) < SAME_LOGIT;
    besides.set(sibling, known);
    return known;
  };
  return features.map((one, index) => {
    const pair = pairs[index] ?? -Infinity;
    if (pair <= HOPELESS_LOGIT || (matchesAlone && isContradicted(one)))
      return { features: one, pair, context: { ahead: 0, behind: -MARGIN } };
    const siblings = bySiblings(index)
      .filter(({ withSought }) => isAnother(withSought))
      .map(({ withCandidate }) => pairLogOdds(withCandidate, weights));
    const ahead = pair - Math.max(bestRival(index, comparisons, pairs, weights), ...siblings);
    return { features: one, pair, context: contextOf(ahead) };
  });
}

/** Of what rules a match out that which is plain. */
const isOtherAtOnce = (features: PlainFeatures): boolean =>
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

/** What rules a match out whatever else agrees: another size, colour, number of pieces, model, or an accessory. */
export function isContradicted(features: Features): boolean {
  const { codeExact, codeOwn, gtinAgree, priceUnknown, priceDistance } = features;
  const sameModel = codeExact >= 1 || gtinAgree > 0;
  const model =
    features.lineConflict + features.codeSeries + features.codeNeighbour + features.lengthConflict;
  // An accessory may carry the number of what it goes with, but not its price, and it says what it is for.
  const nearPrice = priceUnknown === 0 && priceDistance < NEAR_PRICE;
  const sameThing = (gtinAgree > 0 && nearPrice) || codeOwn > 0 || (codeExact >= 1 && nearPrice);
  return (
    isOtherAtOnce(features) ||
    features.strangers + features.unitConflict > 0 ||
    (model > 0 && !sameModel) ||
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
