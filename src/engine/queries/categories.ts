import type { estypes } from '@elastic/elasticsearch';

/**
 * The number of categories that one request counts. With price statistics, each category has several
 * buckets, so fewer categories fit into the maximum number of buckets that Elasticsearch allows.
 */
const PAGE = 10_000;
const PAGE_WITH_PRICES = 1_000;

/** The key of the last category on a page. The next page starts after it. */
export type AfterKey = Record<string, estypes.FieldValue>;

/**
 * A page of the categories with their counts. The composite aggregation is exact for any number of categories, and because of
 * `size: 0` the shards cache the answer.
 */
export function categoriesRequest(withPrices: boolean, after?: AfterKey): estypes.SearchRequest {
  return {
    size: 0,
    track_total_hits: false,
    allow_partial_search_results: false,
    request_cache: true,
    aggs: {
      categories: {
        composite: {
          size: withPrices ? PAGE_WITH_PRICES : PAGE,
          sources: [{ name: { terms: { field: 'category' } } }],
          ...(after === undefined ? {} : { after }),
        },
        ...(withPrices ? { aggs: { currencies: PRICES_BY_CURRENCY } } : {}),
      },
    },
  };
}

/**
 * An aggregation of the lowest, median and highest price in each currency, in units of that currency.
 * Listings without a price are ignored.
 */
const PRICES_BY_CURRENCY: estypes.AggregationsAggregationContainer = {
  terms: { field: 'currency', size: 200, order: { _key: 'asc' } },
  aggs: {
    min: { min: { field: 'internal.price_units' } },
    median: { percentiles: { field: 'internal.price_units', percents: [50], keyed: false } },
    max: { max: { field: 'internal.price_units' } },
  },
};
