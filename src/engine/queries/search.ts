import type { estypes } from '@elastic/elasticsearch';
import { accessoriesLike } from '../../text/accessories.js';
import { gtinOf } from '../../listing/gtin.js';
import { kindsOf } from '../../text/head.js';
import { visibleText } from '../../text/clean.js';
import { joinedPairs, withJoined } from './joined-words.js';
import { isStopWord, withoutFillers, withoutParticles } from '../../text/stop-words.js';
import { SEARCH_TUNING, type SearchTuning } from './tuning.js';
import { inOtherUnits } from '../../text/units.js';

type Query = estypes.QueryDslQueryContainer;

/**
 * The scoring part of a search: listings with any word of `q`, those with all of them first, and before them those
 * whose SKU, GTIN or model number `q` is. Text without a letter or digit matches nothing.
 * @param q the words that are looked for; any characters, any length.
 * @param typed the shopper's text as typed, of which they are: it may be an identifier.
 */
export function searchText(q: string, typed = q, tuning: SearchTuning = SEARCH_TUNING): Query {
  return { bool: { should: [...wordClauses(q, tuning), identified(typed, tuning)] } };
}

/** Listings in which these words stand one after the other. */
export const withPhrase = (query: string): Query => ({
  multi_match: {
    query,
    type: 'phrase',
    fields: Object.keys(SEARCH_TUNING.fields),
    analyzer: 'product_query_as_typed',
  },
});

/**
 * What finds a listing by its name, with other shops' offers of it before more of its own shop's: the shop has named
 * its own listings alike. The listing itself stays the first.
 */
export function withOtherShops(
  named: Query,
  { id, source }: { id: number; source: string },
  tuning: SearchTuning = SEARCH_TUNING,
): Query {
  const others: Query = { bool: { must_not: [{ term: { source } }] } };
  const favoured: Query = {
    function_score: { query: named, functions: [{ filter: others, weight: tuning.otherShops }] },
  };
  const itself: Query = {
    constant_score: { filter: { term: { id } }, boost: 2 * tuning.otherShops * tuning.identifier },
  };
  return { bool: { must: [favoured], should: [itself] } };
}

/** Listings with any word of `q`, those with more of them first. Each clause adds to the score. */
export function wordClauses(q: string, tuning: SearchTuning): Query[] {
  const words = wordsOf(q, tuning);
  const text = words.join(' ');
  const gtins = words.flatMap((word) => gtinOf(word) ?? []).filter((gtin) => !words.includes(gtin));
  const withGtins = [...words, ...gtins].join(' ');
  const any = (query: string): Query => ({ combined_fields: { query, fields: weightedFields(tuning) } });
  if (words.length > tuning.maxLookupWords || partsOf(text).length > tuning.maxLookupParts)
    return [any(withGtins)];
  const kinds = kindsOf(withoutFillers(text), null).join(' ');
  return [
    ...allOrEach(words, any, tuning),
    ...(gtins.length > 0 ? [any(gtins.join(' '))] : []),
    { constant_score: { filter: { match: { 'internal.kinds': kinds } }, boost: tuning.kind } },
    { match: { name: { query: joinedPairs(words).join(' '), boost: tuning.pairs } } },
    { match: { 'name.codes': { query: text, boost: tuning.codes } } },
    { match: { 'internal.identifiers.codes': { query: withGtins, boost: tuning.identifierPart } } },
  ];
}

/**
 * What the words score, and an equal part of `allWords` for each that is found; all of it where neighbours are one word
 * in the listing.
 */
function allOrEach(words: readonly string[], any: (query: string) => Query, tuning: SearchTuning): Query[] {
  const counting = countingWords(words);
  const head = headAmong(counting);
  const weight = tuning.allWords / counting.length;
  const each = counting.flatMap((word) =>
    word === head
      ? [any(word), ofTheThing(word, counting, weight, tuning)]
      : counted(word, any, weight, tuning),
  );
  const asOne = spellings(words.join(' '), tuning).slice(1);
  if (asOne.length === 0) return each;
  const all = { constant_score: { filter: { bool: { should: asOne } }, boost: tuning.allWords } };
  return [{ dis_max: { queries: [{ bool: { should: each } }, all] } }];
}

/** Marks alone, of which analysis makes nothing. */
const MARKS = /^[^\p{L}\p{N}]+$/u;
const NUMBER = /^\d[\d.,]*$/;
const UNIT =
  /^(?:in|inch|inches|[tgmk]b|ml|cl|l|lit(?:re|er)s?|kg|g|grams?|mg|mm|cm|m|ft|oz|lbs?|k?w|watts?|v|m?ah|[kmg]?hz|mp|dpi|rpm|btu)$/i;

/** The words that count: a number with its unit is one word; marks and stop words are left out. */
function countingWords(words: readonly string[]): string[] {
  const counting: string[] = [];
  for (const word of withoutStopWords(words)) {
    const before = counting.at(-1) ?? '';
    if (UNIT.test(word) && NUMBER.test(before)) counting.splice(-1, 1, `${before} ${word}`);
    else if (!MARKS.test(word)) counting.push(word);
  }
  return counting;
}

/** A text of stop words alone is searched for as it is: "it", "The Who". */
function withoutStopWords(words: readonly string[]): string[] {
  // An article stands before its noun: the last word of "vitamin a" and "usb a" is a name.
  const named = words.filter((word, at) => at === words.length - 1 && at > 0 && /^a$/i.test(word));
  const left = [...stopWordsDropped(words), ...named];
  return left.some((word) => !MARKS.test(word)) ? left : [...words];
}

/** "in" after a number is a unit, not a stop word. */
const stopWordsDropped = (words: readonly string[]): string[] =>
  words.filter((word, at) => !isStopWord(word) || (UNIT.test(word) && NUMBER.test(words[at - 1] ?? '')));

/** The words of a text of which each counts. */
export const wordQueries = (text: string): string[] => countingWords(wordsOf(text, SEARCH_TUNING));

/** Listings with this word, wherever it may stand. */
export const withWord = (word: string): Query => ({ bool: { should: spellings(word, SEARCH_TUNING) } });

/** For each word of a text the listings with it, be it as one word with a neighbour: "fi" of "wi fi" in "WiFi". */
export function withEachWord(text: string): { word: string; query: Query }[] {
  const words = wordQueries(text);
  return words.map((word, at) => {
    const joined = [words.slice(Math.max(0, at - 1), at + 1), words.slice(at, at + 2)]
      .filter((pair) => pair.length === 2)
      .map((pair) => pair.join(''));
    const should = [word, ...joined].flatMap((one) => spellings(one, SEARCH_TUNING));
    return { word, query: { bool: { should } } };
  });
}

/** The word of a text that says what the thing is; a word alone says nothing else. */
function headAmong(words: readonly string[]): string | undefined {
  const kinds = words.length > 1 ? kindsOf(words.join(' '), null) : [];
  return words.findLast((word) => kinds.includes(kindsOf(word, null)[0] ?? ''));
}

/**
 * Listings with the word that says what is asked for. What is another thing that the text names, a phone where a phone
 * charger is asked for, has it only if it is called so: its description tells what it goes with, or lacks.
 */
function ofTheThing(head: string, words: readonly string[], boost: number, tuning: SearchTuning): Query {
  const others = words.filter((word) => word !== head).join(' ');
  const should: Query[] = [
    ...spellings(head, tuning, tuning.namingFields),
    { match: { 'internal.kinds': { query: head, operator: 'and' } } },
    {
      bool: {
        must: [{ bool: { should: spellings(head, tuning) } }],
        must_not: [{ match: { 'internal.kinds': others } }],
      },
    },
  ];
  const itself: Query = { constant_score: { filter: { bool: { should } }, boost } };
  const alike = accessoriesLike(head).join(' ');
  if (alike === '') return itself;
  // Where there is no camera bag, a camera case comes before bags of tea.
  const serves: Query = {
    bool: {
      must: [
        { match: { 'internal.kinds': alike } },
        { combined_fields: { query: others, fields: Object.keys(tuning.fields) } },
      ],
    },
  };
  return { dis_max: { queries: [itself, { constant_score: { filter: serves, boost: boost / 2 } }] } };
}

/** A word of several parts scores by each of them, and counts where all are found. */
function counted(word: string, any: (query: string) => Query, weight: number, tuning: SearchTuning): Query[] {
  if (SIMPLE.test(word)) {
    return [{ function_score: { query: any(word), functions: [{ weight }], boost_mode: 'sum' } }];
  }
  return [any(word), allWords(word, weight, tuning)];
}

/** Listings whose SKU, GTIN or model number `q` is, in whatever spelling; a GTIN also with more or fewer zeros before it. */
export function identified(q: string, tuning: SearchTuning): Query {
  const gtin = gtinOf(q);
  return gtin === null
    ? { term: { 'internal.identifiers': { value: q, boost: tuning.identifier } } }
    : { terms: { 'internal.identifiers': [q, gtin], boost: tuning.identifier } };
}

/**
 * Listings in which every word of `q` is found, in whatever fields, be it with neighbours written as one word
 * ("wi fi router" and "wi-fi router" are in "WiFi router", "ax 900 m3" in "AX900M3"). Each scores `boost`.
 */
export function allWords(q: string, boost: number, tuning: SearchTuning): Query {
  return { constant_score: { filter: { bool: { should: spellings(q, tuning) } }, boost } };
}

/**
 * Listings as `allWords` has them, and those that `q` identifies; for filters, where nothing scores.
 * @param unknown words of `wordQueries(q)` that no listing has: they are not asked for, unless `q` has no others.
 */
export function hasAllWords(
  q: string,
  unknown: readonly string[] = [],
  tuning: SearchTuning = SEARCH_TUNING,
): Query {
  const known = unknown.length === 0 ? [] : wordQueries(q).filter((word) => !unknown.includes(word));
  const text = known.length === 0 ? q : known.join(' ');
  return { bool: { should: [...spellings(text, tuning), identified(q, tuning)] } };
}

/**
 * Listings in which every word of one of the texts is found in these fields, be it with neighbours written as one word.
 * Only the first is looked for in other units: the others are guesses of one.
 */
export function withWords([typed = '', ...guessed]: readonly string[], fields: readonly string[]): Query {
  const all = [
    spellings(typed, SEARCH_TUNING, fields),
    ...guessed.map((text) => spellings(text, SEARCH_TUNING, fields, [])),
  ];
  return { bool: { should: all.flat() } };
}

/** Every word of `q`, as typed, with neighbours as one word, with measures apart or in other units, and with each GTIN as listings have it. */
function spellings(
  q: string,
  tuning: SearchTuning,
  fields: readonly string[] = weightedFields(tuning),
  inUnits: readonly string[] = inOtherUnits(wordsOf(q, tuning).join(' ')),
): Query[] {
  const typed = wordsOf(q, tuning);
  const words = typed.flatMap((word) => word.split('-').filter((part) => part !== ''));
  const counting = withoutStopWords(typed);
  const texts = new Set([
    counting.join(' '),
    // Before stop words go: "in ear headphones" are "in-ear headphones".
    ...(words.length <= tuning.maxJoinedWords ? withJoined(words, stopWordsDropped) : []),
    counting.join(' ').replace(MEASURES, ' x'),
    counting.map((word) => gtinOf(word) ?? word).join(' '),
    ...inUnits.map((text) => withoutStopWords(text.split(' ')).join(' ')),
  ]);
  return [...texts].map((query) => ({ combined_fields: { query, fields: [...fields], operator: 'and' } }));
}

/** Between measures: in "14 in. x 20 in." there is `x20`, as a name has its neighbours as one word too. */
const MEASURES = /(?<=\d)x(?=\d)/gi;

/**
 * The words that are looked at: at most so many, and of so many parts in all. A word without a blank may be hundreds
 * of terms to the engine, an ideograph being one, and the engine refuses a query of too many.
 */
function wordsOf(q: string, { maxWords, maxParts }: SearchTuning): string[] {
  const visible = visibleText(q);
  const last = partsOf(visible)[maxParts - 1];
  const text = last === undefined ? visible : visible.slice(0, last.index + last[0].length);
  return withoutParticles(text)
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, maxWords);
}

/** A word that analysis leaves one. */
const SIMPLE =
  /^(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}])[\p{L}\p{M}])+$|^\p{N}+$/u;

/** A character of these scripts is a term of its own to the engine, or half of one. */
const TERM = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const PARTS = new RegExp(`${TERM.source}|(?:(?!${TERM.source})[\\p{L}\\p{M}])+|\\p{N}+`, 'gu');

/** What analysis may make terms of: ideographs and the like, and runs of letters or digits. */
function partsOf(text: string): RegExpExecArray[] {
  return [...text.matchAll(PARTS)];
}

function weightedFields(tuning: SearchTuning): string[] {
  return Object.entries(tuning.fields).map(([field, weight]) => `${field}^${weight}`);
}
