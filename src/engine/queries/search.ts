import { accessorySynonyms } from '../../text/vocabulary.js';
import { gtinOf } from '../../listing/gtin.js';
import { kindsOf } from '../../text/kinds.js';
import { withoutFillers } from '../../text/stop-words.js';
import {
  allWords,
  FIELDS_OF_WORDS,
  identified,
  otherForms,
  SIMPLE,
  TEXT,
  writtenForms,
} from './contained-words.js';
import { countingWords, joinedPairs, partsOf, wordsOf } from './query-words.js';
import type { QueryClause } from './selection.js';
import { SEARCH_TUNING as tuning } from './tuning.js';

/**
 * The scoring clause of a text search: it matches listings with any word of `q`. Those with all words score
 * highest, and above them those whose SKU, GTIN or model number is `q`. A text without a letter or digit
 * matches nothing.
 * @param typed the text as typed, which may be an identifier.
 * @param within the fields that contain all words of a listing, for the clauses that do not depend on the field.
 */
export const searchText = (q: string, typed = q, within = FIELDS_OF_WORDS): QueryClause => ({
  bool: { should: [...wordClauses(q, within), identified(typed)] },
});

/** A clause for the listings that contain these words in this order, next to each other. */
export const withPhrase = (query: string): QueryClause => ({
  multi_match: {
    query,
    type: 'phrase',
    fields: Object.keys(tuning.fields),
    analyzer: 'product_query_as_typed',
  },
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

/** Clauses for the listings with any word of `q`. Each matching clause adds to the score of a listing. */
export function wordClauses(q: string, within: readonly string[]): QueryClause[] {
  const words = wordsOf(q);
  const text = words.join(' ');
  const gtins = gtinsOf(words);
  const withGtins = withGtinsOf(words);
  const any = (query: string): QueryClause => ({ combined_fields: { query, fields: [...FIELDS_OF_WORDS] } });
  if (isLong(words)) return [any(withGtins)];
  const kinds = kindsOf(withoutFillers(text), null).join(' ');
  return [
    ...allOrEach(words, any, within),
    ...(gtins.length > 0 ? [any(gtins.join(' '))] : []),
    { constant_score: { filter: { match: { 'internal.kinds': kinds } }, boost: tuning.kind } },
    ...lookups(words, withGtins),
  ];
}

/** Whether a text is so long that only its words are searched for. */
const isLong = (words: readonly string[]): boolean =>
  words.length > tuning.maxLookupWords || partsOf(words.join(' ')).length > tuning.maxLookupParts;

/** The canonical forms of the GTINs among the words of a text, unless the text contains them. */
const gtinsOf = (words: readonly string[]): string[] =>
  words.flatMap((word) => gtinOf(word) ?? []).filter((gtin) => !words.includes(gtin));

const withGtinsOf = (words: readonly string[]): string => [...words, ...gtinsOf(words)].join(' ');

/** The words of a text that count, and its GTINs in their canonical form. */
const scoredWords = (words: readonly string[]): string =>
  isLong(words) ? withGtinsOf(words) : [...countingWords(words), ...gtinsOf(words)].join(' ');

/** Clauses for adjacent words, model numbers and other identifiers among the words of a text. */
const lookups = (words: readonly string[], withGtins: string): QueryClause[] => [
  { match: { name: { query: joinedPairs(words).join(' '), boost: tuning.pairs } } },
  { match: { 'name.codes': { query: words.join(' '), boost: tuning.codes } } },
  { match: { 'internal.identifiers.codes': { query: withGtins, boost: tuning.identifierPart } } },
];

/**
 * The scoring clause of the first phase of a search, which estimates the relevance of listings at low cost. Elasticsearch
 * knows the maximum scores of this clause and skips most listings by them; with `combined_fields` it cannot.
 * @param corrected the text with corrected spelling; null if it is used as typed.
 */
export function coarseText(
  q: string,
  corrected: string | null,
  { typed, match, within }: { typed: string; match: 'any' | 'all'; within: readonly string[] },
): QueryClause {
  const words = wordsOf(corrected ?? q);
  const withGtins = withGtinsOf(words);
  const counting = countingWords(words);
  // If a listing may lack words, those with more of the words come first, as in the full relevance query.
  const shares =
    match === 'all' || counting.length === 1
      ? []
      : [
          ...counting.map((word): QueryClause => ({
            constant_score: {
              filter: { match: { [TEXT]: { query: word, operator: 'and' } } },
              boost: tuning.allWords / counting.length,
            },
          })),
          allWords(words.join(' '), tuning.allWords, within),
        ];
  const asTyped = corrected === null ? [] : [allWords(q, 2 * tuning.allWords, within)];
  return {
    bool: {
      should: [
        { match: { [TEXT]: scoredWords(words) } },
        ...shares,
        ...(isLong(words) ? [] : lookups(words, withGtins)),
        ...asTyped,
        identified(corrected === null ? typed : q),
      ],
    },
  };
}

/** A clause for the listings with any word of a text, corrected or as typed. */
export function withAnyWord(
  q: string,
  corrected: string | null,
  { typed, within }: { typed: string; within: readonly string[] },
): QueryClause {
  const words = wordsOf(corrected ?? q);
  const withGtins = withGtinsOf(words);
  const kinds = kindsOf(withoutFillers(words.join(' ')), null).join(' ');
  const further = isLong(words)
    ? []
    : [
        { match: { 'internal.kinds': kinds } },
        ...lookups(words, withGtins),
        ...otherForms(words.join(' '), within),
      ];
  const asTyped = corrected === null ? [] : [allWords(q, 1, within)];
  return {
    bool: {
      should: [
        ...within.map((field): QueryClause => ({ match: { [field]: scoredWords(words) } })),
        ...further,
        ...asTyped,
        identified(corrected === null ? typed : q),
      ],
    },
  };
}

/**
 * A clause that scores the words of a text. It adds the boost `allWords` if a listing has every word, also if
 * the listing writes adjacent words as one; otherwise an equal share of the boost for each word that is
 * found.
 */
function allOrEach(
  words: readonly string[],
  any: (query: string) => QueryClause,
  within: readonly string[],
): QueryClause[] {
  const counting = countingWords(words);
  const head = headNounAmong(counting);
  const weight = tuning.allWords / counting.length;
  const each = counting.flatMap((word) =>
    word === head
      ? [any(word), withHeadNoun(word, counting, weight, within)]
      : clausesOfWord(word, any, weight, within),
  );
  const asOne = writtenForms(words.join(' '), within).slice(1);
  if (asOne.length === 0) return each;
  const all = { constant_score: { filter: { bool: { should: asOne } }, boost: tuning.allWords } };
  return [{ dis_max: { queries: [{ bool: { should: each } }, all] } }];
}

/**
 * The word of a text that names the kind of thing; undefined if none does. A text of a single word has no
 * head noun.
 */
function headNounAmong(words: readonly string[]): string | undefined {
  const kinds = words.length > 1 ? kindsOf(words.join(' '), null) : [];
  return words.findLast((word) => kinds.includes(kindsOf(word, null)[0] ?? ''));
}

/**
 * A clause for the listings with the head noun of a text. Like that of any other word, its boost is a share of the boost for
 * all words, so that listings with more words come first. Half of it is added for listings that are what the noun names: a
 * listing of something else that the text names, such as a phone for "phone charger", must have the head noun in its name,
 * because its description may mention a charger that is included.
 */
function withHeadNoun(
  head: string,
  words: readonly string[],
  boost: number,
  within: readonly string[],
): QueryClause {
  const others = words.filter((word) => word !== head).join(' ');
  const contained = { bool: { should: writtenForms(head, within) } };
  const should: QueryClause[] = [
    ...writtenForms(head, tuning.namingFields),
    { match: { 'internal.kinds': { query: head, operator: 'and' } } },
    { bool: { must: [contained], must_not: [{ match: { 'internal.kinds': others } }] } },
  ];
  const itself: QueryClause = {
    bool: {
      should: [
        { constant_score: { filter: contained, boost } },
        { constant_score: { filter: { bool: { should } }, boost: boost / 2 } },
      ],
    },
  };
  const alike = accessorySynonyms(head).join(' ');
  if (alike === '') return itself;
  // Things with the same purpose as the head noun match at a lower boost: for "camera bag", a camera case should come before
  // bags of tea, and after everything with both words.
  const serves: QueryClause = {
    bool: {
      must: [
        { match: { 'internal.kinds': alike } },
        { combined_fields: { query: others, fields: [...within] } },
      ],
    },
  };
  return { dis_max: { queries: [itself, { constant_score: { filter: serves, boost: (3 / 4) * boost } }] } };
}

/**
 * The clauses that score one word. A word of several parts, such as "wi-fi", counts only if all parts are
 * found.
 */
function clausesOfWord(
  word: string,
  any: (query: string) => QueryClause,
  weight: number,
  within: readonly string[],
): QueryClause[] {
  if (SIMPLE.test(word)) {
    return [{ function_score: { query: any(word), functions: [{ weight }], boost_mode: 'sum' } }];
  }
  return [any(word), allWords(word, weight, within)];
}
