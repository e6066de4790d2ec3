import { gtinOf } from '../../listing/gtin.js';
import { TEXT_SCHEMA } from '../../listing/derived.js';
import { memoize } from '../../text/memoize.js';
import { inOtherUnits } from '../../text/units.js';
import { stopWordsDropped, withJoined, withoutStopWords, wordQueries, wordsOf } from './query-words.js';
import type { QueryClause } from './selection.js';
import { SEARCH_TUNING as tuning } from './tuning.js';

/** Clauses for the listings that contain words, in whichever way they write them. */

/** The fields that are searched for the words of a text, with their weights, in an index of any schema version. */
export const FIELDS_OF_WORDS: readonly string[] = Object.entries(tuning.fields).map(
  ([field, weight]) => `${field}^${weight}`,
);

/**
 * The fields that contain all words of a listing, in an index of this schema version. From `TEXT_SCHEMA` on, one
 * field contains the words and another one the joined pairs of words. A search in these two fields costs half as much as
 * one in the five fields of `FIELDS_OF_WORDS`.
 */
export const fieldsOfWords = (schema: number): readonly string[] =>
  schema < TEXT_SCHEMA ? FIELDS_OF_WORDS : [TEXT, 'internal.joined'];

/** Whether these are the fields of an index in which one field contains all words of a listing. */
export const searchesOneField = (within: readonly string[]): boolean => within.includes(TEXT);

/** The field that contains all words of a listing. */
export const TEXT = 'internal.text';

/** A clause for the listings with a word in any searched field. */
export const withWord = (word: string, within = FIELDS_OF_WORDS): QueryClause => ({
  bool: { should: writtenForms(word, within) },
});

/**
 * Returns one clause for each word of a text. A clause matches the listings that contain its word, alone or joined with an
 * adjacent word of the text. For example, the clause for "fi" in "wi fi" matches "WiFi".
 */
export function withEachWord(
  text: string,
  within: readonly string[],
): { word: string; query: QueryClause }[] {
  const words = wordQueries(text);
  return words.map((word, at) => {
    const joined = [words.slice(Math.max(0, at - 1), at + 1), words.slice(at, at + 2)]
      .filter((pair) => pair.length === 2)
      .map((pair) => pair.join(''));
    const should = [word, ...joined].flatMap((one) => writtenForms(one, within));
    return { word, query: { bool: { should } } };
  });
}

/** A clause for the listings whose SKU, GTIN or model number is `q`, in any format. */
export function identified(q: string): QueryClause {
  const gtin = gtinOf(q);
  return gtin === null
    ? { term: { 'internal.identifiers': { value: q, boost: tuning.identifier } } }
    : { terms: { 'internal.identifiers': [q, gtin], boost: tuning.identifier } };
}

/**
 * A clause for the listings that contain every word of `q` in any field, also with adjacent words written as
 * one word ("wi fi router" and "wi-fi router" match "WiFi router"). Each listing scores `boost`.
 */
export const allWords = (q: string, boost: number, within: readonly string[]): QueryClause => ({
  constant_score: { filter: { bool: { should: writtenForms(q, within) } }, boost },
});

/**
 * A filter clause for the listings that contain every word of `q`, and those whose identifier is `q`.
 * @param unknown words of `wordQueries(q)` that no listing has. They are not required, unless there are no
 * others.
 */
export function hasAllWords(
  q: string,
  unknown: readonly string[] = [],
  within = FIELDS_OF_WORDS,
): QueryClause {
  const known = unknown.length === 0 ? [] : wordQueries(q).filter((word) => !unknown.includes(word));
  const text = known.length === 0 ? q : known.join(' ');
  return { bool: { should: [...writtenForms(text, within), identified(q)] } };
}

/**
 * A clause for the listings that contain every word of at least one of the texts in these fields. Only the
 * first text is also searched for in other units of measure, because the others are guesses of a unit.
 */
export function hasWordsIn(
  [typed = '', ...guessed]: readonly string[],
  fields: readonly string[],
): QueryClause {
  const all = [
    writtenForms(typed, fields),
    ...guessed.map((text) => writtenForms(text, fields, { inUnits: false })),
  ];
  return { bool: { should: all.flat() } };
}

/** Clauses for the listings that contain all words of `q`, one for each way in which listings may write them. */
export const writtenForms = (
  q: string,
  fields: readonly string[],
  { inUnits = true }: { inUnits?: boolean } = {},
): QueryClause[] =>
  (inUnits ? formsInUnits(q) : formsOf(q, [])).map((query) => ({
    combined_fields: { query, fields: [...fields], operator: 'and' },
  }));

/** The maximum number of texts whose forms are kept, because several clauses of a search need the same forms. */
const MEMOIZED_TEXTS = 500;
const formsInUnits = memoize(MEMOIZED_TEXTS, (q) => formsOf(q, inOtherUnits(wordsOf(q).join(' '))));

/**
 * The ways in which listings may write all words of `q`: as typed, with adjacent words joined, with measures separated or
 * in other units, and with each GTIN in its canonical form.
 */
function formsOf(q: string, inUnits: readonly string[]): readonly string[] {
  const typed = wordsOf(q);
  const words = typed.flatMap((word) => word.split('-').filter((part) => part !== ''));
  const counting = withoutStopWords(typed);
  const texts = new Set([
    counting.join(' '),
    // Stop words are included when words are joined, because "in ear headphones" are "in-ear headphones".
    ...(words.length <= tuning.maxJoinedWords ? withJoined(words, stopWordsDropped) : []),
    counting.join(' ').replace(MEASURES, ' x'),
    counting.map((word) => gtinOf(word) ?? word).join(' '),
    ...inUnits.map((text) => withoutStopWords(text.split(' ')).join(' ')),
  ]);
  return [...texts];
}

/**
 * Matches the letter x between two measures. It is separated from the first one, because the index contains
 * `x20` for "14 in. x 20 in.".
 */
const MEASURES = /(?<=\d)x(?=\d)/gi;
