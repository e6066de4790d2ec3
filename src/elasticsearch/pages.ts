import type { Readable } from 'node:stream';
import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import type { Product } from '../schemas/product.js';
import type { StoredListing } from '../listing/listing.js';
import {
  FRAME,
  type HitBytes,
  type ListingBytes,
  parsedHits,
  readDocs,
  readHits,
} from '../results/passthrough.js';
import { EngineUnavailableError } from './unavailable.js';

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
  const { status, bytes } = await bytesOf(es.mget(request, { asStream: true, meta: true }));
  const listings = status === 200 ? readDocs(bytes, ids.length) : null;
  if (listings !== null) return listings;
  const { docs } = await es.mget<Product>(request);
  return docs
    .map(sourceOf)
    .map((listing) => (listing === null ? null : Buffer.from(JSON.stringify(listing))));
}

/** null: nobody has that id. A missing alias or a failed shard is told per document, inside of a 200. */
function sourceOf<T>(doc: estypes.MgetResponseItem<T>): T | null {
  if ('error' in doc) throw new EngineUnavailableError(doc.error.type, { cause: doc.error });
  return doc._source ?? null;
}

/** One listing with what the service keeps beside it, or null. Reads the live document. */
export async function getStoredListing(es: Client, index: string, id: number): Promise<StoredListing | null> {
  const answer = await es.get<StoredListing>({ index, id: String(id) }, { ignore: [404] });
  if (!('found' in answer)) throw missing(index);
  return answer._source ?? null;
}

/** A missing index is a 404 as a missing document is, but then the engine says nothing of the document. */
const missing = (index: string) => new EngineUnavailableError(`index ${index} is missing`);

/**
 * Listings with what the service keeps beside them, in one request that reads live documents.
 * @returns in the order of the ids; null: nobody has that one, or it cannot be an id.
 */
export async function getStoredListings(
  es: Client,
  index: string,
  ids: readonly number[],
): Promise<(StoredListing | null)[]> {
  const { docs } = await es.mget<StoredListing>({ index, ids: ids.map(String) });
  return docs.map(sourceOf);
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

/**
 * Searches, and takes the hits apart without reading them.
 * @param expected how many hits there must be, from the total: what tells a frame from a listing that imitates one.
 * @throws the client's errors, as a parsed search does.
 */
export async function searchBytes(
  es: Client,
  search: estypes.SearchRequest,
  expected: (total: number) => number,
  options: TransportRequestOptions = {},
): Promise<HitBytes> {
  const request = { ...search, filter_path: FRAME };
  const { status, bytes } = await bytesOf(es.search(request, { ...options, asStream: true, meta: true }));
  if (status === 200) return readHits(bytes, expected);
  // The plain way goes to another node, or throws what is the matter.
  return parsedHits(await es.search<Product>(request, options));
}

/** An answer as it comes; status 0: it broke off. */
async function bytesOf(asked: Promise<unknown>): Promise<{ status: number; bytes: Buffer }> {
  // With these options the client gives the body as a stream, which its types do not say.
  const { statusCode, body } = (await asked) as { statusCode: number; body: Readable };
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk as Buffer);
  } catch {
    return { status: 0, bytes: Buffer.alloc(0) };
  }
  const [first = Buffer.alloc(0)] = chunks;
  return { status: statusCode, bytes: chunks.length > 1 ? Buffer.concat(chunks) : first };
}
