import type { estypes } from '@elastic/elasticsearch';

/** What selects and orders listings; `sort` ends with id, so that the order is total. */
export interface Selection {
  query: estypes.QueryDslQueryContainer;
  sort: estypes.Sort;
  suggest?: estypes.SearchSuggester;
  /** What is counted among the listings, before `post_filter`. */
  aggs?: Record<string, estypes.AggregationsAggregationContainer>;
  /** What leaves listings out of the answer, and not out of what is counted beside it. */
  post_filter?: estypes.QueryDslQueryContainer;
}

/** Which part of the answer is wanted. */
export interface Slice {
  limit: number;
  offset: number;
}

/** Where a snapshot is read: the alias as it is now, or a point in time. */
export type Place = { index: string; request_cache?: true } | { pit: estypes.SearchPointInTimeReference };
