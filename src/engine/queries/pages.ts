import type { estypes } from '@elastic/elasticsearch';
import { PRODUCT_FIELDS } from '../../schemas/product.js';
import type { Selection } from './selection.js';

/**
 * How many hits one request may reach into (`index.max_result_window` of the mapping). Memory and time of a
 * request grow with it, so deeper pages are reached in hops of this size instead.
 */
export const WINDOW = 50_000;

/** What of the listings answers show. */
export const PUBLIC_SOURCE: estypes.SearchSourceConfig = { excludes: ['internal'] };

/** What feeds for others are made of. */
export const PARTNER_SOURCE: estypes.SearchSourceConfig = {
  includes: [...PRODUCT_FIELDS, 'internal.gtins', 'internal.list_price'],
};

/** The order of an export. */
const BY_ID: estypes.Sort = [{ id: 'asc' }];

/** Where a page begins: so many listings from the first, or after the one with these sort keys. */
export type Beginning = { from: number } | { search_after: estypes.SortResults };

/** What every page asks for besides its selection. */
const EXACT = { track_total_hits: true, allow_partial_search_results: false } as const;

/** One page of listings with what the service keeps beside them, and the exact total. */
export const storedPageRequest = (selection: Selection, beginning: Beginning, limit: number) => ({
  ...selection,
  ...beginning,
  ...EXACT,
  size: limit,
});

/** One page of listings in their public shape, and the exact total. */
export const pageRequest = (selection: Selection, beginning: Beginning, limit: number) => ({
  ...storedPageRequest(selection, beginning, limit),
  _source: PUBLIC_SOURCE,
});

/** A hop on the way to a deep page: sort keys alone, of the first hop those of its last listing and the total. */
export const hopRequest = (
  { query, sort, post_filter }: Selection,
  size: number,
  after?: estypes.SortResults,
): estypes.SearchRequest => ({
  query,
  sort,
  ...(post_filter === undefined ? {} : { post_filter }),
  ...(after === undefined ? { from: size - 1, size: 1 } : { search_after: after, size }),
  // Not even their names are looked up.
  stored_fields: '_none_',
  _source: false,
  track_total_hits: after === undefined,
  allow_partial_search_results: false,
});

/** The first listings of a query in their public shape, and the exact total; one of several in a request. */
export const firstRequest = (
  query: estypes.QueryDslQueryContainer,
  { sort, size }: Pick<Selection, 'sort'> & { size: number },
): estypes.SearchSearchRequestBody => ({ query, sort, size, track_total_hits: true, _source: PUBLIC_SOURCE });

/** What an export reads: all that match, by id. */
export const exportSelection = (query: estypes.QueryDslQueryContainer): Selection => ({ query, sort: BY_ID });

/** The page of an export after the listing with this id; how many there are is known by then. */
export const nextExportRequest = (
  query: estypes.QueryDslQueryContainer,
  {
    after,
    size,
    source = PUBLIC_SOURCE,
  }: { after: number; size: number; source?: estypes.SearchSourceConfig },
) => ({
  ...exportSelection(query),
  size,
  search_after: [after],
  track_total_hits: false,
  allow_partial_search_results: false,
  _source: source,
});
