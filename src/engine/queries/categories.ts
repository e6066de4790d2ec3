import type { estypes } from '@elastic/elasticsearch';
import { CACHED_COUNTS } from './selection.js';

/** The number of categories in one answer. With prices, each has several buckets, whose number Elasticsearch limits. */
const PAGE = 10_000;
const PAGE_WITH_PRICES = 1_000;

/** The first page of the categories with their counts, which are exact for any number of categories. */
export function categoriesRequest(withPrices: boolean): estypes.SearchRequest {
  return {
    ...CACHED_COUNTS,
    aggs: {
      categories: {
        composite: {
          size: withPrices ? PAGE_WITH_PRICES : PAGE,
          sources: [{ name: { terms: { field: 'category' } } }],
        },
        ...(withPrices ? { aggs: { currencies: PRICES_BY_CURRENCY } } : {}),
      },
    },
  };
}

/** The lowest, median and highest price in each currency, in units of that currency. */
const PRICES_BY_CURRENCY: estypes.AggregationsAggregationContainer = {
  terms: { field: 'currency', size: 200, order: { _key: 'asc' } },
  aggs: {
    min: { min: { field: 'internal.price_units' } },
    median: { percentiles: { field: 'internal.price_units', percents: [50], keyed: false } },
    max: { max: { field: 'internal.price_units' } },
  },
};
