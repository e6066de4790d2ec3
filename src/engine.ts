import type { Client, estypes } from '@elastic/elasticsearch';
import type { Product, StoredListing } from './catalogue/listing.js';
import { notFound, unavailable } from './errors.js';

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
const PUBLIC_SOURCE: estypes.SearchSourceConfig = { excludes: ['internal'] };

/**
 * How many hits one request may reach into (`index.max_result_window` of the mapping). Memory and time of a
 * request grow with it, so deeper pages are reached in hops of this size instead.
 */
const WINDOW = 50_000;

/** Where a snapshot is read: the alias as it is now, or a point in time. */
type Place = { index: string } | { pit: estypes.SearchPointInTimeReference };

/** One page of listings in their public shape, at any offset. */
export function searchPage(
  es: Client,
  index: string,
  selection: Selection,
  slice: Slice,
): Promise<Found<Product>> {
  return page<Product>(es, { index }, selection, slice, PUBLIC_SOURCE);
}

/** One page of listings with what the service keeps beside them. */
export function searchStored(
  es: Client,
  index: string,
  selection: Selection,
  slice: Slice,
): Promise<Found<StoredListing>> {
  return page<StoredListing>(es, { index }, selection, slice, true);
}

/** One listing in its public shape, or null. Reads the live document: a listing just written is there. */
export function getListing(es: Client, index: string, id: number): Promise<Product | null> {
  return getSource<Product>(es, index, id, ['internal']);
}

/** One listing with what the service keeps beside it, or null. Reads the live document. */
export function getStoredListing(es: Client, index: string, id: number): Promise<StoredListing | null> {
  return getSource<StoredListing>(es, index, id, []);
}

async function getSource<T>(es: Client, index: string, id: number, excludes: string[]): Promise<T | null> {
  const answer = await es.get<T>({ index, id: String(id), _source_excludes: excludes }, { ignore: [404] });
  // A missing index is a 404 as well, but then the engine says nothing of the document.
  if (!('found' in answer)) throw unavailable(new Error(`index ${index} is missing`));
  return answer._source ?? null;
}

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
  const listings = docs.flatMap((doc) => {
    // A missing alias or a failed shard is told per document, inside of a 200.
    if ('error' in doc) throw unavailable(doc.error);
    return doc.found && doc._source !== undefined ? [doc._source] : [];
  });
  const known = new Set(listings.map(({ id }) => id));
  const unknown = ids.filter((id) => !known.has(id));
  if (unknown.length > 0) throw notFound(`Product not found: ${unknown.join(', ')}`);
  return listings;
}

/** A consistent view of the listings that match, read page by page. Must be closed. */
export interface Snapshot {
  /** Exact number of all that match. */
  total: number;
  /** At most `limit` listings from `offset` on, by id. A page is its reader's to empty. */
  pages: AsyncGenerator<Product[]>;
  /** Forgets the point in time; never fails, since the engine forgets it by itself in the end. */
  close(): Promise<void>;
}

/** Rows a request while a snapshot is read. Ten times as many are 1.4 times as fast, but every export holds them. */
const SNAPSHOT_PAGE = 100;

/** Nobody waits for an answer any more once an export has begun: better a pause than a file cut short. */
const SNAPSHOT_DEADLINES = { requestTimeout: 30_000, maxRetries: 3 };

/** A slow client may take this long for one page before the engine forgets the snapshot. */
const KEEP_ALIVE = '5m';

const BY_ID: estypes.Sort = [{ id: 'asc' }];

/**
 * Opens a snapshot and reads its first page, so that what can fail has failed before anything is sent.
 */
export async function openSnapshot(
  es: Client,
  index: string,
  query: estypes.QueryDslQueryContainer,
  { limit, offset }: Slice,
): Promise<Snapshot> {
  const pit = {
    id: (await es.openPointInTime({ index, keep_alive: KEEP_ALIVE })).id,
    keep_alive: KEEP_ALIVE,
  };
  const close = async () => {
    await es.closePointInTime({ id: pit.id }, { ignore: [404] }).catch(() => undefined);
  };
  try {
    const slice = { limit: Math.min(limit, SNAPSHOT_PAGE), offset };
    const first = await page<Product>(es, { pit }, { query, sort: BY_ID }, slice, PUBLIC_SOURCE);
    return { total: first.total, pages: pagesFrom(es, { pit, query, limit }, first.listings), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function* pagesFrom(
  es: Client,
  {
    pit,
    query,
    limit,
  }: { pit: estypes.SearchPointInTimeReference; query: estypes.QueryDslQueryContainer; limit: number },
  first: Product[],
): AsyncGenerator<Product[]> {
  let listings = first;
  let left = limit;
  while (listings.length > 0) {
    const { length } = listings;
    const after = listings.at(-1)?.id;
    yield listings;
    left -= length;
    if (left <= 0 || after === undefined || length < SNAPSHOT_PAGE) return;
    const answer = await es.search<Product>(
      {
        pit,
        query,
        sort: BY_ID,
        size: Math.min(left, SNAPSHOT_PAGE),
        search_after: [after],
        track_total_hits: false,
        allow_partial_search_results: false,
        _source: PUBLIC_SOURCE,
        filter_path: ['pit_id', 'hits.hits._source'],
      },
      SNAPSHOT_DEADLINES,
    );
    // The engine may name the same point in time anew; the newest name is the one to use and to close.
    pit.id = answer.pit_id ?? pit.id;
    listings = listingsOf(answer);
  }
}

/**
 * One page at any offset, in one request as long as it lies within the window. A deeper one hops: each hop
 * asks for sort keys alone and goes on after the last of them.
 */
async function page<T>(
  es: Client,
  place: Place,
  selection: Selection,
  { limit, offset }: Slice,
  source: estypes.SearchSourceConfig,
): Promise<Found<T>> {
  const { suggest, ...selected } = selection;
  let from = offset;
  let after: estypes.SortResults | undefined;
  // A request that goes on after a sort key cannot skip anything, so once there is one, the hops go all the way.
  while (after === undefined ? from + limit > WINDOW : from > 0) {
    const size = Math.min(WINDOW, from);
    const hop = await es.search({
      ...place,
      ...selected,
      size,
      _source: false,
      track_total_hits: after === undefined,
      allow_partial_search_results: false,
      ...(after === undefined ? {} : { search_after: after }),
      filter_path: ['hits.total', 'hits.hits.sort'],
    });
    if (after === undefined && totalOf(hop) <= offset) return { total: totalOf(hop), listings: [] };
    const last = hop.hits?.hits?.at(-1)?.sort;
    if (last === undefined) break;
    after = last;
    from -= size;
  }
  const answer = await es.search<T>({
    ...place,
    ...selected,
    ...(suggest === undefined ? {} : { suggest }),
    size: limit,
    track_total_hits: true,
    allow_partial_search_results: false,
    _source: source,
    ...(after === undefined ? { from } : { search_after: after }),
    filter_path: ['hits.total', 'hits.hits._source', 'suggest'],
  });
  return { total: totalOf(answer), listings: listingsOf(answer), suggest: answer.suggest };
}

/** `filter_path` leaves out what is empty, so everything may be missing. */
function totalOf(answer: { hits?: estypes.SearchHitsMetadata<unknown> }): number {
  const total = answer.hits?.total;
  return typeof total === 'number' ? total : (total?.value ?? 0);
}

function listingsOf<T>(answer: estypes.SearchResponse<T>): T[] {
  return (answer.hits?.hits ?? []).flatMap(({ _source }) => (_source === undefined ? [] : [_source]));
}
