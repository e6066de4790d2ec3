import { compareAll, type Comparisons } from '../../src/matching/evidence.js';
import { readProfile, type Matchable, type Profile } from '../../src/matching/profile.js';
import type { Judged, Label } from './training.js';

/** A judged listing, compared. */
export interface Case {
  judged: Judged;
  comparisons: Comparisons;
  /** One for each candidate. */
  labels: Label[];
  /** Whether a listing of the same product is to be found. */
  hasCounterpart: boolean;
  /** Whether its counterparts were taken away. */
  isMade: boolean;
}

/** As many as `compare` looks at. */
const LOOKED_AT = 20;

/**
 * The listing with its candidates, and the same as if no other shop had its product: the right ones are taken away and
 * the next ones looked at in their place, so that all that depends on the other candidates is worked out anew.
 */
export function casesOf(judged: Judged, read: (listing: Matchable) => Profile = readProfile): Case[] {
  const all = judged.candidates.map((_, at) => at);
  const others = all.filter((at) => judged.labels[at] !== 1);
  const asked = (some: number[], isMade: boolean): Case => {
    const chosen = some.slice(0, LOOKED_AT);
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
      hasCounterpart: !isMade && (judged.gold > 0 || labels.includes(1)),
      isMade,
    };
  };
  const withAll = asked(all, false);
  return withAll.labels.includes(1) ? [withAll, asked(others, true)] : [withAll];
}

/** Reads a listing once, however many listings it is a candidate of. */
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

/** How much each case counts: every set the same, and within a set so great a share without a counterpart. */
export function weightsOf(cases: readonly Case[], withoutCounterpart: number): number[] {
  const counts = new Map<string, number>();
  const groupOf = ({ judged, hasCounterpart }: Case) => `${judged.set} ${hasCounterpart}`;
  for (const one of cases) counts.set(groupOf(one), (counts.get(groupOf(one)) ?? 0) + 1);
  return cases.map((one) => {
    const share = one.hasCounterpart ? 1 - withoutCounterpart : withoutCounterpart;
    return (LISTINGS_OF_A_SET * share) / (counts.get(groupOf(one)) ?? 1);
  });
}

/** What every set counts, in listings. */
const LISTINGS_OF_A_SET = 1000;
