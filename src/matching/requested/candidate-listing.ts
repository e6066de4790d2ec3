import type { StoredListing } from '../../listing/listing.js';
import { shippedJson } from '../../platform/shipped-files.js';
import type { Product } from '../../schemas/product.js';
import { foldProse } from '../../text/fold.js';
import { type Token, tokenize } from '../../text/tokenize.js';
import { lazy } from '../description.js';
import { codeWeight } from '../codes.js';
import { type Candidate, compareAll } from '../evidence.js';
import { compareProfiles, type Features } from '../features.js';
import { scoreComparisons } from '../match.js';
import { presence, wordWeight, type WordWeight } from '../overlap.js';
import { type Profile, type ProfileReader, readProfile } from '../profile.js';
import { asCandidate, isExactName, type Kit, type RequestedProduct } from './requested-product.js';

/** A stored listing with its price in the currency of the comparison. */
export type StoredCandidate = Candidate & StoredListing;

/** A listing that may be the requested product, compared with the shopper's request. */
export interface CandidateListing {
  /** The requested product. */
  query: Profile;
  /** The kit of equal parts that the request names, such as two memory modules, or null. */
  kit: Kit | null;
  listing: StoredCandidate;
  profile: Profile;
  stated: StatedProfiles;
  /**
   * The matching features of the request and the listing. The request is treated like the name of a
   * listing.
   */
  features: Features;
  /** Returns the match score of the request and the listing, 0 to 1. */
  score: () => number;
  /** The words of the brands that the request names. */
  brands: ReadonlySet<string>;
  weight: WordWeight;
  /** The profiles of all listings that may be the requested product. */
  profiles: readonly Profile[];
}

/**
 * Compares a request with the listings that may be the requested product.
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
  const ofText = lazy(() => readProfile(sought));
  // The request has no id of its own, so its profile must not be memoized.
  const read: ProfileReader = (one) => (one === sought ? ofText() : readListing(one));
  const profiles = listings.map(readListing);
  const others = alsoBrandsOf.map((one) => ({ name: one.name, profile: readListing(one) }));
  const candidates = listings.map(({ name }, index) => ({ name, profile: profiles[index] as Profile }));
  const brands = brandsNamed(query, [...candidates, ...others]);
  // Features and scores are computed on demand, because most listings are refused without them.
  const weights = lazy(() => {
    const every = [ofText(), ...profiles];
    const words = new Set(every.flatMap(({ brand }) => brand));
    return { word: wordWeight(every, words), set: { codeWeight: codeWeight(every), brands: words } };
  });
  const matches = lazy(() => scoreComparisons(compareAll(sought, listings, [], read)));
  return candidates.map(({ profile }, index) => {
    const listing = listings[index] as StoredCandidate;
    const features = lazy(() => compareProfiles(ofText(), profile, weights().word, weights().set));
    return {
      query: query.profile,
      kit: query.kit,
      brands,
      profiles,
      listing,
      profile,
      weight: (word) => weights().word(word),
      get features() {
        return features();
      },
      score: () => matches()[index]?.score ?? 0,
      stated: statedProfiles(listing, profile),
    };
  });
}

/**
 * Returns the words of the brands that the request names: brands of which it contains every word, and the
 * brands of listings whose name is exactly the request.
 */
function brandsNamed(
  query: RequestedProduct,
  listings: readonly { name: string; profile: Profile }[],
): Set<string> {
  const isNamed = (brand: readonly string[]) => brand.every((word) => query.profile.forms.has(word));
  const named = listings.filter(({ profile: { maker } }) => maker.length > 0 && isNamed(maker));
  const exact = isSpecific(query) ? listings.filter((one) => isExactName(one, query.typed)) : [];
  return new Set([...named, ...exact].flatMap(({ profile }) => profile.maker));
}

/**
 * A text with at least this many words, or with a number, is taken for the name of one product, and any other
 * text for the name of a kind of product.
 */
const MIN_SPECIFIC_WORDS = 5;
const isSpecific = ({ profile }: RequestedProduct): boolean =>
  profile.words.length >= MIN_SPECIFIC_WORDS || profile.words.some(({ kind }) => kind !== 'word');

/** Whether the name or the metadata of the listing contains a word of the request. */
export const isPresent = (word: Token, { profile, stated }: CandidateListing): boolean =>
  presence(word, profile) === 1 || presence(word, stated.own) === 1;

/**
 * Whether the listing writes the word of the request at this index and its neighbours as one word, such
 * as `wh1000xm5` for `wh 1000 xm5`.
 */
export const isJoined = (index: number, { query, profile, stated }: CandidateListing): boolean =>
  query.joins.some(
    ({ text, start, end }) =>
      start <= index &&
      index <= end &&
      /\d/.test(text) &&
      (profile.forms.has(text) || (stated.mentions(text) && stated.own.forms.has(text))),
  );

/**
 * The texts of a listing's metadata and categories, read like names of listings. Each of them is read on
 * demand.
 */
interface StatedProfiles {
  /**
   * Whether the metadata or the categories contain a text of letters and digits, across blanks and
   * punctuation. It is tested first, because it is much cheaper than reading a profile, and most listings
   * contain no number of the request.
   */
  mentions: (text: string) => boolean;
  /** What the metadata states about the product itself. */
  own: Profile;
  /**
   * The part of the product's own metadata that names a model or size. Other parts are left out, because
   * numbers in them, such as days of battery life, do not name a product.
   */
  naming: Profile;
  /** What the metadata states about other products that the listing goes with. */
  goesWith: Profile;
}

type Texts = Record<'own' | 'naming' | 'goesWith', string[]>;

const NAMING = /model|mpn|series|generation|version|size|edition|name|title/;
const GOES_WITH = /compat|fits|suitable|works_?with|for_/;
/** Matches metadata keys that describe the shop or the offer, and not the product. */
const OF_OFFER = /shop|seller|store|merchant|vendor|warranty|shipping|delivery|url|image|link|descri/;
const MAX_VALUE = 100;
const MAX_TEXT = 400;

/**
 * Caches what the metadata of listings states. The key is the list of words in the profile of the listing,
 * because all copies of a profile share this list.
 */
const CACHED = new WeakMap<readonly Token[], StatedProfiles>();

function statedProfiles(listing: Product, { words }: Profile): StatedProfiles {
  const stated = CACHED.get(words) ?? readStated(listing);
  CACHED.set(words, stated);
  return stated;
}

function readStated({ metadata, category, category_path: path }: Product): StatedProfiles {
  const texts = lazy(() => {
    const found: Texts = { own: [category ?? '', ...path], naming: [], goesWith: [] };
    collectTexts('', metadata, found);
    return found;
  });
  const compact = lazy(() => foldProse(texts().own.join(' ')).replace(/[^\p{L}\p{N}.]+/gu, ''));
  const profileOf = (name: keyof Texts) => lazy(() => readTexts(texts()[name]));
  const [own, naming, goesWith] = [profileOf('own'), profileOf('naming'), profileOf('goesWith')];
  return {
    mentions: (text) => compact().includes(text),
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

function collectTexts(key: string, value: unknown, texts: Texts): void {
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

/**
 * For each word, its synonyms according to the search index, because listings that a search finds by a
 * synonym must be interpreted in the same way.
 */
const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    shippedJson('mappings/products.json') as IndexMapping
  ).settings.index.analysis.filter.synonyms.synonyms.flatMap((line) => {
    const group = new Set(tokenize(line).map(({ text }) => text));
    return [...group].map((text): [string, ReadonlySet<string>] => [text, group]);
  }),
);

/** Returns a word and all its synonyms. */
export const synonymsOf = (word: string): ReadonlySet<string> => SYNONYMS.get(word) ?? new Set([word]);
