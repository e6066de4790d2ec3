import type { estypes } from '@elastic/elasticsearch';
import { SEARCH_TUNING, type SearchTuning } from './tuning.js';

type Query = estypes.QueryDslQueryContainer;

/**
 * The scoring part of a search: listings with any word of `q`, those with all of them first, and before them those
 * whose SKU, GTIN or model number `q` is. Text without a letter or digit matches nothing.
 * @param q the shopper's text as typed; any characters, any length.
 */
export function searchText(q: string, tuning: SearchTuning = SEARCH_TUNING): Query {
  const words = q.split(/\s+/).filter((word) => word !== '');
  const text = words.slice(0, tuning.maxWords).join(' ');
  const any: Query = { combined_fields: { query: text, fields: weightedFields(tuning) } };
  if (words.length > tuning.maxLookupWords) return any;
  return {
    bool: {
      should: [
        any,
        allWords(text, tuning, tuning.allWords),
        { match: { name: { query: text, analyzer: 'product_pairs', boost: tuning.pairs } } },
        { match: { 'name.codes': { query: text, boost: tuning.codes } } },
        { match: { 'internal.identifiers.codes': { query: text, boost: tuning.identifierPart } } },
        { term: { 'internal.identifiers': { value: text, boost: tuning.identifier } } },
      ],
    },
  };
}

/** Listings in which every word of `text` is found, in whatever fields; each scores `boost`. */
export function allWords(text: string, tuning: SearchTuning, boost: number): Query {
  const filter: Query = { combined_fields: { query: text, fields: weightedFields(tuning), operator: 'and' } };
  return { constant_score: { filter, boost } };
}

function weightedFields(tuning: SearchTuning): string[] {
  return Object.entries(tuning.fields).map(([field, weight]) => `${field}^${weight}`);
}
