import { compareProfiles, FEATURES, type Features } from './features.js';
import { wordWeight, type WordWeight } from './overlap.js';
import { readProfile, type Matchable, type Profile } from './profile.js';
import type { PairWeights } from './weights.js';

/** A listing to compare, and the shop that offers it: a shop offers a product once, as a rule. */
export type Candidate = Matchable & { id: number; source: string; merchant_id: string | null };

/** Another listing of the sought listing's shop. */
export type Sibling = Matchable & { id: number };

/** What speaks for and against a pair of listings. */
export interface Evidence {
  features: Features;
  /** Log-odds of the features alone. */
  pair: number;
  context: Context;
}

/** What the other listings say about a pair: differences of log-odds, within ±`MARGIN`. */
export interface Context {
  /** How far the pair is ahead of the best rival: another listing of the candidate's shop. */
  aheadOfRivals: number;
  behindRivals: number;
  /** The same against siblings: other listings of the sought listing's shop, matched with the candidate. */
  aheadOfSiblings: number;
  behindSiblings: number;
  /** The pair's part of all odds in the candidate's shop, 0 to 1. */
  share: number;
}

/** More of a lead says nothing more. */
const MARGIN = 3;
const CONTRADICTED_LOGIT = -3;
/** Prices within a factor of two. */
const NEAR_PRICE = Math.log(2);
/** Below this a pair is no match whatever else is known: neither siblings nor trees are asked. */
export const HOPELESS_LOGIT = -4;
/** Odds that a shop does not have the product at all, beside those of its candidates. */
const ABSENT_ODDS = Math.exp(-1.5);

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
  bySiblings: (index: number) => readonly Features[];
}

export function compareAll(
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[],
): Comparisons {
  const profile = readProfile(sought);
  const profiles = candidates.map((candidate) => readProfile(candidate));
  const weight = wordWeight([profile, ...profiles]);
  const others = siblings.filter(({ id, name }) => id !== sought.id && name !== sought.name);
  const read = new Map<Sibling, Profile>();
  const found = new Map<number, Features[]>();
  const bySiblings = (index: number): Features[] => {
    const known = found.get(index);
    const other = profiles[index];
    if (known !== undefined || other === undefined) return known ?? [];
    const compared = others
      .filter(({ id }) => id !== candidates[index]?.id)
      .map((sibling) => {
        const itsProfile = read.get(sibling) ?? readProfile(sibling);
        read.set(sibling, itsProfile);
        return compareProfiles(itsProfile, other, weight);
      });
    found.set(index, compared);
    return compared;
  };
  return {
    ...{ profile, candidates, profiles, weight },
    features: profiles.map((other) => compareProfiles(profile, other, weight)),
    bySiblings,
  };
}

/**
 * Weighs every pair by itself, and against its rivals and siblings.
 * @returns one for each candidate, in their order.
 */
export function weighEvidence(
  { candidates, features, bySiblings }: Comparisons,
  weights: PairWeights,
): Evidence[] {
  const pairs = features.map((one) => pairLogOdds(one, weights));
  return features.map((one, index) => {
    const pair = pairs[index] ?? -Infinity;
    const siblings =
      pair > HOPELESS_LOGIT ? bySiblings(index).map((other) => pairLogOdds(other, weights)) : [];
    const aheadOfRivals = pair - bestRival(index, candidates, pairs);
    const aheadOfSiblings = pair - Math.max(-Infinity, ...siblings);
    const share = Math.exp(pair) / (ABSENT_ODDS + oddsOfShop(index, candidates, pairs));
    return { features: one, pair, context: contextOf(aheadOfRivals, aheadOfSiblings, share) };
  });
}

/** What rules a match out whatever else agrees: another size, colour, number of pieces, model, or an accessory. */
export function isContradicted(features: Features): boolean {
  const { codeExact, codeOwn, gtinAgree, priceUnknown, priceDistance } = features;
  const sameModel = codeExact >= 1 || gtinAgree > 0;
  const variant =
    features.storageConflict +
    features.countConflict +
    features.packMissing +
    features.colourConflict +
    features.tierConflict;
  const model = features.numberConflict + features.codeSeries;
  // An accessory may carry the number of what it goes with, but not its price, and it says what it is for.
  const nearPrice = priceUnknown === 0 && priceDistance < NEAR_PRICE;
  const sameThing = gtinAgree > 0 || codeOwn > 0 || (codeExact >= 1 && nearPrice);
  return variant > 0 || (model > 0 && !sameModel) || (features.accessoryOnly > 0 && !sameThing);
}

const pairLogOdds = (features: Features, weights: PairWeights): number =>
  dot(features, weights) + (isContradicted(features) ? CONTRADICTED_LOGIT : 0);

function contextOf(aheadOfRivals: number, aheadOfSiblings: number, share: number): Context {
  const within = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));
  return {
    aheadOfRivals: within(aheadOfRivals, 0, MARGIN),
    behindRivals: within(aheadOfRivals, -MARGIN, 0),
    aheadOfSiblings: within(aheadOfSiblings, 0, MARGIN),
    behindSiblings: within(aheadOfSiblings, -MARGIN, 0),
    share,
  };
}

const ofOneShop = (a: Candidate, b: Candidate): boolean =>
  a.source === b.source && a.merchant_id === b.merchant_id;

/** The best log-odds among the other listings of the same shop; one with the very same name is no rival. */
function bestRival(index: number, candidates: readonly Candidate[], pairs: readonly number[]): number {
  const candidate = candidates[index];
  return candidates.reduce((best, other, at) => {
    const rivals = candidate !== undefined && ofOneShop(candidate, other) && other.name !== candidate.name;
    return rivals ? Math.max(best, pairs[at] ?? -Infinity) : best;
  }, -Infinity);
}

function oddsOfShop(index: number, candidates: readonly Candidate[], pairs: readonly number[]): number {
  const candidate = candidates[index];
  return candidates.reduce((sum, other, at) => {
    const inShop = candidate !== undefined && ofOneShop(candidate, other);
    return inShop ? sum + Math.exp(pairs[at] ?? -Infinity) : sum;
  }, 0);
}

function dot(features: Features, weights: PairWeights): number {
  let sum = 0;
  for (const name of FEATURES) sum += features[name] * weights[name];
  return sum;
}
