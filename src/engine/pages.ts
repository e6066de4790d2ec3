import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import type { ListingBytes } from './passthrough.js';
import type { Product } from '../schemas/product.js';
import { searchBytes } from './bytes.js';
import { pageRequest, storedPageRequest } from './queries/pages.js';
import { deadlineOf, reach, totalOf } from './reach.js';
import type { Place, Selection, Slice } from './queries/selection.js';

/** A listing that was found, with what the engine says of it besides. */
export type Hit = estypes.SearchHit<Product>;

export type Aggregations = estypes.SearchResponse['aggregations'];

/** What is asked besides query, order and page. */
export type AdditionalRequest = Omit<estypes.SearchRequest, 'query' | 'sort' | 'from' | 'size'>;

/** A page of hits: the exact total, and the listings in order. */
export interface Found<T> {
  total: number;
  listings: T[];
  /** The engine's answer to `Selection.suggest`. */
  suggest?: estypes.SearchResponse['suggest'];
  /** What the text was corrected to. */
  corrected?: string;
  /** What was counted besides. */
  aggregations?: Aggregations;
}

/** The same, and what found it. */
export interface FoundBytes extends Found<ListingBytes> {
  selection: Selection;
}
export interface FoundHits extends Found<Hit> {
  selection: Selection;
  /** The newest name of the point in time that was searched. */
  pitId?: string | undefined;
}

/**
 * One page of listings in their public shape, at any offset. The engine keeps which listings those are until the next
 * refresh that changes anything: popular searches are asked again and again, and an answer is never staler for it.
 */
export async function searchPage(
  es: Client,
  index: string,
  selection: Selection,
  slice: Slice,
  request: AdditionalRequest = {},
): Promise<FoundBytes> {
  const found = await page(es, { index, request_cache: true }, selection, slice, { request });
  return { ...found, selection };
}

/** One page of listings with what the service keeps beside them. */
export async function searchStored(
  es: Client,
  index: string,
  selection: Selection,
  slice: Slice,
  request: AdditionalRequest = {},
): Promise<Found<StoredListing>> {
  const place = { index };
  const options = deadlineOf(slice);
  const reached = await reach(es, place, selection, slice, options);
  if ('total' in reached) return { total: reached.total, listings: [] };
  const search = {
    ...place,
    ...storedPageRequest(selection, reached, slice.limit),
    ...request,
    filter_path: ['hits.total', 'hits.hits._source', 'suggest', 'aggregations'],
  };
  const answer = await es.search<StoredListing>(search, options);
  const listings = (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  const { suggest, aggregations } = answer;
  return { total: totalOf(answer), listings, suggest, aggregations };
}

/**
 * One page of hits, with what is asked for and told besides.
 * @param after the sort keys of the listing before the page; absent: the offset tells where it begins.
 */
export async function searchHits(
  es: Client,
  place: Place,
  selection: Selection,
  { slice, after, request }: { slice: Slice; after?: estypes.SortResults; request: AdditionalRequest },
): Promise<FoundHits> {
  const options = deadlineOf(slice);
  const reached =
    after === undefined ? await reach(es, place, selection, slice, options) : { search_after: after };
  if ('total' in reached) return { total: reached.total, listings: [], selection };
  const search = {
    ...place,
    ...pageRequest(selection, reached, slice.limit),
    ...request,
    ...allAggs(selection, request),
  };
  const answer = await es.search<Product>(search, options);
  const { suggest, aggregations, pit_id: pitId } = answer;
  return { total: totalOf(answer), listings: answer.hits.hits, suggest, aggregations, pitId, selection };
}

/** What the selection counts, and what the request counts besides. */
const allAggs = (selection: Selection, request: AdditionalRequest): Pick<AdditionalRequest, 'aggs'> =>
  selection.aggs === undefined ? {} : { aggs: { ...request.aggs, ...selection.aggs } };

/** Counts what a selection finds before its `post_filter`. */
export async function countMatches(
  es: Client,
  place: Place,
  { query }: Selection,
  aggs: NonNullable<estypes.SearchRequest['aggs']>,
): Promise<Aggregations> {
  const search = {
    ...place,
    query,
    aggs,
    size: 0,
    track_total_hits: false,
    allow_partial_search_results: false,
  };
  return (await es.search(search)).aggregations;
}

/** One page at any offset, of the catalogue or of a point in time. */
export async function page(
  es: Client,
  place: Place,
  selection: Selection,
  slice: Slice,
  { request = {}, ...options }: TransportRequestOptions & { request?: AdditionalRequest } = {},
): Promise<Found<ListingBytes>> {
  const within = { ...options, ...deadlineOf(slice) };
  const reached = await reach(es, place, selection, slice, within);
  if ('total' in reached) return { total: reached.total, listings: [] };
  const { limit, offset } = slice;
  const search = {
    ...place,
    ...pageRequest(selection, reached, limit),
    ...request,
    ...allAggs(selection, request),
  };
  const expected = (total: number) => Math.max(0, Math.min(limit, total - offset));
  return searchBytes(es, search, expected, within);
}
