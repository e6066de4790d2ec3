import { compareAll, type Comparisons } from '../../src/matching/evidence.js';
import { readProfile, type Matchable, type Profile } from '../../src/matching/profile.js';
import { ownerOf } from '../../src/listing/owner.js';
import type { Label, LabelledComparisons } from '../../src/matching/learning/training-pairs.js';
import type { Judged } from './training.js';

export interface Case {
  judged: Judged;
  comparisons: Comparisons;
  labels: Label[];
  /** Whether some candidate of the listing, or a listing that was not retrieved, is the same product. */
  hasCounterpart: boolean;
  /** Whether this case was derived from another one by removing all candidates that are the same product. */
  isDerived: boolean;
}

const EXAMINED = 20;

/** The case of a listing and, if it has matches, one as if no other shop offered the product: the next candidates take their place. */
export function casesOf(judged: Judged, read: (listing: Matchable) => Profile = readProfile): Case[] {
  const all = judged.candidates.map((_, at) => at);
  const others = all.filter((at) => judged.labels[at] !== 1);
  const caseWith = (some: number[], isDerived: boolean): Case => {
    const chosen = some.slice(0, EXAMINED);
    const labels = chosen.map((at) => judged.labels[at] ?? null);
    return {
      judged,
      labels,
      comparisons: compareAll(
        judged.sought,
        chosen.flatMap((at) => judged.candidates[at] ?? []),
        judged.siblings,
        read,
      ),
      hasCounterpart: !isDerived && (judged.gold > 0 || labels.includes(1)),
      isDerived,
    };
  };
  const withAll = caseWith(all, false);
  return withAll.labels.includes(1) ? [withAll, caseWith(others, true)] : [withAll];
}

/** Returns a function that reads a listing's profile once, because it may be a candidate of many others. */
export function rememberProfiles(): (listing: Matchable) => Profile {
  const known = new Map<string, Profile>();
  return (listing) => {
    const { id } = listing as Matchable & { id: number };
    const key = `${id} ${listing.comparablePrice} ${listing.description === undefined}`;
    const profile = known.get(key) ?? readProfile(listing);
    known.set(key, profile);
    return profile;
  };
}

/** The weight of each case: sets weigh the same, listings without a counterpart the share `withoutCounterpart` of their set. */
export function weightsOf(cases: readonly Case[], withoutCounterpart: number): number[] {
  const counts = new Map<string, number>();
  const groupOf = ({ judged, hasCounterpart }: Case) => `${judged.set} ${hasCounterpart}`;
  for (const one of cases) counts.set(groupOf(one), (counts.get(groupOf(one)) ?? 0) + 1);
  return cases.map((one) => {
    const share = one.hasCounterpart ? 1 - withoutCounterpart : withoutCounterpart;
    return (LISTINGS_OF_A_SET * share) / (counts.get(groupOf(one)) ?? 1);
  });
}

/** The total weight of the cases of each data set, regardless of its size. */
const LISTINGS_OF_A_SET = 1000;

/** Gives all candidates of each case the weight of the case, for fits that weigh single pairs. */
export function labelledComparisons(
  cases: readonly Case[],
  withoutCounterpart: number,
): LabelledComparisons[] {
  const weights = weightsOf(cases, withoutCounterpart);
  return cases.map(({ comparisons, labels, judged }, at) => ({
    comparisons,
    labels,
    weight: weights[at] ?? 0,
    owner: ownerOf(judged.sought),
    product: judged.product,
  }));
}
