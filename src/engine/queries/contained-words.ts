import { gtinOf } from '../../listing/gtin.js';
import { TEXT_SCHEMA } from '../../listing/derived.js';
import { memoize } from '../../text/memoize.js';
import { inOtherUnits } from '../../text/units.js';
import {
  countingWords,
  joinedWords,
  stopWordsDropped,
  withJoined,
  withoutStopWords,
  wordsOf,
} from './query-words.js';
import { combined, type QueryClause } from './selection.js';
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

/** A word of a text, and a clause for the listings that contain it. */
interface ContainedWord {
  word: string;
  query: QueryClause;
  /** Whether the word is only searched for as typed. */
  isPlain: boolean;
}

/** Matches words from which the analyzer of Elasticsearch makes no term. */
const FUNCTION_WORD = /^(?:and|for|of|or|the|with)$/i;

/**
 * Returns one clause for each significant word of a text. A clause matches the listings that contain its word in any field, in
 * another unit, or joined with its neighbours: the clause for "fi" in "wi fi" matches "WiFi".
 */
export function withEachWord(text: string, within: readonly string[]): ContainedWord[] {
  const typed = wordsOf(text);
  const words = countingWords(typed);
  const named = words.filter((word) => !FUNCTION_WORD.test(word));
  const runs = joinedRuns(typed);
  let end = 0;
  return (named.length > 0 ? named : words).map((word) => {
    const [first = '', ...further] = word.split(' ');
    const start = typed.indexOf(first, end);
    end = start + 1 + further.length;
    const joined = runs.flatMap((run) => (run.start < end && run.end > start ? run.texts : []));
    const forms = writtenForms(word, within);
    if (!SIMPLE.test(word) || forms.length > 1) {
      return { word, isPlain: false, query: { bool: { should: [...forms, ...withAnyOf(joined, within)] } } };
    }
    const query = combined('should', withAnyOf([word, ...joined], within));
    return { word, isPlain: joined.length === 0, query };
  });
}

/**
 * Adjacent words of a text and the words that stand for all of them: written as one, and in other units.
 * @param typed words that may have hyphens, where a listing may write them as one as well.
 */
function joinedRuns(typed: readonly string[]): { start: number; end: number; texts: string[] }[] {
  const parts = typed.flatMap((word, at) =>
    word.split('-').flatMap((part) => (part === '' ? [] : [{ part, at }])),
  );
  if (parts.length > tuning.maxJoinedWords) return [];
  const placeOf = (index: number) => parts[index]?.at ?? 0;
  const joined = joinedWords(parts.map(({ part }) => part)).map(({ start, end, text }) => ({
    start: placeOf(start),
    end: placeOf(end - 1) + 1,
    texts: [text],
  }));
  const measured = typed
    .slice(1)
    .map((unit, at) => ({
      start: at,
      end: at + 2,
      texts: inOtherUnits(`${typed[at]} ${unit}`).filter((text) => !text.includes(' ')),
    }));
  return [...joined, ...measured];
}

/** Matches a word whose terms are alternatives, because it has no sign that separates terms or stands for a word, such as "+". */
const UNSIGNED = /^[\p{L}\p{M}\p{N}]+$/u;

/** Clauses for the listings with any of these words; none if there are no words. */
function withAnyOf(words: readonly string[], within: readonly string[]): QueryClause[] {
  const [unsigned, signed] = [true, false].map((is) => [
    ...new Set(words.filter((word) => UNSIGNED.test(word) === is)),
  ]) as [string[], string[]];
  // The mark between the words prevents the analyzer from taking a number and the word after it for a measure.
  const alternatives = unsigned.length === 0 ? [] : [{ query: unsigned.join(' | ') }];
  const whole = signed.map((query) => ({ query, operator: 'and' as const }));
  return [...alternatives, ...whole].map((query) => ({ combined_fields: { ...query, fields: [...within] } }));
}

/** The words that stand for several adjacent words of a text, or for one of them in another unit. */
export const otherForms = (text: string, within: readonly string[]): QueryClause[] => [
  ...withAnyOf(
    joinedRuns(wordsOf(text)).flatMap(({ texts }) => texts),
    within,
  ),
  ...countingWords(wordsOf(text)).flatMap((word) => writtenForms(word, within).slice(1)),
];

/** Matches a word from which the analyzer of Elasticsearch makes exactly one term. */
export const SIMPLE =
  /^(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{M}])+$|^\p{N}+$/u;

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
 * A filter clause for the listings that contain every word of `q`, each in any of the forms of `withEachWord`, and those whose
 * identifier is `q`.
 * @param unknown words of `wordQueries(q)` that no listing has. They are not required, unless there are no
 * others.
 */
export function hasAllWords(
  q: string,
  unknown: readonly string[] = [],
  within = FIELDS_OF_WORDS,
): QueryClause {
  const words = withEachWord(q, within);
  const known = words.filter(({ word }) => !unknown.includes(word));
  const required = known.length > 0 ? known : words;
  const plain = required.flatMap(({ word, isPlain }) => (isPlain ? [word] : []));
  const filter = [
    ...required.flatMap(({ query, isPlain }) => (isPlain ? [] : [query])),
    ...(plain.length === 0
      ? []
      : [{ combined_fields: { query: plain.join(' | '), fields: [...within], operator: 'and' as const } }]),
  ];
  const all = filter.length === 0 ? [] : [combined('filter', filter)];
  return { bool: { should: [...all, identified(q)] } };
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
