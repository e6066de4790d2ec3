import type { NameReading } from '../schemas/reading.js';
import { singular } from '../text/singular.js';
import type { Token } from '../text/tokenize.js';
import { COLOURS } from '../naming/lexicon.js';
import {
  COUNTED_NOUNS,
  DESCRIPTIONS,
  isTier,
  MARKETING_WORDS,
  NAME_STOP_WORDS,
  NOT_NOUNS,
  PROPERTY_CODE,
  STANDARDS,
  TIER_WORDS,
  VARIANTS,
} from '../text/vocabulary.js';
import { headLength, nameParts } from './head.js';
import type { Measures } from './measures.js';
import { foldListingName } from './listing-name.js';
import { FOR, type Matchable, type Profile, readProfile, targetPhrases } from './profile.js';

/**
 * The words of the head of a name (its beginning, which says which product it is), sorted by what they name.
 */
interface HeadWords {
  /** The maker, as the listing states it or as it was inferred. Empty if it is unknown. */
  maker: Token[];
  /** The words of the product line, such as "galaxy" or "phantom gaming". */
  line: Token[];
  /** The number or model number, such as "s24" or "b550". */
  model: Token[];
  /** The words after a model or line that tell its variants apart, such as "ultra", "plus" or the "2" of "Mark II". */
  variant: Token[];
}

const YEAR = /^(?:19|20)\d\d$/;
const MAX_VARIANT_NUMBER = 2;

/**
 * Sorts the words of the head of a name. The first number that can be a model number is the model. The words between the
 * maker and the model are the product line, or if there are none, the words after the model.
 */
function sortHeadWords(profile: Profile): HeadWords {
  const words = headOfProduct(profile);
  const makerEnd = makerLength(words, profile.maker);
  const [maker, rest] = [words.slice(0, makerEnd), words.slice(makerEnd)];
  const modelAt = modelIndex(rest, profile);
  if (modelAt < 0) {
    const names = rest.filter(isName);
    return {
      maker,
      line: namesOfLine(names, profile),
      model: [],
      variant: names.filter((word) => word.kind === 'word' && word.text.length > 1 && isVariantWord(word)),
    };
  }
  const before = namesOfLine(rest.slice(0, modelAt).filter(isName), profile);
  const after = rest.slice(modelAt + 1);
  const model = [rest[modelAt] as Token];
  const variant = takeWhile(after, isVariantWord);
  if (before.length > 0) {
    const early = rest.slice(0, modelAt).filter((word) => isVariantWord(word));
    return { maker, line: before, model, variant: [...early, ...variant] };
  }
  const behind = takeWhile(
    after.slice(variant.length),
    (word) => word.kind === 'word' && isName(word) && !isVariantWord(word) && !isKind(word, profile),
  );
  const line = namesOfLine(behind, profile);
  const suffix =
    line.length === 0 ? [] : takeWhile(after.slice(variant.length + behind.length), isVariantWord);
  return { maker, line, model, variant: [...variant, ...suffix] };
}

/**
 * The maximum number of words of a product line. Further words are left out, because they describe the
 * product.
 */
const MAX_LINE = 3;

const namesOfLine = (words: readonly Token[], profile: Profile): Token[] =>
  takeWhile(
    words.filter(
      (word) =>
        word.kind === 'word' &&
        !isVariantWord(word) &&
        !isKind(word, profile) &&
        !profile.maker.includes(word.text),
    ),
    ({ text }) => !DESCRIPTIONS.has(text),
  ).slice(0, MAX_LINE);

/** The words of the head before "for", after which the product stands that this one goes with. */
function headOfProduct({ head, target }: Profile): readonly Token[] {
  if (target.size === 0) return head;
  const end = head.findIndex(({ text }, at) => at > 0 && FOR.has(text));
  return end < 0 ? head : head.slice(0, end);
}

/** The maximum number of words before the maker, such as "SG stock". */
const MAX_BEFORE_MAKER = 3;

/** The number of words at the beginning of a name up to the end of its maker. */
function makerLength(words: readonly Token[], maker: readonly string[]): number {
  const at = words.findIndex(({ text }) => text === maker[0]);
  if (at < 0 || at > MAX_BEFORE_MAKER) return 0;
  const length = maker.findIndex((word, index) => words[at + index]?.text !== word);
  return at + (length < 0 ? maker.length : length);
}

/**
 * The index of the word that names the model: a model that the metadata states, otherwise the first code or
 * number; -1 if there is none.
 */
function modelIndex(words: readonly Token[], { statedModels, counted }: Profile): number {
  const isCandidate = ({ kind, text }: Token, at: number) =>
    kind !== 'word' && !PROPERTY_CODE.test(text) && !STANDARDS.has(words[at - 1]?.text ?? '');
  const stated = words.findIndex((word, at) => isCandidate(word, at) && statedModels.has(word.text));
  if (stated >= 0) return stated;
  const isYear = ({ kind, text }: Token) => kind === 'number' && YEAR.test(text);
  const first = words.findIndex(
    (word, at) => isCandidate(word, at) && !isYear(word) && !isCount(word.text, counted),
  );
  return first >= 0 ? first : words.findIndex(isYear);
}

const isCount = (number: string, counted: Profile['counted']): boolean =>
  [...(counted.get(number) ?? [])].some((noun) => COUNTED_NOUNS.has(noun));

const isName = ({ text }: Token): boolean =>
  !MARKETING_WORDS.has(text) && !NAME_STOP_WORDS.has(text) && !COLOURS.has(text);

/** Whether a word can tell variants of a product line apart: a tier, a short number, or a single letter. */
function isVariantWord({ text, kind }: Token, next?: Token): boolean {
  if (kind === 'number') return text.length <= MAX_VARIANT_NUMBER;
  return TIER_WORDS.has(text) ? isTier(text, next?.text) : VARIANTS.has(text) || /^\p{L}$/u.test(text);
}

const isKind = ({ text }: Token, profile: Profile): boolean => text === nounOf(profile);

function takeWhile(words: readonly Token[], test: (word: Token, next?: Token) => boolean): Token[] {
  const end = words.findIndex((word, at) => !test(word, words[at + 1]));
  return words.slice(0, end < 0 ? words.length : end);
}

/**
 * Returns how matching understands the name of a listing, for people. Words are in the form in which they are compared: in
 * lower case and in the singular.
 */
export function readName(listing: Matchable): NameReading {
  const profile = readProfile(listing);
  const folded = foldListingName(listing.name);
  const { line, model, variant } = sortHeadWords(profile);
  const { measures, colours, editions } = profile;
  return {
    maker: listing.brand ?? listing.internal.maker ?? null,
    line: joined(line),
    model: joined(model),
    variant: joined(variant),
    kind: kindOf(profile),
    sizes: sizesOf(measures, folded),
    count: measures.count,
    colour: joinedConcepts(colours),
    edition: joinedConcepts(editions),
    compatible_with: targetPhrases(folded).map(
      (phrase) => phrase.split(' / ')[0]?.replace(/\s+/g, ' ') ?? phrase,
    ),
    specification: nameParts(folded.slice(headLength(folded))),
  };
}

const joined = (words: readonly Token[]): string | null =>
  words.length === 0 ? null : words.map(({ text }) => text).join(' ');

const joinedConcepts = (concepts: ReadonlySet<string>): string | null =>
  concepts.size === 0 ? null : [...concepts].join(', ');

/**
 * Words that may stand after the noun of a name without saying what the product is, such as colours and
 * marketing words, in the form in which names are compared.
 */
const NOT_KINDS = new Set(
  [...NOT_NOUNS, ...COLOURS.keys(), ...MARKETING_WORDS].flatMap((word) => [word, singular(word)]),
);
const MIN_NOUN = 3;

/** The last noun of the words that name the product. Null if they end with a number. */
function nounOf(profile: Profile): string | null {
  const { maker } = profile;
  const words = headOfProduct(profile);
  const last = words.findLast(
    ({ text, kind }) => kind !== 'word' || !(NOT_KINDS.has(text) || VARIANTS.has(text)),
  );
  const isNoun =
    last?.kind === 'word' && last.text.length >= MIN_NOUN && !maker.includes(last.text) && words.length > 1;
  return isNoun ? last.text : null;
}

/** The noun that says what the product is: that of the name, otherwise that of its category. */
const kindOf = (profile: Profile): string | null =>
  nounOf(profile) ??
  [...profile.category].filter((word) => /^\p{L}{3,}$/u.test(word) && !NOT_KINDS.has(word)).at(-1) ??
  null;

/**
 * For each kind of quantity, the units in which its values are formatted, with their size in base units. A value is formatted
 * in the first unit of which it has at least one.
 */
const UNITS_OF_KIND: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  storage: { TB: 1000, GB: 1 },
  inches: { in: 25.4 },
  mass: { kg: 1000, g: 1 },
  volume: { l: 1000, ml: 1 },
  room: { 'cu ft': 1 },
  power: { W: 1 },
  voltage: { V: 1 },
  charge: { mAh: 1 },
  frequency: { GHz: 1e9, MHz: 1e6, kHz: 1000, Hz: 1 },
  pixels: { MP: 1 },
  heat: { BTU: 1 },
  turns: { rpm: 1 },
  response: { ms: 1 },
  rate: { Gbps: 1000, Mbps: 1 },
  pressure: { bar: 1e5, kPa: 1000, Pa: 1 },
  light: { lm: 1 },
  area: { 'm²': 1 },
};
/** The lengths, in millimetres, from which on a length is formatted in metres, and in centimetres. */
const [MIN_METRES, MIN_CENTIMETRES] = [1000, 100];

/** Matches the name of a mobile network such as "5G", which is otherwise read as a mass of five grams. */
const NETWORK = /\b([2-6])g\b/;

function sizesOf({ values }: Measures, folded: string): string[] {
  const network = Number(NETWORK.exec(folded)?.[1] ?? 0);
  const isSize = (kind: string, size: number) => kind !== 'cache' && !(kind === 'mass' && size === network);
  return [
    ...new Set(
      [...values].flatMap(([kind, sizes]) =>
        sizes.filter((size) => isSize(kind, size)).map((size) => formatSize(kind, size)),
      ),
    ),
  ];
}

function formatSize(kind: string, size: number): string {
  const units = Object.entries(kind === 'length' ? unitOfLength(size) : (UNITS_OF_KIND[kind] ?? {}));
  const [unit, factor] = units.find(([, one]) => size >= one) ??
    units.at(-1) ?? [kind.replace(/^size /, ''), 1];
  return `${Number((size / factor).toPrecision(4))} ${unit}`;
}

function unitOfLength(size: number): Record<string, number> {
  if (size >= MIN_METRES) return { m: 1000 };
  return size >= MIN_CENTIMETRES ? { cm: 10 } : { mm: 1 };
}
