import { gtinOf } from '../../listing/gtin.js';
import { TEXT_SCHEMA } from '../../listing/schema-versions.js';
import { isProductName } from '../../naming/kinds.js';
import { inflectionsOf, partsOf, wordForms } from '../../naming/word-forms.js';
import { inOtherUnits } from '../../text/units.js';
import { countingWords, joinedWords, UNSPACED_LETTER, withJoined, wordsOf } from './query-words.js';
import { matchAny } from './match.js';
import { isModelPart } from './model-numbers.js';
import { combined, type QueryClause } from './selection.js';
import type { WordSynonyms } from './synonyms.js';
import { SEARCH_TUNING as tuning } from './tuning.js';

/** Clauses for the listings that contain words, in whichever way they write them: one clause for each word. */

/** The fields that contain all words of a listing, in an index of any schema version. */
const FIELDS_OF_WORDS: readonly string[] = [
  'name',
  'brand',
  'internal.categories',
  'description',
  'internal.attributes',
];

/** The fields that identify a product. The description also states what the product is compatible with. */
export const IDENTIFYING_FIELDS = FIELDS_OF_WORDS.filter((field) => field !== 'description');

/** The field that contains the pairs of adjacent words of a listing, each written as one word. */
export const PAIRS = 'internal.joined';

const WORDS_AND_PAIRS: readonly string[] = ['internal.text', PAIRS];

/**
 * The fields that contain all words of a listing, in an index of this schema version. A search in the two fields that exist
 * from `TEXT_SCHEMA` on costs half as much as one in the five fields of `FIELDS_OF_WORDS`.
 */
export const fieldsOfWords = (schema: number): readonly string[] =>
  schema < TEXT_SCHEMA ? FIELDS_OF_WORDS : WORDS_AND_PAIRS;

/** How the words of a text are searched for. */
interface WordOptions {
  /** The schema version of the index that is searched; by default, the clauses suit an index of any version. */
  schema?: number;
  /** The fields in which words are searched for; by default, those that contain all words of a listing. */
  within?: readonly string[];
  /** The synonyms that stand for words of the text. */
  synonyms?: readonly WordSynonyms[];
}

type SearchedFields = Required<Pick<WordOptions, 'schema' | 'within'>>;

/** A word of a text, and a clause for the listings that contain it. */
export interface ContainedWord {
  word: string;
  query: QueryClause;
}

/** Matches words from which the analyzer of Elasticsearch makes no term. */
const FUNCTION_WORD = /^(?:and|for|of|or|the|with)$/i;

/**
 * Returns one clause for each significant word of a text. A clause matches the listings that contain its word, a synonym of it,
 * in another unit, or joined with its neighbours: the clause for "fi" in "wi fi" matches "WiFi".
 */
export function withEachWord(
  text: string,
  { schema = 0, within = fieldsOfWords(schema), synonyms = [] }: WordOptions = {},
): ContainedWord[] {
  const typed = wordsOf(text);
  const words = countingWords(typed);
  const named = words.filter((word) => !FUNCTION_WORD.test(word));
  const substitutes = [...joinedRuns(typed), ...synonymRuns(text, typed, synonyms)].map((run) => ({
    ...run,
    texts: [...run.texts, ...run.texts.flatMap(inflectionsOf)],
  }));
  let end = 0;
  return (named.length > 0 ? named : words).map((word) => {
    const [first = '', ...further] = word.split(' ');
    const start = typed.indexOf(first, end);
    end = start + 1 + further.length;
    const forms = formsOf(word);
    const runs = substitutes.filter((run) => run.start < end && run.end > start);
    const inText = new Set([...forms, ...runs.flatMap(({ texts }) => texts)]);
    const inPairs = new Set([
      ...forms,
      ...runs.flatMap(({ texts, isPair }) => (isPair === true ? [] : texts)),
    ]);
    const texts = { inText, inPairs };
    return { word, query: withWord(word, texts, { schema, within }) };
  });
}

/** The ways to write a word: in another form, with its parts joined or apart, in other units, or as a full GTIN. */
function formsOf(word: string): string[] {
  const parts = word.split(/[\s-]+|(?<=\p{L})\.(?=\p{L})/u).filter((part) => part !== '');
  return [
    word,
    ...wordForms(word),
    ...(parts.length > 1 && parts.length <= MAX_PARTS ? withJoined(parts) : []),
    word.replaceAll(MEASURES, ' x '),
    word.replaceAll(UNDERSCORES, ' '),
    gtinOf(word) ?? word,
    ...inOtherUnits(word),
  ];
}

/** The maximum number of parts of a hyphenated word that are also searched for joined into one word. */
const MAX_PARTS = 6;

/** Matches the letter x between two measurements, as in `14x20`. Many listings put blanks around it: "14 in. x 20 in." */
const MEASURES = /(?<=\d)x(?=\d)/gi;

/** Matches underscores between two letters, as in "red_kettle", at which the analyzer does not split a text. */
const UNDERSCORES = /(?<=\p{L})_+(?=\p{L})/gu;

/** A run of adjacent words: the index of the first word and the index after the last one, and texts that may replace the run. */
interface Substitutes {
  start: number;
  end: number;
  texts: readonly string[];
  /** Whether the text is two adjacent words, joined as typed. A listing with the pair in `PAIRS` contains both words anyway. */
  isPair?: boolean;
}

/** The forms of a word to search for: in the fields with all words, and in the field with pairs of adjacent words. */
interface Ways {
  inText: ReadonlySet<string>;
  inPairs: ReadonlySet<string>;
}

/** Texts that stand for adjacent words: the words joined to one, a number with its unit in other units, and "rock'n'roll". */
function joinedRuns(typed: readonly string[]): Substitutes[] {
  if (typed.length > tuning.maxLookupWords) return [];
  const joined = joinedWords(typed.map((word) => word.replaceAll('-', '')));
  const measures = typed
    .slice(1)
    .map((unit, at) => ({
      start: at,
      end: at + 2,
      texts: inOtherUnits(`${typed[at]} ${unit}`).filter((text) => !text.includes(' ')),
    }));
  const runs = joined.map(({ start, end, text }) => ({
    start,
    end,
    texts: end - start === 2 ? [text, ...elided(typed.slice(start, end))] : [text],
    // Listings may divide a model number into other parts, so its typed parts need not be adjacent words of theirs.
    isPair: end - start === 2 && !typed.slice(start, end).every(isModelPart),
  }));
  // The analyzer reads "rock'n'roll" as one word, but "rock n roll" as three.
  const withAnd = typed.slice(2).flatMap((last, at) => {
    const [first = '', and = ''] = typed.slice(at, at + 2);
    return /^['’]?n['’]?$/i.test(and) ? [{ start: at, end: at + 3, texts: [`${first}'n'${last}`] }] : [];
  });
  return [...runs, ...measures, ...withAnd];
}

/** Two words as a name with an apostrophe: "o'neill" for "o neill"; none unless the first is a single letter. */
const elided = ([first = '', second = '']: readonly string[]): string[] =>
  /^\p{L}$/u.test(first) && /^\p{L}{3,}$/u.test(second) ? [`${first}'${second}`] : [];

/**
 * Returns the texts that replace words by their synonyms. If a synonym replaces only a part of a word, as in a text without
 * blanks, the rest of the word stays.
 */
function synonymRuns(
  text: string,
  typed: readonly string[],
  synonyms: readonly WordSynonyms[],
): Substitutes[] {
  if (synonyms.length === 0) return [];
  let next = 0;
  const places = typed.map((word) => {
    const from = Math.max(next, text.indexOf(word, next));
    next = from + word.length;
    return { from, to: next };
  });
  return synonyms.flatMap(({ from, to, others }) => {
    const start = places.findIndex((place) => place.to > from);
    const last = places.findLastIndex((place) => place.from < to);
    const [first, end] = [places[start], places[last]];
    if (first === undefined || end === undefined || last < start) return [];
    const [before, behind] = [text.slice(first.from, from), text.slice(to, end.to)];
    return { start, end: last + 1, texts: others.map((other) => `${before} ${other} ${behind}`.trim()) };
  });
}

/**
 * A clause for the listings with a word in one of these forms. A listing with a part of a German compound in its name
 * matches as well: "Kocher" for "Wasserkocher". Its rank is lower, because it lacks the word.
 */
function withWord(word: string, ways: Ways, fields: SearchedFields): QueryClause {
  const parts = partsOf(word).flatMap((part) => [part, ...inflectionsOf(part)]);
  const inOneForm = withOneOf(ways, fields);
  return parts.length === 0
    ? inOneForm
    : combined('should', [inOneForm, { match: { name: [...new Set(parts)].join(' ') } }]);
}

/**
 * Matches a text that the analyzer turns into exactly one term. Several such texts can share one clause. The first alternative of
 * the pattern matches nothing that the second does not, but is much faster.
 */
const SINGLE_TERM = new RegExp(
  `^[A-Za-z\\d]+$|^(?:(?!${UNSPACED_LETTER})[\\p{L}\\p{M}\\p{N}])+$|^\\d+\\.\\d+\\p{L}*$`,
  'u',
);

/** A clause for the listings with one of several texts. Those of one term share a clause; each other one has its own. */
function withOneOf({ inText, inPairs }: Ways, { schema, within }: SearchedFields): QueryClause {
  const single = (texts: ReadonlySet<string>) => [...texts].filter((text) => SINGLE_TERM.test(text));
  const several = [...inText].filter((text) => !SINGLE_TERM.test(text));
  const withSingle = within.includes(PAIRS)
    ? within.flatMap((field) => withAnyTerm(single(field === PAIRS ? inPairs : inText), field, schema))
    : withAnyTermIn(single(inText), within);
  return combined('should', [...withSingle, ...several.map((text) => withAllTerms(text, within))]);
}

/** A clause for the listings with one of several terms in a field; none if there are no terms. */
const withAnyTerm = (terms: readonly string[], field: string, schema: number): QueryClause[] =>
  terms.length === 0 ? [] : [matchAny(field, terms, { schema })];

/** A clause for the listings with one of several terms in several fields, which count as one field; none without terms. */
const withAnyTermIn = (terms: readonly string[], within: readonly string[]): QueryClause[] =>
  terms.length === 0 ? [] : [{ combined_fields: { query: terms.join(' | '), fields: [...within] } }];

/** A clause for the listings with all terms of a text, each in any of the fields. */
const withAllTerms = (query: string, within: readonly string[]): QueryClause => ({
  combined_fields: {
    query,
    fields: [...within],
    operator: 'and',
    auto_generate_synonyms_phrase_query: false,
  },
});

/** A clause for the listings that contain every word of a text; none if the text has no words. */
export function withWords(text: string, options: Pick<WordOptions, 'schema' | 'within'> = {}): QueryClause {
  const words = withEachWord(text, options).map(({ query }) => query);
  return words.length === 0 ? { match_none: {} } : combined('filter', words);
}

/** A clause for the listings that contain these words in this order, next to each other. */
export const withPhrase = (query: string): QueryClause => ({
  multi_match: { query, type: 'phrase', fields: [...FIELDS_OF_WORDS], analyzer: 'product_query_as_typed' },
});

/**
 * A clause for the listings whose SKU, GTIN or model number is `q`, in any format. They come first unless `q`
 * is the name of a product.
 */
export function identified(q: string, name: { _name?: string } = {}): QueryClause {
  const gtin = gtinOf(q);
  const boost = isProductName(q) ? 0 : tuning.identifier;
  return gtin === null
    ? { term: { 'internal.identifiers': { value: q, boost, ...name } } }
    : { terms: { 'internal.identifiers': [q, gtin], boost, ...name } };
}

/** A filter clause for the listings that contain every word of `q`, and those whose identifier is `q`. */
export const hasAllWords = (q: string): QueryClause => ({ bool: { should: [withWords(q), identified(q)] } });

/** A clause for the listings that contain every word of at least one of the texts in these fields. */
export const hasWordsIn = (texts: readonly string[], within: readonly string[]): QueryClause =>
  combined(
    'should',
    texts.map((text) => withWords(text, { within })),
  );
