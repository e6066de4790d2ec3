import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import type { Product } from '../schemas/product.js';
import { deadlineOf, startOfPage, totalOf } from './deep-offset.js';
import { type HitBytes, type ListingBytes, RESPONSE_MEMBERS, readHits, parsedHits } from './listing-bytes.js';
import {
  type AggregationRequests,
  COUNTS,
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
  page: PageOptions,
): Promise<FoundListings> {
  const { slice, after, request = {} } = page;
  if (after === undefined && needsOnlyListings(target, request)) {
    const { listings, ...found } = await searchListingBytes(es, target, selection, slice, { request });
    return { ...found, hits: listings.map((bytes) => new UnparsedHit(bytes)), selection };
  }
  const options = deadlineOf(slice);
  const at = await requestFor(es, target, selection, page, options);
  if ('total' in at) return { total: at.total, hits: [], selection };
  const answer = await es.search<Product>(at.search, options);
  const { suggest, aggregations, pit_id: pitId } = answer;
  return { total: totalOf(answer), hits: answer.hits.hits, suggest, aggregations, pitId, selection };
}

/** Builds the request for a page, by default in the public shape. @returns the total if the page lies after all listings. */
async function requestFor(
  es: Client,
  target: SearchTarget,
  selection: Selection,
  { slice, after, request = {} }: PageOptions,
  options: TransportRequestOptions,
  shape: typeof pageRequest | typeof storedPageRequest = pageRequest,
): Promise<{ total: number } | { search: estypes.SearchRequest }> {
  const start =
    after === undefined ? await startOfPage(es, target, selection, slice, options) : { search_after: after };
  if ('total' in start) return start;
  const aggs = selection.aggs && { aggs: { ...request.aggs, ...selection.aggs } };
  return { search: { ...target, ...shape(selection, start, slice.limit), ...request, ...aggs } };
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
  const at = await requestFor(es, target, selection, { slice, request }, within);
  if ('total' in at) return { total: at.total, listings: [] };
  const { limit, offset } = slice;
  return searchBytes(es, at.search, (total) => Math.max(0, Math.min(limit, total - offset)), within);
}

/**
 * Runs a search and splits the answer into its hits without parsing them. @param expectedHits the hits to expect for a total:
 * another number shows that the text of a listing was mistaken for the structure of the answer.
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

/** Searches for listings and returns one page of them, at any offset, with their internal fields. */
export async function searchStoredListings(
  es: Client,
  index: string,
  selection: Selection,
  slice: Slice,
  request: AdditionalRequest = {},
): Promise<{ total: number; listings: StoredListing[]; aggregations?: Aggregations }> {
  const options = deadlineOf(slice);
  const at = await requestFor(es, { index }, selection, { slice, request }, options, storedPageRequest);
  if ('total' in at) return { total: at.total, listings: [] };
  const filter_path = ['took', 'hits.total', 'hits.hits._source', 'suggest', 'aggregations'];
  const answer = await es.search<StoredListing>({ ...at.search, filter_path }, options);
  const listings = (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  return { total: totalOf(answer), listings, aggregations: answer.aggregations };
}

/** Computes aggregations over the listings that a selection finds before its `post_filter` is applied. */
export const countMatches = async (
  es: Client,
  target: SearchTarget,
  { query }: Pick<Selection, 'query'>,
  aggs: AggregationRequests,
): Promise<Aggregations> => (await es.search({ ...target, query, aggs, ...COUNTS })).aggregations;
