import type { estypes } from '@elastic/elasticsearch';

/** Buckets a request; with price statistics each has several of its own, so fewer fit under the engine's limit. */
const PAGE = 10_000;
const PAGE_WITH_PRICES = 1_000;

/** The key after which the next page of categories begins. */
export type AfterKey = Record<string, estypes.FieldValue>;

/**
 * One page of the categories with their counts; `size: 0`, so the shards cache it.
 * A composite aggregation, because it is exact and goes on however many there are.
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

/** Lowest, median and highest price of each currency, in units; listings without a price take no part. */
const PRICES_BY_CURRENCY: estypes.AggregationsAggregationContainer = {
  terms: { field: 'currency', size: 200, order: { _key: 'asc' } },
  aggs: {
    min: { min: { field: 'internal.price_units' } },
    median: { percentiles: { field: 'internal.price_units', percents: [50], keyed: false } },
    max: { max: { field: 'internal.price_units' } },
  },
};
