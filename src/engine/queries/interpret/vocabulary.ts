import { phrasesOfMarkets } from '../../../text/market-words.js';
import { readsMarket } from '../../../platform/config/markets.js';
import { shippedJson } from '../../../platform/shipped-files.js';

/**
 * The words of shoppers that stand for parameters, by language, in `vocabularies/`. Malay and Indonesian share a file. Each entry
 * is a part of a regular expression, in which a blank stands for one or two blanks and `{name}` for another pattern.
 */
type ShopperWordsFile = Record<string, unknown> & {
  scales?: Record<string, Scale>;
  sort?: Record<string, string[]>;
  countries?: Record<string, string>;
  rangeAround?: { starts: string[]; separators: string[]; ends: string[] };
  /** Patterns that replace the placeholders, such as `{sortedBy}`, in the other entries of the file. */
  sortedBy?: string;
  people?: string;
  ownPeople?: string;
};

/** A word after a number that multiplies it, such as "k" or "juta". */
interface Scale {
  /** The number of zeros that the word appends to the number before it, such as 3 for "k". */
  zeros: number;
  /** Whether the word ("k", "juta") multiplies only amounts of money, not other numbers. */
  isMoney: boolean;
}

type Language = 'en' | 'ms' | 'zh' | 'de' | 'th';
const LANGUAGES: readonly Language[] = ['en', 'ms', 'zh', 'de', 'th'];

const FILES = Object.fromEntries(
  LANGUAGES.map((language) => [
    language,
    readsMarket(language)
      ? (shippedJson(`src/engine/queries/interpret/vocabularies/${language}.json`) as ShopperWordsFile)
      : {},
  ]),
) as Record<Language, ShopperWordsFile>;

const SHARED_PATTERNS: Readonly<Record<string, string>> = {
  shop: '[\\p{L}\\p{N}_.-]{1,40}(?: (?:singapore|malaysia|indonesia))?',
  stars: '[1-5](?:\\.\\d)?[ -]?stars(?: (?:ratings?|rated|reviews?))?',
  measure: `\\d[\\d.,]*(?:[ -]?(?:in|inch|inches|cm|mm|m|kg|g|ml|l|gb|tb|mah|w|years?)(?!\\p{L})| ?["”″])`,
  adverbs: '(?:(?:too|so|very|really|be|have|a|an|any) ){0,3}',
};

const expanded = (file: ShopperWordsFile, words: readonly string[]): string[] =>
  words.map((word) =>
    word.replace(/\{([a-z]\w*)\}/gi, (_, name: string) => {
      const pattern = file[name as 'people'] ?? SHARED_PATTERNS[name];
      if (pattern === undefined) throw new Error(`no pattern {${name}} in the vocabularies`);
      return pattern;
    }),
  );

/** The words of one list of the vocabulary, in some languages. */
export function words(key: string, languages: readonly Language[] = LANGUAGES): string[] {
  return languages.flatMap((language) => expanded(FILES[language], (FILES[language][key] ?? []) as string[]));
}

const merged = <Value>(key: 'scales' | 'countries'): Readonly<Record<string, Value | undefined>> =>
  Object.assign({}, ...LANGUAGES.map((language) => FILES[language][key] ?? {})) as Record<string, Value>;

export const SCALES = merged<Scale>('scales');
/** The names of countries, with the codes that follow a shop's name in the code of a source. */
export const COUNTRIES = merged<string>('countries');

/** For each sort order of search results, words of shoppers that stand for it. */
export const SORT_WORDS: Readonly<Record<string, string[]>> = Object.fromEntries(
  Object.keys(FILES.en.sort ?? {}).map((sort) => [
    sort,
    LANGUAGES.flatMap((language) => expanded(FILES[language], FILES[language].sort?.[sort] ?? [])),
  ]),
);

/** Words of shoppers for goods in stock (the first of each line in the markets' files), or out of stock (the other ones). */
export const stockWords = (isInStock: boolean): string[] => {
  const exceptions = phrasesOfMarkets('not_before');
  return phrasesOfMarkets('stock')
    .filter(({ first, phrase }) => (phrase === first) === isInStock)
    .map(({ phrase }) => {
      const after = exceptions.filter(({ first, phrase: word }) => first === phrase && word !== first);
      return phrase + after.map(({ phrase: word }) => `(?!${word})`).join('');
    })
    .sort((a, b) => b.length - a.length);
};

/** The words before, between and after the two numbers of a Chinese price range. */
export const RANGE_AROUND = FILES.zh.rangeAround ?? { starts: [], separators: [], ends: [] };

/** A pattern for white space. Its length is bounded, so that no query text makes the regular expressions slow. */
const GAP = '\\s{1,2}';
export const OPTIONAL_GAP = '\\s{0,2}';

/** A pattern for one of several words; it matches nothing if there are none. */
export const anyWordOf = (pieces: readonly string[]): string =>
  pieces.length === 0
    ? '(?!)'
    : `(?:${pieces.map((piece) => piece.replaceAll(' ?', OPTIONAL_GAP).replaceAll(/(?<!\[) /g, GAP)).join('|')})`;

/** A pattern for the start of a word: no Latin letter or digit precedes it, but perhaps a Chinese character. */
export const WORD_START = '(?<![a-z0-9\\u00c0-\\u024f])';
export const WORD_END = '(?![a-z0-9\\u00c0-\\u024f])';

/** A pattern for a position that no negation, such as "not", precedes; `notBefore` has those of languages without blanks. */
export const NOT_NEGATED = `(?<!(?:${words('not').join('|')})${GAP})(?<!${anyWordOf(words('notBefore'))})`;

/** A pattern for one of several words, provided that no negation precedes it. */
export const standalone = (pieces: readonly string[]): string =>
  `${NOT_NEGATED}${WORD_START}${anyWordOf(pieces)}${WORD_END}`;

export const pattern = (source: string): RegExp => new RegExp(source, 'giu');

/** Matches a phrase in quotes. A quotation mark after a number stands for inches, and none opens within a word. */
export const QUOTED = /(?<=^|\s)["“”]([^"“”]{1,200})["“”](?=$|[\s,.;!?])/gu;

/** The position of a part of a text, in UTF-16 code units; the end is exclusive. */
export interface TextSpan {
  from: number;
  to: number;
}

/** A parameter that words of a query text stand for. */
export interface ParameterValue {
  parameter:
    'min_price' | 'max_price' | 'price_currency' | 'currency' | 'in_stock' | 'min_rating' | 'source' | 'sort';
  value: string;
}

/** A phrase of a query text that stands for one or several parameters. */
export interface ParameterPhrase extends TextSpan {
  parameters: ParameterValue[];
}

/** The phrase that a regular expression found. */
export const phraseAt = (
  { 0: words, index }: RegExpExecArray,
  ...parameters: ParameterValue[]
): ParameterPhrase => ({ from: index, to: index + words.length, parameters });

/** The character that replaces the words that were interpreted. It still separates the words around them. */
export const INTERPRETED = '\u0000';
