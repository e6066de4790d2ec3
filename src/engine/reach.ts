import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import { type Beginning, hopRequest, WINDOW } from './queries/pages.js';
import { bytesOf } from './bytes.js';
import type { Place, Selection, Slice } from './queries/selection.js';

/** A deep page takes long, and must end all the same: in ms, at first and with each hop, and at most. */
const DEADLINE = { first: 2_000, hop: 500, most: 30_000 };

/** Hops before the page itself, each of them about as much work as a search. */
export const hopsTo = ({ limit, offset }: Slice): number =>
  offset + limit > WINDOW ? Math.ceil(offset / WINDOW) : 0;

/** Of all requests for a deep page together; any other is one request with a deadline of its own. */
export function deadlineOf(slice: Slice): TransportRequestOptions {
  const hops = hopsTo(slice);
  const { first, hop, most } = DEADLINE;
  return hops === 0 ? {} : { signal: AbortSignal.timeout(Math.min(most, first + hops * hop)) };
}

/**
 * Where a page begins: `from` as long as it lies within the window. A deeper one is reached in hops: each asks for
 * sort keys alone and goes on after the last of them.
 * @returns the total alone where the page lies past the last listing.
 */
export async function reach(
  es: Client,
  place: Place,
  selection: Selection,
  { limit, offset }: Slice,
  options: TransportRequestOptions,
): Promise<Beginning | { total: number }> {
  let from = offset;
  let after: estypes.SortResults | undefined;
  // A request that goes on after a sort key cannot skip anything, so once there is one, the hops go all the way.
  while (after === undefined ? from + limit > WINDOW : from > 0) {
    const size = Math.min(WINDOW, from);
    const hop: LastHit = await lastHit(
      es,
      { ...place, ...hopRequest(selection, size, after), filter_path: ['hits.total', 'hits.hits.sort'] },
      options,
    );
    if (after === undefined && hop.total <= offset) return { total: hop.total };
    if (hop.sort === null) break;
    after = hop.sort;
    from -= size;
  }
  return after === undefined ? { from } : { search_after: after };
}

/** What a hop is made for: how many match, and the sort key of the last one that it gives. */
interface LastHit {
  total: number;
  sort: estypes.SortResults | null;
}

const SORT = '{"sort":';
const TOTAL = /^\{"hits":\{"total":\{"value":(\d+),/;

/** Reads that much of the answer and no more: tens of thousands of other sort keys would hold up everybody else. */
async function lastHit(
  es: Client,
  search: estypes.SearchRequest,
  options: TransportRequestOptions,
): Promise<LastHit> {
  const bytes = await bytesOf(es.search(search, { ...options, asStream: true, meta: true }));
  if (bytes === null) {
    const answer = await es.search(search, options);
    return { total: totalOf(answer), sort: answer.hits?.hits?.at(-1)?.sort ?? null };
  }
  const total = Number(TOTAL.exec(bytes.toString('latin1', 0, 100))?.[1] ?? 0);
  const at = bytes.lastIndexOf(SORT);
  const end = bytes.length - '}]}}'.length;
  const sort = at < 0 ? null : bytes.toString('utf8', at + SORT.length, end);
  return { total, sort: sort === null ? null : (JSON.parse(sort) as estypes.SortResults) };
}

/** `filter_path` leaves out what is empty, so everything may be missing. */
export function totalOf(answer: { hits?: estypes.SearchHitsMetadata<unknown> }): number {
  const total = answer.hits?.total;
  return typeof total === 'number' ? total : (total?.value ?? 0);
}
