import type { StoredListing } from '../../listing/listing.js';
import { type Candidate, compareAll, type ProfileReader } from '../evidence.js';
import type { Features } from '../features.js';
import { lazily } from '../lazily.js';
import { decide } from '../match.js';
import { presence, type WordWeight } from '../overlap.js';
import { type Profile, readProfile } from '../profile.js';
import { asCandidate, isCalled, type Kit, type ProductQuery } from '../query.js';
import { readStated, type Stated } from '../stated.js';
import type { Word } from '../../text/words.js';

/** What judging reads of a listing. */
export type Judged = Candidate & StoredListing;

/** A query and a listing, read. */
export interface Reading {
  query: Profile;
  kit: Kit | null;
  candidate: Judged;
  profile: Profile;
  stated: Stated;
  /** As if the query were a listing's name, and what compare makes of it. */
  evidence: Features;
  score: () => number;
  /** Words of the brands that the query names. */
  brands: ReadonlySet<string>;
  weight: WordWeight;
  profiles: readonly Profile[];
}

/**
 * @param also listings that are of the product: their brands count too.
 * @param readListing one that has read them before, perhaps.
 */
export function readAll(
  query: ProductQuery,
  candidates: readonly Judged[],
  also: readonly Judged[] = [],
  readListing: ProfileReader = readProfile,
): Reading[] {
  const sought = asCandidate(query.text);
  // The query is no listing, and has no id to know it by.
  const readEach: ProfileReader = (one) => (one === sought ? readProfile(one) : readListing(one));
  const comparisons = compareAll(sought, candidates, [], readEach);
  const { profiles, features, weight } = comparisons;
  const others = also.map((one) => ({ name: one.name, profile: readListing(one) }));
  const read = candidates.map(({ name }, index) => ({ name, profile: profiles[index] as Profile }));
  const brands = brandsNamed(query, [...read, ...others]);
  const scores = lazily(() => decide(comparisons));
  return candidates.map((candidate, index) => ({
    query: query.profile,
    kit: query.kit,
    brands,
    weight,
    profiles,
    candidate,
    profile: profiles[index] as Profile,
    evidence: features[index] as Features,
    score: () => scores()[index]?.score ?? 0,
    stated: readStated(candidate),
  }));
}

/** Words of the brands that a query names: all of a brand, or the name of a listing of the brand. */
function brandsNamed(
  query: ProductQuery,
  listings: readonly { name: string; profile: Profile }[],
): Set<string> {
  const isNamed = (brand: readonly string[]) => brand.every((word) => query.profile.forms.has(word));
  const named = listings.filter(({ profile: { brand } }) => isNamed(brand));
  const called = isLongName(query) ? listings.filter((one) => isCalled(one, query.typed)) : [];
  return new Set([...named, ...called].flatMap(({ profile }) => profile.brand));
}

/** A name of so many words, or with a number, is no kind of thing. */
const LONG_NAME = 5;
const isLongName = ({ profile }: ProductQuery): boolean =>
  profile.words.length >= LONG_NAME || profile.words.some(({ kind }) => kind !== 'word');

export const isPresent = (word: Word, { profile, stated }: Reading): boolean =>
  presence(word, profile) === 1 || presence(word, stated.own) === 1;

/** Whether the word at this place is a part of what the listing writes as one, as `wh 1000 xm5`. */
export const isJoined = (index: number, { query, profile, stated }: Reading): boolean =>
  query.joins.some(
    ({ text, start, end }) =>
      start <= index &&
      index <= end &&
      /\d/.test(text) &&
      (profile.forms.has(text) || stated.own.forms.has(text)),
  );
