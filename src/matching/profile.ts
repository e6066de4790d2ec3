import { gtinKey, isInStoreGtin } from '../listing/gtin.js';
import type { StoredListing } from '../listing/listing.js';
import { FOR, targetPhrases } from '../naming/target-words.js';
import { foldProse } from '../text/fold.js';
import { lazy, memoize } from '../text/memoize.js';
import { splitWords, type Token, tokenize } from '../text/tokenize.js';
import { COLOURS } from '../naming/lexicon.js';
import { ACCESSORIES, conceptsOf, EDITIONS, LANGUAGES, PLATFORMS, VARIANTS } from '../text/vocabulary.js';
import { readAttributes, withStatedMeasures } from './attributes.js';
import { readAlternatives } from './alternatives.js';
import { readChips } from './chips.js';
import { modelTiersOf, readNumberContext } from './number-context.js';
import { readParts } from './parts.js';
import { readDimensions } from './dimensions.js';
import { readMeasures } from './measures.js';
import { foldListingName, headLength } from './listing-name.js';

/** The fields of a listing that identify its product. */
export type Matchable = Pick<StoredListing, 'source' | 'name' | 'brand'> &
  Partial<Pick<StoredListing, 'category' | 'description' | 'metadata'>> & {
    internal: Pick<StoredListing['internal'], 'gtins' | 'models' | 'maker' | 'owner'>;
    /** The price in a currency and unit that all compared listings share. Null if it is unknown. */
    comparablePrice: number | null;
  };

/** Consecutive words of a name, joined to one: `printshop` for `print shop`; with the indices of the first and last word. */
interface Join {
  text: string;
  start: number;
  end: number;
}

/** What the name and metadata of a listing state, prepared for the comparison with many others. */
export type Profile = ReturnType<typeof readProfile>;

const MAX_TOKENS = 60;
const MAX_STATED_MODEL = 24;
const MIN_STATED_MODEL = 4;
/** The maximum number of words that are joined to find a code that another shop writes with blanks. */
const MAX_JOINED = 4;
/** Matches keys of metadata that state which product the listing goes with. */
const COMPATIBLE = /^(?:compatible|fits_model|suitable_for|works_with)/;
const IS_FOR = new RegExp(FOR, 'u');
/** Matches standards of memory, sockets and slots, and truncated resolutions of mice ("6200dp"). None is a model number. */
const STANDARD = /^(?:pc\d[el]?\d{4,5}|l?ddr\d[a-z]?(?:\d{3,4})?|(?:fc)?lga\d{3,4}|pcie\d*|\d{3,5}dp)$/;

/** Reads the profile of a listing. Only the beginning of a long text is read. */
export function readProfile(listing: Matchable) {
  const specification = readSpecification(listing);
  const { folded, attributes, measures, rest, raw, brand } = specification;
  const head: readonly Token[] = tokenize(rest.head).slice(0, MAX_TOKENS);
  const tokens = [...head, ...tokenize(rest.tail)].slice(0, MAX_TOKENS);
  const measured = measures.words.map((text): Token => ({ text, kind: 'word', pieces: [] }));
  const words: readonly Token[] = [...tokens, ...measured];
  const statedModels: ReadonlySet<string> = new Set(
    listing.internal.models.filter((model) => model.length <= MAX_STATED_MODEL && /\d/.test(model)),
  );
  const goesWith = [...attributes]
    .flatMap(([key, { text }]) => (COMPATIBLE.test(key) ? text : []))
    .join(', for ');
  const colourWords = [...attributes.values()].flatMap((one) => (one.isColour ? one.words : []));
  const numberContext = readNumberContext(tokens);
  const maker = brand.length > 0 ? brand : wordsOfField(listing.internal.maker ?? '');
  const isCode = ({ text, kind }: Token) => kind === 'code' && !STANDARD.test(text) && !maker.includes(text);
  return {
    words,
    /** The words of the head of the name, that is, of its beginning, which says which product it is. */
    head,
    joins: joinsOf(words),
    forms: formsOf(tokens, measures.words),
    /** The model and part numbers in the name and the metadata. */
    codes: new Set([
      ...tokens.filter(isCode).map(({ text }) => text),
      ...[...statedModels].filter((model) => model.length >= MIN_STATED_MODEL),
    ]),
    statedModels,
    /** The numbers in the name that are versions, years or generations. */
    numbers: new Set(tokens.filter(({ kind }) => kind === 'number').map(({ text }) => text)),
    ...numberContext,
    measures,
    dimensions: readDimensions(folded),
    alternatives: readAlternatives(raw),
    /** The keys of the GTINs, by which listings share one. */
    gtins: new Set(listing.internal.gtins.map((gtin) => gtinKey(gtin, listing.source))),
    /** Whether one of the GTINs identifies the product in all sources. */
    hasGlobalGtin: listing.internal.gtins.some((gtin) => !isInStoreGtin(gtin)),
    brand,
    /** The words of the stated brand, or of the maker that was inferred from the name. */
    maker,
    colours: specification.colours,
    statedColours: conceptsOf(COLOURS, colourWords),
    attributes,
    editions: specification.editions,
    platforms: conceptsOf(PLATFORMS, raw),
    languages: conceptsOf(LANGUAGES, raw),
    variants: conceptsOf(VARIANTS, raw),
    /** The accessories that the name states before a "with", which are therefore for sale themselves. */
    accessories: conceptsOf(ACCESSORIES, withoutOtherMeanings(beforeWith(raw), folded)),
    allAccessories: conceptsOf(ACCESSORIES, withoutOtherMeanings(raw, folded)),
    /** Whether the listing states what the product is for, such as "for iPhone 13". */
    isFor: IS_FOR.test(folded) || goesWith !== '',
    /** The texts formed by the words after "for", which name the product that this one goes with. */
    target: targetForms(goesWith === '' ? folded : `${folded}, for ${goesWith}`),
    modelTiers: modelTiersOf(statedModels, numberContext.codeTiers, raw),
    chips: readChips(folded),
    parts: readParts(folded),
    category: new Set(wordsOfField(listing.category ?? '')),
    /** Reads the description on demand, because the names alone tell most listings apart. */
    described: lazy(() =>
      listing.description
        ? readDescription(listing.description.slice(0, MAX_DESCRIPTION))
        : NOTHING_DESCRIBED,
    ),
    price: listing.comparablePrice,
  };
}

/** A control character, which no name contains, marks where the head of a folded name ends. */
const HEAD_END = '\u0001';

/** Reads the sizes, colours and editions that the name and the metadata of a listing state, and the rest of the name. */
export function readSpecification({
  name,
  brand: stated,
  metadata,
}: Pick<StoredListing, 'name' | 'brand'> & Partial<Pick<StoredListing, 'metadata'>>) {
  const folded = foldListingName(name);
  const attributes = readAttributes(metadata);
  const headEnd = headLength(folded);
  const measures = withStatedMeasures(
    readMeasures(folded.slice(0, headEnd) + HEAD_END + folded.slice(headEnd)),
    attributes,
  );
  const [head = '', ...tail] = measures.rest.split(HEAD_END);
  // The vocabularies list words in the form that shops write, so the words are looked up before plurals
  // become singular.
  const raw: readonly string[] = measures.rest.split(/[^\p{L}\p{N}]+/u);
  const brand: readonly string[] = stated === null ? [] : wordsOfField(stated);
  const notOfBrand = raw.filter((text) => !brand.includes(text));
  return {
    /** The name as `foldListingName` returns it. */
    folded,
    attributes,
    measures,
    /** The text of the head and of the remaining name, without the measures. */
    rest: { head, tail: tail.join(' ') },
    /** The words of the name without the measures, as shops write them. */
    raw,
    /** The words of the stated brand. */
    brand,
    colours: conceptsOf(COLOURS, notOfBrand),
    editions: conceptsOf(EDITIONS, raw),
  };
}

const MEMOIZED_FIELDS = 2_048;

/** The words of a brand or a category. */
const wordsOfField = memoize(MEMOIZED_FIELDS, (text): readonly string[] =>
  tokenize(foldProse(text)).map((word) => word.text),
);

/** The maximum length of a description that is read, in characters. The rest is ignored. */
const MAX_DESCRIPTION = 200;

/** Reads the facts at the beginning of a description that the listing's name may leave out. */
function readDescription(beginning: string) {
  const folded = foldProse(beginning);
  const tokens = tokenize(folded);
  /** The model and part numbers, including those that are written as two or three words. */
  const codes = new Set<string>();
  tokens.forEach(({ text, kind }, at) => {
    if (kind === 'word') return;
    if (kind === 'code') codes.add(text);
    const before = tokens[at - 1]?.text ?? '';
    const after = tokens[at + 1]?.text ?? '';
    for (const joined of [before + text, text + after, before + text + after]) codes.add(joined);
  });
  return {
    words: new Set(tokens.flatMap(({ text, pieces }) => [text, ...pieces])),
    codes,
    platforms: conceptsOf(PLATFORMS, splitWords(folded)),
    /** Reads the quantities on demand, because few comparisons need them. */
    measures: lazy(() => readMeasures(folded)),
  };
}

const NOTHING_DESCRIBED = readDescription('');

/** Returns the profile of a listing, which may come from a cache. */
export type ProfileReader = (listing: Matchable & { id: number }) => Profile;

/**
 * Creates a reader that stores profiles, with a store of its own for one request, because it must not outlive a change of
 * listings.
 * @param keyOf returns the key of a listing in the store. It must change whenever the listing does.
 */
export function createProfileReader<Listing extends Matchable & { id: number }, Key = number>(
  profiles: {
    get: (key: Key) => Profile | undefined;
    set: (key: Key, profile: Profile) => unknown;
  } = new Map(),
  keyOf: (listing: Listing) => Key = ({ id }) => id as Key,
): (listing: Listing) => Profile {
  return (listing) => {
    const key = keyOf(listing);
    const profile = profiles.get(key) ?? readProfile(listing);
    profiles.set(key, profile);
    // A profile's price is in the currency of the listing that it is compared with, so a cached profile may
    // have another price.
    return profile.price === listing.comparablePrice
      ? profile
      : { ...profile, price: listing.comparablePrice };
  };
}

const targetForms = (folded: string): ReadonlySet<string> =>
  new Set(targetPhrases(folded).flatMap((phrase) => [...formsOf(tokenize(phrase), [])]));

/** Matches a computer case, and a fan for one, because these are products of their own, and not accessories. */
const COMPUTER_CASE = new RegExp(
  [
    String.raw`\bcases?\b.*\b(?:[em]?-?atx|itx|tower)\b`,
    String.raw`\b(?:pc|gaming|computer|desktop|chassis) case|\b(?:tower|[em]?-?atx|itx)(?: [a-z\d]+){0,2} case`,
    String.raw`\bcase fans?\b|\b(?:full|mid|mini)[ -]?tower\b`,
  ].join('|'),
);

/** Matches a number of radio bands, such as "dual-band" in the name of a router, where a band is not a strap. */
const RADIO_BAND = /\b(?:single|dual|tri|quad|multi)[ -]?bands?\b/;

/** Returns the words of a name without those that look like accessories but mean something else in this name. */
function withoutOtherMeanings(texts: readonly string[], folded: string): readonly string[] {
  const isCase = /case|tower/.test(folded) && COMPUTER_CASE.test(folded);
  const isBand = folded.includes('band') && RADIO_BAND.test(folded);
  if (!isCase && !isBand) return texts;
  // The tempered glass of a computer case is its window, and no screen protector.
  return texts.filter(
    (text) => !(isCase && /^(?:cases?|tempered)$/.test(text)) && !(isBand && /^bands?$/.test(text)),
  );
}

const BOX_WORDS = new Set(['with', 'w', 'incl', 'includes']);

/** The words of a name before "with" or "plus free", after which it names what comes with the product. */
function beforeWith(texts: readonly string[]): readonly string[] {
  const end = texts.findIndex(
    (text, index) => index > 1 && (BOX_WORDS.has(text) || (text === 'plus' && texts[index + 1] === 'free')),
  );
  return end < 0 ? texts : texts.slice(0, end);
}

/** Returns a copy of a profile with only some words of the name. The other members still describe the whole name. */
export const withWords = (profile: Profile, words: readonly Token[]): Profile => ({
  ...profile,
  words,
  joins: joinsOf(words),
});

function joinsOf(words: readonly Token[]): Join[] {
  const joins: Join[] = [];
  for (let start = 0; start < words.length; start += 1) {
    let text = words[start]?.text ?? '';
    for (let end = start + 1; end < Math.min(words.length, start + MAX_JOINED); end += 1) {
      text += words[end]?.text ?? '';
      joins.push({ text, start, end });
    }
  }
  return joins;
}

/** Returns all forms of the words of a name: each word alone, joined with its neighbours, and split into its parts. */
export function formsOf(tokens: readonly Token[], measureWords: readonly string[]): ReadonlySet<string> {
  const forms = new Set(measureWords);
  tokens.forEach(({ text, kind, pieces }, index) => {
    forms.add(text);
    for (const piece of pieces) forms.add(piece);
    let joined = text;
    let hasDigit = kind !== 'word';
    for (let next = index + 1; next < tokens.length && next < index + MAX_JOINED; next += 1) {
      const neighbour = tokens[next];
      if (neighbour === undefined) break;
      joined += neighbour.text;
      hasDigit ||= neighbour.kind !== 'word';
      if (hasDigit || next === index + 1) forms.add(joined);
    }
  });
  return forms;
}
