import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import type { ListingBytes } from '../results/passthrough.js';
import { searchBytes } from './bytes.js';

/** A page of hits: the exact total, and the listings in order. */
export interface Found<T> {
  total: number;
  listings: T[];
  /** The engine's answer to `Selection.suggest`. */
  suggest?: estypes.SearchResponse['suggest'];
}

/** What selects and orders listings; `sort` ends with id, so that the order is total. */
export interface Selection {
  query: estypes.QueryDslQueryContainer;
  sort: estypes.Sort;
  suggest?: estypes.SearchSuggester;
}

/** Which part of the answer is wanted. */
export interface Slice {
  limit: number;
  offset: number;
}

/** `_source` of answers that show listings, and of those that need what the service keeps beside them. */
export const PUBLIC_SOURCE: estypes.SearchSourceConfig = { excludes: ['internal'] };

/**
 * How many hits one request may reach into (`index.max_result_window` of the mapping). Memory and time of a
 * request grow with it, so deeper pages are reached in hops of this size instead.
 */
const WINDOW = 50_000;

/** Where a snapshot is read: the alias as it is now, or a point in time. */
export type Place = { index: string; request_cache?: true } | { pit: estypes.SearchPointInTimeReference };

/**
 * One page of listings in their public shape, at any offset. The engine keeps which listings those are until the next
 * refresh that changes anything: popular searches are asked again and again, and an answer is never staler for it.
 */
export async function searchPage(
  es: Client,
  index: string,
  selection: Selection,
  slice: Slice,
): Promise<Found<ListingBytes>> {
  return page(es, { index, request_cache: true }, selection, slice);
}

/** One page of listings with what the service keeps beside them. */
export async function searchStored(
  es: Client,
  index: string,
  selection: Selection,
  slice: Slice,
): Promise<Found<StoredListing>> {
  const place = { index };
  const { suggest, ...selected } = selection;
  const reached = await reach(es, place, selected, slice);
  if ('total' in reached) return { total: reached.total, listings: [] };
  const answer = await es.search<StoredListing>({
    ...place,
    ...selected,
    ...reached,
    ...(suggest === undefined ? {} : { suggest }),
    ...EXACT,
    size: slice.limit,
    filter_path: ['hits.total', 'hits.hits._source', 'suggest'],
  });
  const listings = (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  return { total: totalOf(answer), listings, suggest: answer.suggest };
}

/** What every page asks for besides its selection. */
const EXACT = { track_total_hits: true, allow_partial_search_results: false } as const;

/** One page at any offset, of the catalogue or of a point in time. */
export async function page(
  es: Client,
  place: Place,
  selection: Selection,
  slice: Slice,
  options: TransportRequestOptions = {},
): Promise<Found<ListingBytes>> {
  const reached = await reach(es, place, selection, slice);
  if ('total' in reached) return { total: reached.total, listings: [] };
  const { limit, offset } = slice;
  const search = { ...place, ...selection, ...reached, ...EXACT, size: limit, _source: PUBLIC_SOURCE };
  const expected = (total: number) => Math.max(0, Math.min(limit, total - offset));
  return searchBytes(es, search, expected, options);
}

/**
 * Where a page begins: `from` as long as it lies within the window. A deeper one is reached in hops: each asks for
 * sort keys alone and goes on after the last of them.
 * @returns the total alone where the page lies past the last listing.
 */
async function reach(
  es: Client,
  place: Place,
  { query, sort }: Selection,
  { limit, offset }: Slice,
): Promise<{ from: number } | { search_after: estypes.SortResults } | { total: number }> {
  let from = offset;
  let after: estypes.SortResults | undefined;
  // A request that goes on after a sort key cannot skip anything, so once there is one, the hops go all the way.
  while (after === undefined ? from + limit > WINDOW : from > 0) {
    const size = Math.min(WINDOW, from);
    const hop = await es.search({
      ...place,
      query,
      sort,
      // Of the first hop the last listing alone is wanted.
      ...(after === undefined ? { from: size - 1, size: 1 } : { search_after: after, size }),
      _source: false,
      track_total_hits: after === undefined,
      allow_partial_search_results: false,
      filter_path: ['hits.total', 'hits.hits.sort'],
    });
    if (after === undefined && totalOf(hop) <= offset) return { total: totalOf(hop) };
    const last = hop.hits?.hits?.at(-1)?.sort;
    if (last === undefined) break;
    after = last;
    from -= size;
  }
  return after === undefined ? { from } : { search_after: after };
}

/** `filter_path` leaves out what is empty, so everything may be missing. */
function totalOf(answer: { hits?: estypes.SearchHitsMetadata<unknown> }): number {
  const total = answer.hits?.total;
  return typeof total === 'number' ? total : (total?.value ?? 0);
}
