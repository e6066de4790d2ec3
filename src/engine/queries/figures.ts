import type { estypes } from '@elastic/elasticsearch';

/** Each is a series of its own in Prometheus; those with the most listings are told of. */
const SOURCES = 200;

const counted = { size: 0, track_total_hits: false, allow_partial_search_results: false } as const;

/** When each source last brought a listing, a change or a check, and in how many currencies prices are. */
export const figuresRequest: estypes.SearchRequest = {
  ...counted,
  request_cache: true,
  aggs: {
    currencies: { cardinality: { field: 'currency' } },
    sources: {
      terms: { field: 'source', size: SOURCES },
      aggs: {
        changed: { max: { field: 'updated_at' } },
        observed: { max: { field: 'internal.observed_at' } },
      },
    },
  },
};

/** When a load of each source last came to its end. Of a load of several, each has an event of its own. */
export const loadsRequest: estypes.SearchRequest = {
  ...counted,
  query: {
    bool: {
      filter: [{ terms: { 'event.action': ['load', 'source'] } }, { term: { 'event.outcome': 'success' } }],
    },
  },
  aggs: {
    sources: {
      terms: { field: 'catalog.load.source', size: SOURCES },
      aggs: { last: { max: { field: '@timestamp' } } },
    },
  },
};
