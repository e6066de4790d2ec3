import type { estypes } from '@elastic/elasticsearch';
import { gtinOf } from '../listing/gtin.js';
import { SEARCH_TUNING, type SearchTuning } from './tuning.js';

type Query = estypes.QueryDslQueryContainer;

/**
 * The scoring part of a search: listings with any word of `q`, those with all of them first, and before them those
 * whose SKU, GTIN or model number `q` is. Text without a letter or digit matches nothing.
 * @param q the shopper's text as typed; any characters, any length.
 */
export function searchText(q: string, tuning: SearchTuning = SEARCH_TUNING): Query {
  return { bool: { should: [...wordClauses(q, tuning), identified(q, tuning)] } };
}

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

/** Listings with any word of `q`, those with all of them first. Each clause adds to the score. */
export function wordClauses(q: string, tuning: SearchTuning): Query[] {
  const words = wordsOf(q, tuning);
  const text = words.join(' ');
  const gtins = words.flatMap((word) => gtinOf(word) ?? []).filter((gtin) => !words.includes(gtin));
  const withGtins = [...words, ...gtins].join(' ');
  const any: Query = { combined_fields: { query: withGtins, fields: weightedFields(tuning) } };
  if (words.length > tuning.maxLookupWords || partsOf(text).length > tuning.maxLookupParts) return [any];
  return [
    any,
    allWords(text, tuning.allWords, tuning),
    { match: { name: { query: pairs(words).join(' '), boost: tuning.pairs } } },
    { match: { 'name.codes': { query: text, boost: tuning.codes } } },
    { match: { 'internal.identifiers.codes': { query: withGtins, boost: tuning.identifierPart } } },
  ];
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

/** Listings as `allWords` has them, and those that `q` identifies; for filters, where nothing scores. */
export function hasAllWords(q: string, tuning: SearchTuning = SEARCH_TUNING): Query {
  return { bool: { should: [...spellings(q, tuning), identified(q, tuning)] } };
}

/** Listings in which every word of `q` is found in these fields, be it with neighbours written as one word. */
export function withWords(
  q: string,
  fields: readonly string[] = weightedFields(SEARCH_TUNING),
  tuning: SearchTuning = SEARCH_TUNING,
): Query {
  return { bool: { should: spellings(q, tuning, fields) } };
}

/** Every word of `q`, as typed, with neighbours as one word, and with each GTIN as listings have it. */
function spellings(
  q: string,
  tuning: SearchTuning,
  fields: readonly string[] = weightedFields(tuning),
): Query[] {
  const typed = wordsOf(q, tuning);
  const words = typed.flatMap((word) => word.split('-').filter((part) => part !== ''));
  const texts = new Set([
    typed.join(' '),
    ...(words.length <= tuning.maxJoinedWords ? joined(words) : []),
    typed.map((word) => gtinOf(word) ?? word).join(' '),
  ]);
  return [...texts].map((query) => ({
    combined_fields: { query, fields: [...fields], operator: 'and' },
  }));
}

/** The text with two neighbours as one word, or with up to four where they have a digit and may be a model number. */
function joined(words: readonly string[]): string[] {
  const texts: string[] = [];
  for (let start = 0; start < words.length; start += 1) {
    for (let end = start + 2; end <= Math.min(start + 4, words.length); end += 1) {
      const word = words.slice(start, end).join('');
      if (end - start > 2 && !/\d/.test(word)) continue;
      texts.push([...words.slice(0, start), word, ...words.slice(end)].join(' '));
    }
  }
  return texts;
}

/** Every two neighbours as one word. */
function pairs(words: readonly string[]): string[] {
  return words.slice(1).map((word, i) => `${words[i] ?? ''}${word}`);
}

/**
 * The words that are looked at: at most so many, and of so many parts in all. A word without a blank may be hundreds
 * of terms to the engine, an ideograph being one, and the engine refuses a query of too many.
 */
function wordsOf(q: string, { maxWords, maxParts }: SearchTuning): string[] {
  const last = partsOf(q)[maxParts - 1];
  const text = last === undefined ? q : q.slice(0, last.index + last[0].length);
  return text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, maxWords);
}

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
