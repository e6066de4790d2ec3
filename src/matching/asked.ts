import { gtinOf } from '../listing/gtin.js';
import { compareAll } from './evidence.js';
import type { Features } from './features.js';
import { decide, MATCH_THRESHOLD, type Candidate } from './match.js';
import { coverage, presence } from './overlap.js';
import { readProfile, withWords, type Profile } from './profile.js';
import { fold } from './words.js';

/** A listing must have this share of what the query says, by weight, unless no listing has so much. */
const MIN_COVERED = 0.6;
/** Listings that have this much less of the query than the best one are of something else. */
const MAX_BEHIND = 0.1;

/**
 * Which listings are the product that a shopper names. A query is less than a listing's name: what it leaves open
 * (colour, capacity) may be anything, what it says must hold. Accessories are the product only when the query names
 * them. A GTIN in the query names the listings that have it.
 * @param candidates what a text search found.
 * @returns those that are, in their order.
 */
export function listingsAskedFor<T extends Candidate>(q: string, candidates: readonly T[]): T[] {
  const gtins = [q, ...q.split(/\s+/)].flatMap((text) => gtinOf(text) ?? []);
  const numbered = candidates.filter(({ internal }) => gtins.some((gtin) => internal.gtins.includes(gtin)));
  return numbered.length > 0 ? numbered : listingsLike(q, candidates);
}

function listingsLike<T extends Candidate>(q: string, candidates: readonly T[]): T[] {
  const asked = asCandidate(q);
  const comparisons = compareAll(asked, candidates, []);
  const { profile: query, profiles, weight } = comparisons;
  const words = query.words.filter((word) => isKnown(word.text, query, profiles));
  const known = withWords(query, words);
  const brands = brandsAmong(profiles);
  const scores = decide(comparisons);
  const judged = comparisons.features.map((features, index) => {
    const profile = profiles[index] as Profile;
    const covered = coverage(known, profile, weight, impliedBrands(query, profile, brands)).described;
    const names = candidates[index]?.name ?? '';
    const another = isAnother(query, profile, features) || goesWith(known, profile, names);
    return {
      covered: another ? 0 : covered,
      accessory: features.accessoryMismatch > 0,
      same: !another && (scores[index]?.score ?? 0) >= MATCH_THRESHOLD,
    };
  });
  const best = Math.max(0, ...judged.map(({ covered }) => covered));
  const enough = Math.max(MIN_COVERED, best - MAX_BEHIND);
  const chosen = judged.map(({ covered, same }) => same || covered >= enough);
  // "Lens", "kit" or "card" may be in the box; they are doubted only where a listing without them is there.
  const plain = judged.some(({ accessory }, index) => chosen[index] && !accessory);
  return candidates.filter((_, index) => {
    const verdict = judged[index];
    return chosen[index] && (!plain || verdict?.accessory === false || verdict?.same);
  });
}

function asCandidate(q: string): Candidate {
  return {
    id: 0,
    source: '',
    merchant_id: null,
    name: q,
    description: null,
    brand: null,
    metadata: null,
    internal: { gtins: [], models: [] },
    comparablePrice: null,
  };
}

function brandsAmong(profiles: readonly Profile[]): Set<string> {
  return new Set(profiles.flatMap(({ brand }) => brand));
}

/** Shops leave out a brand that the model tells: where the query names a model, a listing without a brand may be of any. */
function impliedBrands(
  query: Profile,
  listing: Profile,
  brands: ReadonlySet<string>,
): ReadonlySet<string> | undefined {
  const namesModel = query.numbers.size + query.codes.size > 0;
  return listing.brand.length === 0 && namesModel ? brands : undefined;
}

/** A plain word that no candidate has says nothing of which one is meant; a number that none has says that none is. */
function isKnown(text: string, query: Profile, profiles: readonly Profile[]): boolean {
  const word = query.words.find((one) => one.text === text);
  if (word === undefined || word.kind !== 'word') return true;
  return profiles.some((profile) => profile.described.words.has(text) || presence(word, profile) > 0);
}

/** Whether the listing contradicts the query, or lacks a number or model number of it. */
function isAnother(query: Profile, profile: Profile, features: Features): boolean {
  const { storageConflict, measureConflict, countConflict, colourConflict, tierConflict, accessoryOnly } =
    features;
  const conflicts =
    storageConflict + measureConflict + countConflict + colourConflict + tierConflict + accessoryOnly;
  return (
    conflicts > 0 ||
    [...query.numbers].some((number) => !hasNumber(profile, number)) ||
    (query.codes.size > 0 && features.codeExact + features.codePrefix === 0)
  );
}

/** A digit or two with a letter is a word of its own: "5G" and "4K" number no model. */
const NO_NUMBER = /^\d{1,2}\p{L}$/u;
/** Descriptions are full of small numbers that say nothing of the model. */
const TELLING_DIGITS = 3;

function hasNumber(profile: Profile, number: string): boolean {
  return (
    profile.codes.has(number) ||
    profile.words.some(
      ({ text, pieces }) => text === number || (pieces.includes(number) && !NO_NUMBER.test(text)),
    ) ||
    (number.length >= TELLING_DIGITS && (profile.forms.has(number) || profile.described.words.has(number)))
  );
}

/** "For", in the languages of the shops. */
const FOR = /\b(?:for|fits?|compatible(?: with)?|untuk|serasi dengan)\b|适用于|適用於|适配|兼容|相容/u;

/** Whether the query's words come only after "for" or "compatible with": then the listing is something for the product. */
function goesWith(query: Profile, listing: Profile, name: string): boolean {
  const [before = '', ...after] = fold(name).split(FOR);
  if (after.length === 0 || query.words.length === 0) return false;
  const head = readProfile({ ...asCandidate(before) });
  const inHead = query.words.some((word) => presence(word, head) > 0);
  return !inHead && query.words.some((word) => presence(word, listing) > 0);
}
