import { gtinOf } from '../../listing/gtin.js';
import { wordForms } from '../../naming/word-forms.js';
import { memoize } from '../../text/memoize.js';
import { accessorySynonyms } from '../../text/vocabulary.js';
import { isKnownKind, kindsOf } from '../../naming/kinds.js';
import { withoutFillers } from '../../text/stop-words.js';
import {
  type ContainedWord,
  FIELDS_OF_WORDS,
  fieldsOfWords,
  identified,
  PAIRS,
  withEachWord,
  type WordOptions,
} from './contained-words.js';
import { matchAny } from './match.js';
import { modelNumbersIn } from './model-numbers.js';
import { countingWords, partsOf, UNSPACED_LETTER, wordsOf } from './query-words.js';
import { combined, CROWD, type MatchMode, type QueryClause } from './selection.js';
import { SEARCH_TUNING as tuning } from './tuning.js';

/** The prefix of the names of query clauses that search for a single word. */
export const WORD = 'word:';

interface SearchOptions extends WordOptions {
  /** Whether a listing must contain any or all words of the text; `any` by default. */
  match?: MatchMode;
  /** Words of the text that no listing contains. They are not searched for, unless there are no others. */
  unknown?: readonly string[];
  /** The text as typed, which may be an identifier; by default, the text. */
  typed?: string;
  /** Whether the clauses have names, so that Elasticsearch reports which of them each listing matched. */
  named?: boolean;
}

/** The clauses of a text search. The pages of one search share them, because building them takes most of the time of building a query. */
export interface TextClauses {
  /** One clause for each word, which adds an equal share of the boost `allWords`. */
  each: QueryClause[];
  /** A clause for the listings whose SKU, GTIN or model number is the text. */
  whole: QueryClause;
  /** Clauses for listings that serve the purpose of the words without having them. */
  alike: QueryClause[];
  /** Clauses that rank the listings. */
  ranking: QueryClause[];
}

/** Reads the clauses of a text search. */
export function textClauses(
  text: string,
  { unknown = [], typed = text, named = false, ...options }: Omit<SearchOptions, 'match'> = {},
): TextClauses {
  const words = knownWords(text, unknown, options);
  const name = (of: string) => (named ? { _name: of } : {});
  const each = words.map(({ word, query }): QueryClause => ({
    constant_score: { filter: query, boost: tuning.allWords / words.length, ...name(`${WORD}${word}`) },
  }));
  return {
    each,
    whole: identified(typed, name('identifier')),
    alike: alikeClauses(words),
    ranking: rankingClauses(text, options, name).map(exceptCrowd),
  };
}

/**
 * The query of a text search: a listing must match all words or any. Listings whose SKU, GTIN or model number is the text are
 * found and ranked first. A text without a letter or digit matches nothing.
 */
export const queryOf = ({ each, whole, alike, ranking }: TextClauses, match: MatchMode): QueryClause =>
  match === 'any'
    ? { bool: { should: [...each, ...alike, whole, ...ranking] } }
    : { bool: { must: [allOf(each, whole)], should: ranking } };

/** The query of a text search that has one page. */
export const searchText = (text: string, { match = 'any', ...options }: SearchOptions = {}): QueryClause =>
  queryOf(textClauses(text, options), match);

/** A filter clause for the listings that `searchText` finds with the match mode `all`. */
export const withAllOf = (
  text: string,
  { unknown = [], typed = text, ...options }: Omit<SearchOptions, 'match' | 'named'> = {},
): QueryClause =>
  allOf(
    knownWords(text, unknown, options).map(({ query }) => query),
    identified(typed),
  );

function knownWords(text: string, unknown: readonly string[], options: WordOptions): ContainedWord[] {
  const all = withEachWord(text, options);
  const known = all.filter(({ word }) => !unknown.includes(word));
  return known.length === 0 ? all : known;
}

/** A clause for the listings that match each of several clauses, and for those that match another one. */
const allOf = (each: QueryClause[], whole: QueryClause): QueryClause =>
  combined('should', [
    ...(each.length === 0 ? [] : [{ bool: { should: each, minimum_should_match: each.length } }]),
    whole,
  ]);

/**
 * Restricts a clause that ranks to listings that are not near-identical to a better one of their owner, so that those come after
 * the others with as many words. Elasticsearch evaluates such clauses faster one by one than in a common one.
 */
const exceptCrowd = (clause: QueryClause): QueryClause => ({ bool: { must: [clause], must_not: [CROWD] } });

/** Clauses that rank listings by the words of a text, its kind of thing, and the model numbers and identifiers in it. */
function rankingClauses(
  text: string,
  { schema = 0, synonyms = [] }: WordOptions,
  name: (of: string) => { _name?: string },
): QueryClause[] {
  const words = wordsOf(text);
  const texts = [words.join(' '), ...synonyms.flatMap(({ others }) => others)];
  const query = [...countingWords(words), ...words.flatMap(wordForms), ...texts.slice(1)].join(' ');
  const scored = rankedFields(fieldsOfWords(schema)).map(({ field, boost }) =>
    matchAny(field, [query], { schema, boost }),
  );
  if (isLong(words)) return scored;
  const unspaced = unspacedSpellings(texts[0] ?? '');
  const kinds = kindClauses(words, [...texts, ...unspaced.slice(1)], schema).map((filter): QueryClause => ({
    constant_score: { filter, boost: unspaced.length > 0 ? tuning.unspaced : tuning.kind, ...name('kind') },
  }));
  const codes = modelNumbersIn(texts[0] ?? '').slice(0, tuning.maxWords);
  const identifiers = [...codes.filter(mayIdentify), ...gtinsIn(words)];
  return [
    ...scored,
    ...kinds,
    ...inTypedScript(unspaced),
    ...withCodes('name.codes', codes, { boost: tuning.codes, ...name('model_number') }),
    ...withCodes('internal.identifiers.codes', identifiers, {
      boost: tuning.identifierPart,
      ...name('identifier_part'),
    }),
  ];
}

const UNSPACED = new RegExp(UNSPACED_LETTER, 'u');
/** The share of the pairs of characters of a word that a kind must contain. A single pair names nothing. */
const MOST_PAIRS = '75%';

/** The spellings of a text in a script without spaces: as typed, and in the other Chinese script. Empty for other texts. */
const unspacedSpellings = (text: string): string[] => (UNSPACED.test(text) ? [text, ...wordForms(text)] : []);

/** A clause for the names with all words of a text as they are typed, because the search also finds English synonyms of them. */
const inTypedScript = (spellings: readonly string[]): QueryClause[] =>
  spellings.length === 0
    ? []
    : [
        {
          constant_score: {
            filter: combined(
              'should',
              spellings.map((query) => ({
                match: { name: { query, operator: 'and', analyzer: 'product_query_as_typed' } },
              })),
            ),
            boost: tuning.unspaced,
          },
        },
      ];

/** Whether a text that may be a model number may be an identifier by itself. Short ones, such as sizes and years, are not. */
const mayIdentify = (code: string): boolean => code.length > 3 && !/^\d{1,6}$/.test(code);

/** A clause for the listings that have one of these codes in a field of codes; none if there are no codes. */
const withCodes = (
  field: string,
  codes: readonly string[],
  options: { boost: number; _name?: string },
): QueryClause[] =>
  codes.length === 0
    ? []
    : [{ match: { [field]: { query: codes.join(' '), analyzer: 'whitespace', ...options } } }];

/**
 * Clauses for the kind of thing that a text names: listings of this kind and, if the text names another one, too, those with the
 * noun in their name that are not the other one: the ink for "printer ink".
 */
function kindClauses(words: readonly string[], texts: readonly string[], schema: number): QueryClause[] {
  const kinds = texts.flatMap((text) => kindsOf(withoutFillers(text), null));
  const spaced = kinds.filter((kind) => !UNSPACED.test(kind));
  const unspaced = kinds.filter((kind) => UNSPACED.test(kind));
  const ofKind = combined('should', [
    ...(spaced.length > 0 || unspaced.length === 0
      ? [matchAny('internal.kinds', [spaced.join(' ')], { schema })]
      : []),
    ...unspaced.map((query) => ({
      match: { 'internal.kinds': { query, minimum_should_match: MOST_PAIRS } },
    })),
  ]);
  const head = headNounAmong(words);
  const others = words.filter((word) => word !== head && kindsOfWord(word).some(isKnownKind));
  if (head === undefined || others.length === 0) return [ofKind];
  const isOther = matchAny('internal.kinds', others, { schema });
  return [ofKind, { bool: { filter: [matchAny('name', [head], { schema })], must_not: [isOther] } }];
}

/** The word of a text that names the kind of thing; undefined if none does. */
function headNounAmong(words: readonly string[]): string | undefined {
  const kinds = kindsOf(words.join(' '), null);
  return words.findLast((word) => kinds.includes(kindsOfWord(word)[0] ?? ''));
}

const MEMOIZED_WORDS = 8_192;
/** The kinds that a single word names. Reading them takes a fifth of the time in which a query is built. */
const kindsOfWord = memoize(MEMOIZED_WORDS, (word) => kindsOf(word, null));

/**
 * A clause for the listings that lack the noun of an accessory, but serve the same purpose and have another word of the text: camera
 * cases for "camera bag", where bags of tea have as many words.
 */
function alikeClauses(words: readonly ContainedWord[]): QueryClause[] {
  // Finding the noun takes a tenth of the time of building the clauses, and few texts have a word that may be an accessory.
  if (words.every(({ word }) => accessorySynonyms(word).length === 0)) return [];
  const head = headNounAmong(words.map(({ word }) => word));
  const alike = accessorySynonyms(head ?? '').join(' ');
  const noun = words.find(({ word }) => word === head);
  if (noun === undefined || alike === '' || words.length === 1) return [];
  const others = words.filter((one) => one !== noun).map(({ query }) => query);
  const filter = [{ match: { 'internal.kinds': alike } }, combined('should', others)];
  const serves = { bool: { filter, must_not: [noun.query] } };
  return [{ constant_score: { filter: serves, boost: ((3 / 4) * tuning.allWords) / words.length } }];
}

/** The fields in which words count for the rank, the name more than the others. */
const rankedFields = (within: readonly string[]): { field: string; boost: number }[] => [
  { field: 'name', boost: tuning.name },
  ...within.filter((field) => field !== 'name' && field !== PAIRS).map((field) => ({ field, boost: 1 })),
];

/** Whether a text is so long that only its words are searched for. */
const isLong = (words: readonly string[]): boolean =>
  words.length > tuning.maxLookupWords || partsOf(words.join(' ')).length > tuning.maxLookupParts;

/** The canonical forms of the GTINs among the words of a text. */
const gtinsIn = (words: readonly string[]): string[] =>
  words.flatMap((word) => gtinOf(word) ?? []).filter((gtin) => !words.includes(gtin));

/** A clause for the listings that contain these words in this order, next to each other. */
export const withPhrase = (query: string): QueryClause => ({
  multi_match: { query, type: 'phrase', fields: [...FIELDS_OF_WORDS], analyzer: 'product_query_as_typed' },
});

/**
 * The scoring clause for a text that is the exact name of a listing. That listing scores highest. Offers of
 * other shops score above further listings of its own shop, which have similar names.
 */
export function withOtherShops(
  named: QueryClause,
  { id, source }: { id: number; source: string },
): QueryClause {
  const others: QueryClause = { bool: { must_not: [{ term: { source } }] } };
  const favoured: QueryClause = {
    function_score: { query: named, functions: [{ filter: others, weight: tuning.otherShops }] },
  };
  const itself: QueryClause = {
    constant_score: { filter: { term: { id } }, boost: 2 * tuning.otherShops * tuning.identifier },
  };
  return { bool: { must: [favoured], should: [itself] } };
}
