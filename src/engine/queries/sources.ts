import type { estypes } from '@elastic/elasticsearch';
import { freshnessFilters } from './freshness.js';

/** More are not told apart. */
const SOURCES = 5_000;

/** Every source with its listings, by when they were checked last, and when it last brought anything. */
export function sourcesRequest(now: Date): estypes.SearchRequest {
  return {
    size: 0,
    track_total_hits: false,
    allow_partial_search_results: false,
    aggs: {
      sources: {
        terms: { field: 'source', size: SOURCES },
        aggs: {
          changed: { max: { field: 'updated_at' } },
          observed: { max: { field: 'internal.observed_at' } },
          freshness: freshnessFilters(now),
        },
      },
    },
  };
}

/** The codes of all sources alone. */
export const sourceCodesRequest: estypes.SearchRequest = {
  size: 0,
  track_total_hits: false,
  allow_partial_search_results: false,
  request_cache: true,
  aggs: { sources: { terms: { field: 'source', size: SOURCES } } },
};

/** The commonest currencies, more than any catalogue prices in, the commonest first. */
export const currenciesRequest: estypes.SearchRequest = {
  size: 0,
  track_total_hits: false,
  allow_partial_search_results: false,
  request_cache: true,
  aggs: { currencies: { terms: { field: 'currency', size: 200 } } },
};

/** A page of the brands that begin with a text, those with the most listings first. */
export function brandsRequest(
  prefix: string,
  { limit, offset }: { limit: number; offset: number },
): estypes.SearchRequest {
  return {
    size: 0,
    track_total_hits: false,
    allow_partial_search_results: false,
    request_cache: true,
    query: { prefix: { 'internal.brand': prefix } },
    aggs: {
      distinct: { cardinality: { field: 'internal.brand', precision_threshold: 40_000 } },
      brands: {
        terms: { field: 'internal.brand', size: offset + limit },
        aggs: {
          written: { terms: { field: 'brand.written', size: 1 } },
          page: { bucket_sort: { from: offset, size: limit } },
        },
      },
    },
  };
}
