import type { StoredListing } from '../../listing/listing.js';
import { shippedJson } from '../../platform/shipped-files.js';
import type { Product } from '../../schemas/product.js';
import { type Token, tokenize } from '../../text/tokenize.js';
import { lazy } from '../description.js';
import { type Candidate, compareAll } from '../evidence.js';
import type { Features } from '../features.js';
import { scoreComparisons } from '../match.js';
import { presence, type WordWeight } from '../overlap.js';
import { type Profile, type ProfileReader, readProfile } from '../profile.js';
import { asCandidate, isExactName, type Kit, type RequestedProduct } from './requested-product.js';

/** A stored listing with a comparable price. */
export type StoredCandidate = Candidate & StoredListing;

/** A listing that may be the requested product, compared with the request. */
export interface CandidateListing {
  /** The requested product. */
  query: Profile;
  /** The kit that the request names, or null. */
  kit: Kit | null;
  listing: StoredCandidate;
  profile: Profile;
  stated: StatedProfiles;
  /** The features of the request and the listing, as if the request were the name of a listing. */
  features: Features;
  /** The match score of the request and the listing. */
  score: () => number;
  /** The words of the brands that the request names. */
  brands: ReadonlySet<string>;
  weight: WordWeight;
  /** The profiles of all candidates. */
  profiles: readonly Profile[];
}

/**
 * @param alsoBrandsOf listings of the product whose brands the request may name too.
 * @param readListing a memoizing reader, for callers that read the listings more than once.
 */
export function readCandidates(
  query: RequestedProduct,
  listings: readonly StoredCandidate[],
  alsoBrandsOf: readonly StoredCandidate[] = [],
  readListing: ProfileReader = readProfile,
): CandidateListing[] {
  const sought = asCandidate(query.text);
  // The request has no id of its own, so its profile must not be memoized.
  const read: ProfileReader = (one) => (one === sought ? readProfile(one) : readListing(one));
  const comparisons = compareAll(sought, listings, [], read);
  const { profiles, features, weight } = comparisons;
  const others = alsoBrandsOf.map((one) => ({ name: one.name, profile: readListing(one) }));
  const candidates = listings.map(({ name }, index) => ({ name, profile: profiles[index] as Profile }));
  const brands = brandsNamed(query, [...candidates, ...others]);
  const matches = lazy(() => scoreComparisons(comparisons));
  return listings.map((listing, index) => ({
    query: query.profile,
    kit: query.kit,
    brands,
    weight,
    profiles,
    listing,
    profile: profiles[index] as Profile,
    features: features[index] as Features,
    score: () => matches()[index]?.score ?? 0,
    stated: statedProfiles(listing),
  }));
}

/** The words of the brands of which the request contains every word, and of the listings whose name it is. */
function brandsNamed(
  query: RequestedProduct,
  listings: readonly { name: string; profile: Profile }[],
): Set<string> {
  const isNamed = (brand: readonly string[]) => brand.every((word) => query.profile.forms.has(word));
  const named = listings.filter(({ profile: { brand } }) => isNamed(brand));
  const exact = isSpecific(query) ? listings.filter((one) => isExactName(one, query.typed)) : [];
  return new Set([...named, ...exact].flatMap(({ profile }) => profile.brand));
}

/** A text with this many words, or with a number, names a product and not a kind of product. */
const MIN_SPECIFIC_WORDS = 5;
const isSpecific = ({ profile }: RequestedProduct): boolean =>
  profile.words.length >= MIN_SPECIFIC_WORDS || profile.words.some(({ kind }) => kind !== 'word');

/** Whether the name or the metadata of the listing contains the word. */
export const isPresent = (word: Token, { profile, stated }: CandidateListing): boolean =>
  presence(word, profile) === 1 || presence(word, stated.own) === 1;

/** Whether the listing writes the word at this index and its neighbours as one, such as `wh1000xm5` for `wh 1000 xm5`. */
export const isJoined = (index: number, { query, profile, stated }: CandidateListing): boolean =>
  query.joins.some(
    ({ text, start, end }) =>
      start <= index &&
      index <= end &&
      /\d/.test(text) &&
      (profile.forms.has(text) || stated.own.forms.has(text)),
  );

/** The texts of a listing's metadata and categories, read as profiles. Each profile is read on demand. */
interface StatedProfiles {
  /** What the metadata states about the product itself. */
  own: Profile;
  /** The part of it that names a model or size. Other numbers, such as days of battery life, do not name a product. */
  naming: Profile;
  /** What the metadata states about products that this one goes with. */
  goesWith: Profile;
}

const NAMING = /model|mpn|series|generation|version|size|edition|name|title/;
const GOES_WITH = /compat|fits|suitable|works_?with|for_/;
/** Keys that describe the shop or the offer. */
const OF_OFFER = /shop|seller|store|merchant|vendor|warranty|shipping|delivery|url|image|link|descri/;
const MAX_VALUE = 100;
const MAX_TEXT = 400;

function statedProfiles({ metadata, category, category_path: path }: Product): StatedProfiles {
  const texts = lazy(() => {
    const found = { own: [category ?? '', ...path], naming: [], goesWith: [] };
    collectTexts('', metadata, found);
    return found;
  });
  const profileOf = (name: keyof StatedProfiles) => lazy(() => readTexts(texts()[name]));
  const [own, naming, goesWith] = [profileOf('own'), profileOf('naming'), profileOf('goesWith')];
  return {
    get own() {
      return own();
    },
    get naming() {
      return naming();
    },
    get goesWith() {
      return goesWith();
    },
  };
}

const EMPTY_PROFILE = readProfile(asCandidate(''));

const readTexts = (texts: readonly string[]): Profile =>
  texts.length === 0 ? EMPTY_PROFILE : readProfile(asCandidate(texts.join(' | ').slice(0, MAX_TEXT)));

function collectTexts(key: string, value: unknown, texts: Record<keyof StatedProfiles, string[]>): void {
  if (OF_OFFER.test(key)) return;
  if (typeof value === 'string' && value.length <= MAX_VALUE) {
    if (GOES_WITH.test(key)) texts.goesWith.push(value);
    else texts.own.push(value);
    if (NAMING.test(key)) texts.naming.push(value);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    collectTexts(Array.isArray(value) ? key : name.toLowerCase(), item, texts);
  }
}

interface IndexMapping {
  settings: { index: { analysis: { filter: { synonyms: { synonyms: string[] } } } } };
}

/** The synonyms of the index. Listings that a search finds by a synonym must be read alike. */
const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    shippedJson('mappings/products.json') as IndexMapping
  ).settings.index.analysis.filter.synonyms.synonyms.flatMap((line) => {
    const group = new Set(tokenize(line).map(({ text }) => text));
    return [...group].map((text): [string, ReadonlySet<string>] => [text, group]);
  }),
);

/** A word with its synonyms. */
export const synonymsOf = (word: string): ReadonlySet<string> => SYNONYMS.get(word) ?? new Set([word]);
