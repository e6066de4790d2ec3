import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import type { Product, StoredListing } from '../listing/listing.js';
import { bytesOf, searchBytes } from '../engine-bytes.js';
import { notFound, unavailable } from '../errors.js';
import { deadlineOf, reach, totalOf } from '../reach.js';
import { type ListingBytes, readDocs } from '../results/passthrough.js';

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
  const options = deadlineOf(slice);
  const reached = await reach(es, place, selected, slice, options);
  if ('total' in reached) return { total: reached.total, listings: [] };
  const search = {
    ...place,
    ...selected,
    ...reached,
    ...(suggest === undefined ? {} : { suggest }),
    ...EXACT,
    size: slice.limit,
    filter_path: ['hits.total', 'hits.hits._source', 'suggest'],
  };
  const answer = await es.search<StoredListing>(search, options);
  const listings = (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  return { total: totalOf(answer), listings, suggest: answer.suggest };
}

const LOOKS = { requestTimeout: 1_000, maxRetries: 0 };

/**
 * Names what searches of the index see now: another name after each refresh that brought anything, after a reindex, and
 * as copies of it come and go.
 */
export async function generationOf(es: Client, index: string): Promise<string> {
  const filter_path = ['_shards', 'indices.*.uuid', 'indices.*.total.refresh.external_total'];
  return JSON.stringify(await es.indices.stats({ index, metric: 'refresh', filter_path }, LOOKS));
}

/**
 * Listings in their public shape, in the order of the ids; null: nobody has that one. Reads live documents: a listing
 * just written is there.
 */
export async function getListings(
  es: Client,
  index: string,
  ids: readonly number[],
): Promise<(ListingBytes | null)[]> {
  const request = {
    ...{ index, ids: ids.map(String), _source_excludes: ['internal'] },
    filter_path: ['docs.found', 'docs._source', 'docs.error'],
  };
  const bytes = await bytesOf(es.mget(request, { asStream: true, meta: true }));
  const listings = bytes === null ? null : readDocs(bytes, ids.length);
  if (listings !== null) return listings;
  if (bytes !== null) refuseOverload(bytes);
  const { docs } = await es.mget<Product>(request);
  return docs
    .map(sourceOf)
    .map((listing) => (listing === null ? null : Buffer.from(JSON.stringify(listing))));
}

/** What an engine that has too much to do says of a document, inside of a 200. */
const OVERLOADED = new Set(['es_rejected_execution_exception', 'circuit_breaking_exception']);

/** @throws ApiError 503 where asking again would only be more of what was too much. */
function refuseOverload(answer: Buffer): void {
  const { docs = [] } = JSON.parse(answer.toString()) as Partial<estypes.MgetResponse>;
  for (const doc of docs) if ('error' in doc && OVERLOADED.has(doc.error.type)) throw unavailable(doc.error);
}

/** null: nobody has that id. A missing alias or a failed shard is told per document, inside of a 200. */
function sourceOf<T>(doc: estypes.MgetResponseItem<T>): T | null {
  if ('error' in doc) throw unavailable(doc.error);
  return doc._source ?? null;
}

/** One listing with what the service keeps beside it, or null. Reads the live document. */
export async function getStoredListing(es: Client, index: string, id: number): Promise<StoredListing | null> {
  const answer = await es.get<StoredListing>({ index, id: String(id) }, { ignore: [404] });
  if (!('found' in answer)) throw missing(index);
  return answer._source ?? null;
}

/** A missing index is a 404 as a missing document is, but then the engine says nothing of the document. */
const missing = (index: string) => unavailable(new Error(`index ${index} is missing`));

/**
 * Listings with what the service keeps beside them, in the order of the ids, in one request that reads live documents.
 * @param ids each once; one that cannot be an id is as unknown as one that nobody has.
 * @throws ApiError 404 naming the ids that nobody has.
 */
export async function getStoredListings(
  es: Client,
  index: string,
  ids: readonly number[],
): Promise<StoredListing[]> {
  const { docs } = await es.mget<StoredListing>({ index, ids: ids.map(String) });
  const listings = docs.map(sourceOf).filter((listing) => listing !== null);
  const known = new Set(listings.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw notFound(`Product not found: ${unknown.join(', ')}`);
  return listings;
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
  const within = { ...options, ...deadlineOf(slice) };
  const reached = await reach(es, place, selection, slice, within);
  if ('total' in reached) return { total: reached.total, listings: [] };
  const { limit, offset } = slice;
  const search = { ...place, ...selection, ...reached, ...EXACT, size: limit, _source: PUBLIC_SOURCE };
  const expected = (total: number) => Math.max(0, Math.min(limit, total - offset));
  return searchBytes(es, search, expected, within);
}
