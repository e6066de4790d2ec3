import { compareProfiles, type Features } from './features.js';
import type { WordWeight } from './overlap.js';
import { readProfile, type Matchable, type Profile } from './profile.js';
import { WEIGHTS, type Weights } from './weights.js';

/** A listing to compare, and the shop that offers it: a shop offers a product once, as a rule. */
export type Candidate = Matchable & { id: number; source: string; merchant_id: string | null };

/** Another listing of the sought listing's shop. */
export type Sibling = Matchable & { id: number };

/** Whether two listings are the same product. */
export interface Match {
  /** Calibrated probability, 0 to 1. */
  score: number;
  /** What agreed, strongest first: `gtin`, `model`, `brand`, `name`, `size`, `version`, `colour`. */
  reasons: string[];
}

/** From here on two listings are as likely the same product as not. */
export const MATCH_THRESHOLD = 0.5;

/** Evidence of one pair, before it is compared with that of others. */
export interface PairEvidence {
  features: Features;
  logit: number;
}

/** What the other candidates say about a pair. Differences of logits, within ±`MARGIN`. */
export interface ContextEvidence {
  bias: number;
  pair: number;
  /** How far the pair is ahead of the best rival: another listing of the candidate's shop. */
  aheadOfRivals: number;
  behindRivals: number;
  /** The same against siblings: other listings of the sought listing's shop, matched with the candidate. */
  aheadOfSiblings: number;
  behindSiblings: number;
}

/** More of a lead says nothing more. */
const MARGIN = 3;
/** What a contradiction leaves of a probability: less than the threshold, whatever else agrees. */
const CONTRADICTED = 0.45;
const CONTRADICTED_LOGIT = -3;
/** Prices within a factor of two. */
const NEAR_PRICE = Math.log(2);
/** Below this a pair is no match whatever the siblings say, so they are not compared. */
const HOPELESS_LOGIT = -4;

/**
 * How likely each candidate is the same product as the listing.
 * @param candidates all that may be, as many as there are: how common a word is among them tells how little it says.
 * @param siblings similar listings of the sought listing's own shop: where one of them fits a candidate better,
 *   the candidate is that one's.
 * @returns one match for each candidate, in their order.
 */
export function matchCandidates(
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[] = [],
  weights: Weights = WEIGHTS,
): Match[] {
  return gatherEvidence(sought, candidates, siblings, weights).map(({ features, context }) => {
    const chance = logistic(dot(context, weights.context));
    const score = isContradicted(features) ? chance * CONTRADICTED : chance;
    return { score: Math.round(score * 10_000) / 10_000, reasons: reasonsOf(features) };
  });
}

/** The evidence behind `matchCandidates`; the weights are fitted on it. */
export function gatherEvidence(
  sought: Candidate,
  candidates: readonly Candidate[],
  siblings: readonly Sibling[],
  weights: Weights,
): { features: Features; context: ContextEvidence }[] {
  const profile = readProfile(sought);
  const profiles = candidates.map((candidate) => readProfile(candidate));
  const weight = wordWeight([profile, ...profiles]);
  const pairs = profiles.map((other) => pairEvidence(profile, other, weight, weights));
  const others = siblings.filter(({ id, name }) => id !== sought.id && name !== sought.name);
  const siblingProfiles = pairs.some(({ logit }) => logit > HOPELESS_LOGIT)
    ? others.map((one) => readProfile(one))
    : [];
  return pairs.map(({ features, logit }, index) => {
    const ahead = logit - bestRival(index, candidates, pairs);
    const bySibling = siblingProfiles.map((sibling, at) => {
      const other = profiles[index];
      const isItself = others[at]?.id === candidates[index]?.id;
      if (other === undefined || isItself || logit <= HOPELESS_LOGIT) return -Infinity;
      return pairEvidence(sibling, other, weight, weights).logit;
    });
    return { features, context: contextOf(logit, ahead, logit - Math.max(-Infinity, ...bySibling)) };
  });
}

function pairEvidence(a: Profile, b: Profile, weight: WordWeight, weights: Weights): PairEvidence {
  const features = compareProfiles(a, b, weight);
  const logit = dot(features, weights.pair) + (isContradicted(features) ? CONTRADICTED_LOGIT : 0);
  return { features, logit };
}

function contextOf(pair: number, aheadOfRivals: number, aheadOfSiblings: number): ContextEvidence {
  const within = (value: number, low: number, high: number) => Math.max(low, Math.min(high, value));
  return {
    bias: 1,
    pair,
    aheadOfRivals: within(aheadOfRivals, 0, MARGIN),
    behindRivals: within(aheadOfRivals, -MARGIN, 0),
    aheadOfSiblings: within(aheadOfSiblings, 0, MARGIN),
    behindSiblings: within(aheadOfSiblings, -MARGIN, 0),
  };
}

/** The best logit among the other listings of the same shop; one with the very same name is no rival. */
function bestRival(index: number, candidates: readonly Candidate[], pairs: readonly PairEvidence[]): number {
  const candidate = candidates[index];
  let best = -Infinity;
  candidates.forEach((other, at) => {
    if (at === index || candidate === undefined) return;
    const rivals =
      other.source === candidate.source &&
      other.merchant_id === candidate.merchant_id &&
      other.name !== candidate.name;
    if (rivals) best = Math.max(best, pairs[at]?.logit ?? -Infinity);
  });
  return best;
}

/** What rules a match out whatever else agrees: another size, colour, number of pieces, model, or an accessory. */
function isContradicted(features: Features): boolean {
  const { codeExact, gtinAgree, priceUnknown, priceDistance } = features;
  const variant =
    features.storageConflict +
    features.countConflict +
    features.packMissing +
    features.colourConflict +
    features.tierConflict;
  const sameModel = codeExact >= 1 || gtinAgree > 0;
  const model = features.numberConflict + features.codeSeries;
  // An accessory may carry the number of what it goes with, but not its price.
  const sameThing = gtinAgree > 0 || (codeExact >= 1 && priceUnknown === 0 && priceDistance < NEAR_PRICE);
  return variant > 0 || (model > 0 && !sameModel) || (features.accessoryOnly > 0 && !sameThing);
}

/**
 * How much a word tells, from how many of these listings have it: what all candidates share cannot tell them apart.
 * Measured to serve as well as its frequency in the whole catalogue, without asking for it.
 */
export function wordWeight(profiles: readonly Profile[]): WordWeight {
  const counts = new Map<string, number>();
  for (const { words } of profiles) {
    for (const text of new Set(words.map((word) => word.text))) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const most = Math.log(1 + profiles.length);
  const weights = new Map<string, number>();
  for (const [text, count] of counts) weights.set(text, Math.log(1 + profiles.length / count) / most);
  return (text) => weights.get(text) ?? 1;
}

const REASONS: [reason: string, holds: (features: Features) => boolean][] = [
  ['gtin', ({ gtinAgree }) => gtinAgree > 0],
  [
    'model',
    ({ codeExact, codePrefix, modelAgree }) => modelAgree > 0 || codeExact >= 0.6 || codePrefix >= 0.6,
  ],
  ['brand', ({ brandAgree }) => brandAgree > 0],
  ['name', ({ describedHigh, coverHigh }) => coverHigh >= 0.6 || describedHigh >= 0.8],
  ['size', ({ measureAgree }) => measureAgree > 0],
  ['version', ({ numberAgree }) => numberAgree > 0],
  ['colour', ({ colourAgree }) => colourAgree > 0],
  ['price', ({ priceUnknown, priceDistance }) => priceUnknown === 0 && priceDistance < 0.1],
];

function reasonsOf(features: Features): string[] {
  const reasons = REASONS.filter(([, holds]) => holds(features)).map(([reason]) => reason);
  return reasons.length > 0 ? reasons : ['name'];
}

function dot<Name extends string>(
  values: Record<Name, number>,
  weights: Readonly<Record<Name, number>>,
): number {
  let sum = 0;
  for (const name in values) sum += values[name] * weights[name];
  return sum;
}

const logistic = (logit: number): number => 1 / (1 + Math.exp(-logit));
