import type { StoredListing } from '../../listing/listing.js';
import { SYNONYM_RULES } from '../../naming/word-forms.js';
import type { Product } from '../../schemas/product.js';
import { foldProse } from '../../text/fold.js';
import { lazy, memoize } from '../../text/memoize.js';
import { type Token, tokenize } from '../../text/tokenize.js';
import { NAME_STOP_WORDS, NOT_NOUNS } from '../../text/vocabulary.js';
import type { Candidate } from '../evidence.js';
import { presence } from '../overlap.js';
import { type Profile, type ProfileReader, readProfile } from '../profile.js';
import { notationReader } from './notation.js';
import { asCandidate, readRequestedProduct, type RequestedProduct } from './requested-product.js';
import { isExactName, mayBeExactName } from '../../text/exact-name.js';

/** A stored listing with its price in the currency of the comparison. */
export type StoredCandidate = Candidate & StoredListing;

/** A listing that may be the requested product, read together with the shopper's request. */
export type CandidateListing = ReturnType<typeof readCandidates>[number];

/** Reads the listings that may be the requested product. @param alsoBrandsOf listings whose brands the request may name too. */
export function readCandidates(
  query: RequestedProduct,
  listings: readonly StoredCandidate[],
  alsoBrandsOf: readonly StoredCandidate[] = [],
  read: ProfileReader = readProfile,
) {
  const candidates = listings.map((listing) => ({ listing, profile: read(listing) }));
  const others = alsoBrandsOf.map((listing) => ({ listing, profile: read(listing) }));
  const brands = brandsNamed(query, [...candidates, ...others]);
  const maker = makerOfLine(query.profile.words, candidates);
  const unknownMaker = maker !== null && !brands.has(maker) ? maker : null;
  const notationIn = notationReader(query.typed);
  const readText = memoize(listings.length, (text) => readRequestedProduct(text).profile);
  const queryFor = ({ name, internal }: StoredCandidate) => {
    const text = notationIn([name, ...internal.models].join(' | '));
    return text === null ? query.profile : readText(text);
  };
  return candidates.map(({ listing, profile }) => ({
    /** The requested product, read with its numbers and model numbers written as in the name of the listing. */
    query: queryFor(listing),
    kit: query.kit,
    /** The words of the brands that the request names. */
    brands,
    /** The first word of the request if it is the maker of the line after it by the names of listings alone; otherwise null. */
    unknownMaker,
    listing,
    profile,
    stated: statedProfiles(listing, profile),
  }));
}

/** The words of brands that the request names: brands in the request, and those of listings with exactly this name. */
function brandsNamed(
  query: RequestedProduct,
  listings: readonly { listing: StoredCandidate; profile: Profile }[],
): ReadonlySet<string> {
  const isNamed = (maker: readonly string[]) => maker.every((word) => query.profile.forms.has(word));
  const mayBeName = mayBeExactName(query.typed);
  return new Set(
    listings.flatMap(({ listing, profile: { maker } }) =>
      isNamed(maker) || (mayBeName && isExactName(listing, query.typed)) ? maker : [],
    ),
  );
}

/**
 * The first word of the request if it is the maker of the product line that the second word names: some name has both in this
 * order, and no other significant word precedes the second one in any name. Otherwise null.
 */
function makerOfLine(
  [maker, line]: readonly Token[],
  listings: readonly { profile: Profile }[],
): string | null {
  if (maker?.kind !== 'word' || line?.kind !== 'word') return null;
  const before = listings.flatMap(({ profile: { words } }) =>
    words.flatMap(({ text }, at) => (text === line.text ? (words[at - 1]?.text ?? []) : [])),
  );
  const isMaker =
    before.includes(maker.text) &&
    // The category names the kind of thing: "badminton" is no maker of a line "racket".
    !listings.some(({ profile: { category } }) => category.has(line.text)) &&
    before.every((text) => text === maker.text || NAME_STOP_WORDS.has(text) || NOT_NOUNS.has(text));
  return isMaker ? maker.text : null;
}

/** Whether the name or the metadata of the listing contains a word of the request. */
export const isPresent = (word: Token, { profile, stated }: CandidateListing): boolean =>
  presence(word, profile) === 1 ||
  // The metadata may contain the plural, such as "batteries" for "battery".
  (stated.mentions(word.text.slice(0, -1)) && presence(word, stated.own()) === 1);

/** The texts of a listing's metadata and categories, read like names of listings. Each of them is read on demand. */
type StatedProfiles = ReturnType<typeof readStated>;

type Texts = Record<'own' | 'naming', string[]>;

const NAMING = /model|mpn|series|generation|version|size|edition|name|title/;
/** Matches metadata keys that describe the shop, the offer, or products that the listing goes with. */
const NOT_OWN =
  /shop|seller|store|merchant|vendor|warranty|shipping|delivery|url|image|link|descri|compat|fits|suitable|works_?with|for_/;
const MAX_VALUE = 100;
const MAX_TEXT = 400;

/** What the metadata of listings states, by the list of words that all copies of the profile of a listing share. */
const CACHED = new WeakMap<readonly Token[], StatedProfiles>();

function statedProfiles(listing: Product, { words }: Profile): StatedProfiles {
  const stated = CACHED.get(words) ?? readStated(listing);
  CACHED.set(words, stated);
  return stated;
}

function readStated({ metadata, category, category_path: path }: Product) {
  const texts = lazy(() => {
    const found: Texts = { own: [category ?? '', ...path], naming: [] };
    collectTexts('', metadata, found);
    return found;
  });
  const compact = lazy(() => foldProse(texts().own.join(' ')).replace(/[^\p{L}\p{N}.]+/gu, ''));
  const profileOf = (name: keyof Texts) => lazy(() => readTexts(texts()[name]));
  return {
    /** Whether the metadata or categories contain a text, across blanks and marks. It costs less than reading a profile. */
    mentions: (text: string) => compact().includes(text),
    /** What the metadata states about the product itself. */
    own: profileOf('own'),
    /** The metadata that names a model or size. Numbers elsewhere, such as days of battery life, name no product. */
    naming: profileOf('naming'),
  };
}

const EMPTY_PROFILE = readProfile(asCandidate(''));

const readTexts = (texts: readonly string[]): Profile =>
  texts.length === 0 ? EMPTY_PROFILE : readProfile(asCandidate(texts.join(' | ').slice(0, MAX_TEXT)));

function collectTexts(key: string, value: unknown, texts: Texts): void {
  if (NOT_OWN.test(key)) return;
  if (typeof value === 'string' && value.length <= MAX_VALUE) {
    texts.own.push(value);
    if (NAMING.test(key)) texts.naming.push(value);
  }
  if (typeof value !== 'object' || value === null) return;
  for (const [name, item] of Object.entries(value)) {
    collectTexts(Array.isArray(value) ? key : name.toLowerCase(), item, texts);
  }
}

/** The synonyms of each word in the search index. Listings that it finds by a synonym must be interpreted in the same way. */
const SYNONYMS: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  SYNONYM_RULES.flatMap((line) => {
    const group = new Set(tokenize(line).map(({ text }) => text));
    return [...group].map((text): [string, ReadonlySet<string>] => [text, group]);
  }),
);

/** Returns a word and all its synonyms. */
export const synonymsOf = (word: string): ReadonlySet<string> => SYNONYMS.get(word) ?? new Set([word]);

/** Whether a name contains a word or one of its synonyms: "PlayStation 5" for `ps5`. */
export const hasForm = ({ forms }: Profile, word: string): boolean =>
  forms.has(word) || [...(SYNONYMS.get(word) ?? [])].some((text) => forms.has(text));
