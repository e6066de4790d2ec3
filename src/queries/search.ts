import type { estypes } from '@elastic/elasticsearch';
import { SEARCH_TUNING, type SearchTuning } from './tuning.js';

type Query = estypes.QueryDslQueryContainer;

/**
 * The scoring part of a search: listings with any word of `q`, those with all of them first, and before them those
 * whose SKU, GTIN or model number `q` is. Text without a letter or digit matches nothing.
 * @param q the shopper's text as typed; any characters, any length.
 */
export function searchText(q: string, tuning: SearchTuning = SEARCH_TUNING): Query {
  const words = wordsOf(q).slice(0, tuning.maxWords);
  const text = words.join(' ');
  const any: Query = { combined_fields: { query: text, fields: weightedFields(tuning) } };
  if (words.length > tuning.maxLookupWords) return any;
  return {
    bool: {
      should: [
        any,
        allWords(text, tuning.allWords, tuning),
        { match: { name: { query: pairs(words).join(' '), boost: tuning.pairs } } },
        { match: { 'name.codes': { query: text, boost: tuning.codes } } },
        { match: { 'internal.identifiers.codes': { query: text, boost: tuning.identifierPart } } },
        { term: { 'internal.identifiers': { value: text, boost: tuning.identifier } } },
      ],
    },
  };
}

/**
 * Listings in which every word of `q` is found, in whatever fields, be it with two neighbours written as one word
 * ("wi fi router" and "wi-fi router" are in "WiFi router"). Each scores `boost`.
 */
export function allWords(q: string, boost: number, tuning: SearchTuning = SEARCH_TUNING): Query {
  const words = wordsOf(q).flatMap((word) => word.split('-'));
  const spellings = [q];
  if (words.length <= tuning.maxJoinedWords) {
    pairs(words).forEach((pair, i) => {
      spellings.push([...words.slice(0, i), pair, ...words.slice(i + 2)].join(' '));
    });
  }
  const should = spellings.map((query): Query => ({
    combined_fields: { query, fields: weightedFields(tuning), operator: 'and' },
  }));
  return { constant_score: { filter: { bool: { should } }, boost } };
}

/** Every two neighbours as one word. */
function pairs(words: readonly string[]): string[] {
  return words.slice(1).map((word, i) => `${words[i] ?? ''}${word}`);
}

function wordsOf(q: string): string[] {
  return q.split(/\s+/).filter((word) => word !== '');
}

function weightedFields(tuning: SearchTuning): string[] {
  return Object.entries(tuning.fields).map(([field, weight]) => `${field}^${weight}`);
}
