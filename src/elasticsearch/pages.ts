import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import type { ListingBytes } from '../results/passthrough.js';
import { searchBytes } from './bytes.js';
import { pageRequest, storedPageRequest } from '../queries/pages.js';
import { deadlineOf, reach, totalOf } from './reach.js';
import type { Place, Selection, Slice } from '../queries/selection.js';

/** A page of hits: the exact total, and the listings in order. */
export interface Found<T> {
  total: number;
  listings: T[];
  /** The engine's answer to `Selection.suggest`. */
  suggest?: estypes.SearchResponse['suggest'];
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
  const options = deadlineOf(slice);
  const reached = await reach(es, place, selection, slice, options);
  if ('total' in reached) return { total: reached.total, listings: [] };
  const search = {
    ...place,
    ...storedPageRequest(selection, reached, slice.limit),
    filter_path: ['hits.total', 'hits.hits._source', 'suggest'],
  };
  const answer = await es.search<StoredListing>(search, options);
  const listings = (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
  return { total: totalOf(answer), listings, suggest: answer.suggest };
}

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
  const search = { ...place, ...pageRequest(selection, reached, limit) };
  const expected = (total: number) => Math.max(0, Math.min(limit, total - offset));
  return searchBytes(es, search, expected, within);
}
