import type { estypes } from '@elastic/elasticsearch';
import type { Freshness } from '../../schemas/quality.js';
import { CACHED_COUNTS, COUNTS } from './selection.js';
import { DAY_MS } from '../../listing/instant.js';

const MAX_SOURCES = 5_000;

/** Aggregations that count the listings of a source by the time since they were last seen. */
export function freshnessFilters(now: Date): estypes.AggregationsAggregationContainer {
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS).toISOString();
  const seen = (range: { gte?: string; lt?: string }) => ({ range: { 'internal.observed_at': range } });
  const filters: Record<keyof Freshness, estypes.QueryDslQueryContainer> = {
    day: seen({ gte: ago(1) }),
    week: seen({ gte: ago(7), lt: ago(1) }),
    month: seen({ gte: ago(30), lt: ago(7) }),
    older: seen({ lt: ago(30) }),
    never: { bool: { must_not: { exists: { field: 'internal.observed_at' } } } },
  };
  return { filters: { filters } };
}

/** Aggregations of the times when listings last changed and when their price was last observed. */
const LAST_SEEN = {
  changed: { max: { field: 'updated_at' } },
  observed: { max: { field: 'internal.observed_at' } },
};

/** A request for all sources, with the freshness of their listings and their last change and observation. */
export const sourcesRequest = (now: Date): estypes.SearchRequest => ({
  ...COUNTS,
  aggs: {
    sources: {
      terms: { field: 'source', size: MAX_SOURCES },
      aggs: { ...LAST_SEEN, freshness: freshnessFilters(now) },
    },
  },
});

/** A request for the codes of all sources in the catalogue. */
export const sourceCodesRequest: estypes.SearchRequest = {
  ...CACHED_COUNTS,
  aggs: { sources: { terms: { field: 'source', size: MAX_SOURCES } } },
};

/** A request for one page of the brands that start with one of several prefixes. Brands with more listings come first. */
export function brandsRequest(
  prefixes: readonly string[],
  { limit, offset }: { limit: number; offset: number },
): estypes.SearchRequest {
  return {
    ...CACHED_COUNTS,
    query: { bool: { should: prefixes.map((prefix) => ({ prefix: { 'internal.brand': prefix } })) } },
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

/** The maximum number of sources with metrics, each of which is a time series in Prometheus. */
const MAX_MEASURED_SOURCES = 200;

/** A request for the last change and observation of each source, and the number of currencies. */
export const figuresRequest: estypes.SearchRequest = {
  ...CACHED_COUNTS,
  aggs: {
    currencies: { cardinality: { field: 'currency' } },
    sources: { terms: { field: 'source', size: MAX_MEASURED_SOURCES }, aggs: LAST_SEEN },
  },
};

/** A request for the time at which the last successful load of each source ended. */
export const loadsRequest: estypes.SearchRequest = {
  ...COUNTS,
  query: {
    bool: {
      filter: [{ terms: { 'event.action': ['load', 'source'] } }, { term: { 'event.outcome': 'success' } }],
    },
  },
  aggs: {
    sources: {
      terms: { field: 'catalog.load.source', size: MAX_MEASURED_SOURCES },
      aggs: { last: { max: { field: '@timestamp' } } },
    },
  },
};
