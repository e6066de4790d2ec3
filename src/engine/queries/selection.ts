import type { estypes } from '@elastic/elasticsearch';
import { PRODUCT_FIELDS } from '../../schemas/product.js';

export type QueryClause = estypes.QueryDslQueryContainer;

/** The maximum of `track_total_hits`, which is an `int` of Java. An index cannot have more listings in a shard. */
const MAX_COUNTED = 2 ** 31 - 1;

/** The options of a search request that only counts listings and returns no hits. */
export const COUNTS = { size: 0, track_total_hits: false, allow_partial_search_results: false } as const;

/** The options of a search request that only counts listings, and whose answer Elasticsearch may take from its cache. */
export const CACHED_COUNTS = { ...COUNTS, request_cache: true } as const;

export type AggregationRequests = Record<string, estypes.AggregationsAggregationContainer>;

/** A query and the sort order of its listings, which ends with the id, so that the order is total. */
export interface Selection {
  query: QueryClause;
  sort: estypes.Sort;
  suggest?: estypes.SearchSuggester;
  /** Aggregations over the listings that match the query, before `post_filter` is applied. */
  aggs?: AggregationRequests;
  /** A filter that applies to the hits, but not to the aggregations. */
  post_filter?: QueryClause;
}

/** Whether a listing must contain all significant words of the query text, or any of them. */
export type MatchMode = 'any' | 'all';

export interface Slice {
  limit: number;
  offset: number;
}

/** Where listings are searched: behind an alias, or in a point in time. */
export type SearchTarget =
  { index: string; request_cache?: true } | { pit: estypes.SearchPointInTimeReference };

/** The current catalogue, with the request cache of Elasticsearch, which is never stale. */
export const currentCatalogue = (index: string): SearchTarget => ({ index, request_cache: true });

/** The maximum of offset and limit together in one request (`index.max_result_window` of the mapping). */
export const MAX_RESULT_WINDOW = 50_000;

/** The `_source` option that returns a listing in its public shape, without internal fields. */
export const PUBLIC_SOURCE: estypes.SearchSourceConfig = { excludes: ['internal'] };

/** The stored fields of a listing from which feeds for partners are made. */
export const PARTNER_SOURCE: estypes.SearchSourceConfig = {
  includes: [...PRODUCT_FIELDS, 'internal.gtins', 'internal.list_price', 'internal.condition'],
};

/**
 * Scores by the statistics of terms in all shards, so that the order by relevance does not depend on which shard contains a
 * listing. With only one shard, Elasticsearch ignores this option, which then costs nothing.
 */
export const SCORED_GLOBALLY = { search_type: 'dfs_query_then_fetch' } as const;

/** `SCORED_GLOBALLY` if the hits are sorted by score. Otherwise nothing, because the option would only cost time. */
export const scoredGlobally = (sort: estypes.Sort | undefined): Partial<typeof SCORED_GLOBALLY> =>
  [sort ?? []].flat().some((key) => key === '_score' || (typeof key === 'object' && '_score' in key))
    ? SCORED_GLOBALLY
    : {};

/** Combines clauses in a `bool` clause, of which any (`should`) or each (`filter`) must match. A single clause stays as it is. */
export function combined(how: 'should' | 'filter', clauses: QueryClause[]): QueryClause {
  const [only] = clauses;
  return clauses.length === 1 && only !== undefined ? only : { bool: { [how]: clauses } };
}

/** The start of a page of results: an offset, or the sort keys of the listing before the page. */
export type PageStart = { from: number } | { search_after: estypes.SortResults };

/** A request for a page of listings with their internal fields, and for the exact total. */
export const storedPageRequest = (selection: Selection, start: PageStart, limit: number) => ({
  ...selection,
  ...start,
  ...scoredGlobally(selection.sort),
  track_total_hits: true as const,
  allow_partial_search_results: false as const,
  size: limit,
});

/** A request for a page of listings in their public shape, and for the exact total. */
export const pageRequest = (selection: Selection, start: PageStart, limit: number) => ({
  ...storedPageRequest(selection, start, limit),
  _source: PUBLIC_SOURCE,
});

/** A clause for the listings that are near-identical to a better one of their owner. */
export const CROWD: QueryClause = { term: { 'internal.crowd': true } };

/**
 * A request for one hop on the way to a page at a deep offset. The first hop reads the sort keys of a single listing and
 * counts the listings up to the offset; later hops read the sort keys of `size` listings.
 */
export const hopRequest = (
  { query, sort, post_filter }: Selection,
  size: number,
  start: PageStart,
): estypes.SearchRequest => ({
  query,
  sort,
  ...scoredGlobally(sort),
  ...(post_filter === undefined ? {} : { post_filter }),
  ...('from' in start
    ? { from: size - 1, size: 1, track_total_hits: Math.min(start.from + 1, MAX_COUNTED) }
    : { ...start, size, track_total_hits: false }),
  // This option prevents Elasticsearch from loading the stored fields of each hit, which it does to return `_id`.
  stored_fields: '_none_',
  _source: false,
  allow_partial_search_results: false,
});

/** A request for the first listings of a query, and for the exact total, in a multi-search request. */
export const firstListingsRequest = (
  query: QueryClause,
  {
    sort,
    size,
    source = PUBLIC_SOURCE,
  }: Pick<Selection, 'sort'> & { size: number; source?: estypes.SearchSourceConfig | undefined },
): estypes.SearchSearchRequestBody => ({ query, sort, size, track_total_hits: true, _source: source });

/** The query of an export, and its sort order, which is by id only. */
export const exportSelection = (query: QueryClause): Selection => ({ query, sort: [{ id: 'asc' }] });

/** A request for the page of an export that follows the listing with the id `after`, without the total. */
export const nextExportRequest = (
  query: QueryClause,
  { after, size, source }: { after: number; size: number; source: estypes.SearchSourceConfig },
) => ({
  ...exportSelection(query),
  size,
  search_after: [after],
  track_total_hits: false,
  allow_partial_search_results: false,
  _source: source,
});
