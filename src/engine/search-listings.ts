import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import type { Product } from '../schemas/product.js';
import { deadlineOf, startOfPage, totalOf } from './deep-offset.js';
import { type HitBytes, type ListingBytes, RESPONSE_MEMBERS, readHits, parsedHits } from './listing-bytes.js';
import {
  pageRequest,
  type SearchTarget,
  type Selection,
  type Slice,
  storedPageRequest,
} from './queries/selection.js';
import { bytesOf } from './response-bytes.js';

/** A hit of a search: a listing in its public shape. If there are `bytes`, reading `_source` parses them. */
export interface ListingHit extends Pick<
  estypes.SearchHit<Product>,
  '_source' | '_score' | 'sort' | 'fields' | 'highlight' | 'matched_queries'
> {
  bytes?: ListingBytes;
}

export type Aggregations = estypes.SearchResponse['aggregations'];

/** The members of a search request besides its query, sort order and page. */
export type AdditionalRequest = Omit<estypes.SearchRequest, 'query' | 'sort' | 'from' | 'size'>;

/** One page of the listings that a search finds. */
export interface FoundListings {
  /** The number of listings that match, or `track_total_hits` if that is a number and more match. */
  total: number;
  hits: ListingHit[];
  /** Elasticsearch's spelling suggestions, if `Selection.suggest` asks for them. */
  suggest?: estypes.SearchResponse['suggest'];
  aggregations?: Aggregations;
  pitId?: string | undefined;
  selection: Selection;
}

/** The part of the found listings that a page contains, and how the page is read. */
export interface PageOptions {
  slice: Slice;
  /** The sort keys of the last listing before the page, instead of an offset. */
  after?: estypes.SortResults | undefined;
  request?: AdditionalRequest;
}

/** Searches for listings and returns one page of them, at any offset. */
export async function searchListings(
  es: Client,
  target: SearchTarget,
  selection: Selection,
  { slice, after, request = {} }: PageOptions,
): Promise<FoundListings> {
  if (after === undefined && needsOnlyListings(target, request)) {
    const { listings, ...found } = await searchListingBytes(es, target, selection, slice, { request });
    return { ...found, hits: listings.map((bytes) => new UnparsedHit(bytes)), selection };
  }
  const options = deadlineOf(slice);
  const start =
    after === undefined ? await startOfPage(es, target, selection, slice, options) : { search_after: after };
  if ('total' in start) return { total: start.total, hits: [], selection };
  const search = {
    ...target,
    ...pageRequest(selection, start, slice.limit),
    ...request,
    ...allAggs(selection, request),
  };
  const answer = await es.search<Product>(search, options);
  const { suggest, aggregations, pit_id: pitId } = answer;
  return { total: totalOf(answer), hits: answer.hits.hits, suggest, aggregations, pitId, selection };
}

/** Whether an answer may stay unparsed. Paging through a point in time needs the sort keys of the hits. */
const needsOnlyListings = (target: SearchTarget, request: AdditionalRequest): boolean =>
  'index' in target &&
  Object.keys(request).every((member) => ['aggs', 'terminate_after', 'track_total_hits'].includes(member));

class UnparsedHit implements ListingHit {
  constructor(readonly bytes: ListingBytes) {}

  get _source(): Product {
    return JSON.parse(this.bytes.toString()) as Product;
  }
}

/** Searches for listings and returns one page of them, at any offset, as the bytes of their JSON. */
export async function searchListingBytes(
  es: Client,
  target: SearchTarget,
  selection: Selection,
  slice: Slice,
  { request = {}, ...options }: TransportRequestOptions & { request?: AdditionalRequest } = {},
): Promise<HitBytes> {
  const within = { ...options, ...deadlineOf(slice) };
  const start = await startOfPage(es, target, selection, slice, within);
  if ('total' in start) return { total: start.total, listings: [] };
  const { limit, offset } = slice;
  const search = {
    ...target,
    ...pageRequest(selection, start, limit),
    ...request,
    ...allAggs(selection, request),
  };
  return searchBytes(es, search, (total) => Math.max(0, Math.min(limit, total - offset)), within);
}

/**
 * Runs a search and splits the answer into its hits without parsing them.
 * @param expectedHits the number of hits to expect for a total. A different number shows that the text of a
 * listing was mistaken for the structure of the answer.
 */
export async function searchBytes(
  es: Client,
  search: estypes.SearchRequest,
  expectedHits: (total: number) => number,
  options: TransportRequestOptions = {},
): Promise<HitBytes> {
  const request = { ...search, filter_path: RESPONSE_MEMBERS };
  const bytes = await bytesOf(es.search(request, { ...options, asStream: true, meta: true }));
  return bytes === null
    ? parsedHits(await es.search<Product>(request, options))
    : readHits(bytes, expectedHits, search.aggs !== undefined);
}

const allAggs = (selection: Selection, request: AdditionalRequest): Pick<AdditionalRequest, 'aggs'> =>
  selection.aggs === undefined ? {} : { aggs: { ...request.aggs, ...selection.aggs } };

/** Searches for listings and returns one page of them, at any offset, with their internal fields. */
export async function searchStoredListings(
  es: Client,
  index: string,
  selection: Selection,
  slice: Slice,
  request: AdditionalRequest = {},
): Promise<{ total: number; listings: StoredListing[]; aggregations?: Aggregations }> {
  const target = { index };
  const options = deadlineOf(slice);
  const start = await startOfPage(es, target, selection, slice, options);
  if ('total' in start) return { total: start.total, listings: [] };
  const search = {
    ...target,
    ...storedPageRequest(selection, start, slice.limit),
    ...request,
    filter_path: ['took', 'hits.total', 'hits.hits._source', 'suggest', 'aggregations'],
  };
  const answer = await es.search<StoredListing>(search, options);
  const listings = (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  return { total: totalOf(answer), listings, aggregations: answer.aggregations };
}

/** Computes aggregations over the listings that a selection finds before its `post_filter` is applied. */
export async function countMatches(
  es: Client,
  target: SearchTarget,
  { query }: Pick<Selection, 'query'>,
  aggs: NonNullable<estypes.SearchRequest['aggs']>,
): Promise<Aggregations> {
  const search = {
    ...target,
    query,
    aggs,
    size: 0,
    track_total_hits: false,
    allow_partial_search_results: false,
  };
  return (await es.search(search)).aggregations;
}
