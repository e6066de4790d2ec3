import type { ReviewReason } from '../../schemas/review.js';
import { haveOtherMakers } from '../head-comparison.js';
import type { Profile } from '../profile.js';
import type { PairDecision, ScoredPair } from './cluster.js';
import { roundScore } from '../match.js';

/** A pair of listings that people should judge. */
export interface Question {
  /** The id of the listing that has the lower id. */
  a: number;
  b: number;
  reason: ReviewReason;
  /** The number of listings whose group the answer may change. */
  effect: number;
  /** The match probability of the pair, 0 to 1. */
  score: number;
}

/** The range of the match probability in which a pair is uncertain. */
const UNCERTAIN = { min: 0.3, max: 0.7 };
const LARGE_GROUP = 30;

interface ReviewInput {
  /** The compared pairs, each of them once. */
  pairs: readonly ScoredPair[];
  groups: readonly (readonly number[])[];
  decisions: readonly PairDecision[];
  shareGtin: (a: number, b: number) => boolean;
  profileOf: (id: number) => Profile | undefined;
}

/**
 * Finds the pairs that people should judge, the largest effect first: of those between two groups for one reason, the least
 * certain one.
 */
export function reviewQuestions(input: ReviewInput): Question[] {
  const { pairs, groups } = input;
  const groupOf = new Map(groups.flatMap((members, at) => members.map((id) => [id, at] as const)));
  const isSettled = settledBy(input, groupOf);
  const questions = new Map<string, Question>();
  const leastLikely = new Map<number, ScoredPair>();
  for (const pair of pairs) {
    const { a, b, probability } = pair;
    const [group, other] = [groupOf.get(a), groupOf.get(b)];
    if (group === undefined || other === undefined || isSettled(pair)) continue;
    const sizeOf = (at: number) => groups[at]?.length ?? 0;
    const isOneGroup = group === other;
    const reason = reviewReason(pair, isOneGroup, input);
    if (reason !== null) {
      const effect = sizeOf(group) + (isOneGroup ? 0 : sizeOf(other));
      const key = `${reason} ${Math.min(group, other)} ${Math.max(group, other)}`;
      const known = questions.get(key);
      const question = { a, b, reason, effect, score: roundScore(probability) };
      if (known === undefined || isNearerToHalf(question, known)) questions.set(key, question);
    } else if (isOneGroup && sizeOf(group) >= LARGE_GROUP) {
      const least = leastLikely.get(group);
      if (least === undefined || probability < least.probability) leastLikely.set(group, pair);
    }
  }
  for (const [group, { a, b, probability: score }] of leastLikely) {
    const effect = groups[group]?.length ?? 0;
    questions.set(`large_group ${group}`, { a, b, reason: 'large_group', effect, score: roundScore(score) });
  }
  return [...questions.values()].sort(byEffect);
}

/** Orders questions by their effect, the largest first, then by ids. */
export const byEffect = (one: Question, two: Question): number =>
  two.effect - one.effect || one.a - two.a || one.b - two.b;

const keyOf = (a: number, b: number): string => `${Math.min(a, b)} ${Math.max(a, b)}`;

/**
 * Returns a function that tells whether decisions settle a pair of listings: a decision about the pair itself; a decision that
 * its two groups are different; or, for an uncontradicted pair within one group, a decision that one of the two listings is the
 * same as a third listing that almost certainly is the same as the other one.
 */
function settledBy({ pairs, decisions }: ReviewInput, groupOf: ReadonlyMap<number, number>) {
  const decided = new Set(decisions.map(({ a, b }) => keyOf(a, b)));
  const separated = new Set<string>();
  const sameAs = new Map<number, number[]>();
  for (const { a, b, same } of decisions) {
    const [group, other] = [groupOf.get(a), groupOf.get(b)];
    if (group === undefined || other === undefined) continue;
    if (!same) separated.add(keyOf(group, other));
    else {
      sameAs.set(a, [...(sameAs.get(a) ?? []), b]);
      sameAs.set(b, [...(sameAs.get(b) ?? []), a]);
    }
  }
  const isUndoubted = ({ probability, contradicted }: ScoredPair) =>
    !contradicted && probability > UNCERTAIN.max;
  const sure = new Set(
    pairs
      .filter((pair) => (sameAs.has(pair.a) || sameAs.has(pair.b)) && isUndoubted(pair))
      .map(({ a, b }) => keyOf(a, b)),
  );
  const isSame = (a: number, b: number) => sameAs.get(a)?.some((third) => sure.has(keyOf(third, b))) === true;
  return ({ a, b, probability, contradicted }: ScoredPair): boolean => {
    if (decided.has(keyOf(a, b))) return true;
    const [group, other] = [groupOf.get(a), groupOf.get(b)];
    if (group !== other) return separated.has(keyOf(group ?? a, other ?? b));
    return !contradicted && probability >= UNCERTAIN.min && (isSame(a, b) || isSame(b, a));
  };
}

function reviewReason(
  { a, b, probability, contradicted }: ScoredPair,
  isOneGroup: boolean,
  { shareGtin, profileOf }: Pick<ReviewInput, 'shareGtin' | 'profileOf'>,
): ReviewReason | null {
  if (shareGtin(a, b)) {
    const [one, other] = [profileOf(a), profileOf(b)];
    if (one !== undefined && other !== undefined && haveOtherMakers(one, other)) return 'gtin_conflict';
  }
  if (isOneGroup && (contradicted || probability < UNCERTAIN.min)) return 'contradiction';
  const isUncertain = !contradicted && probability >= UNCERTAIN.min && probability <= UNCERTAIN.max;
  return isUncertain ? 'uncertain' : null;
}

function isNearerToHalf(one: Question, two: Question): boolean {
  const difference = Math.abs(one.score - 0.5) - Math.abs(two.score - 0.5);
  return difference < 0 || (difference === 0 && (one.a - two.a || one.b - two.b) < 0);
}
