import type { Client, estypes, TransportRequestOptions } from '@elastic/elasticsearch';
import {
  hopRequest,
  MAX_RESULT_WINDOW,
  type PageStart,
  type SearchTarget,
  type Selection,
  type Slice,
} from './queries/selection.js';
import { bytesOf } from './response-bytes.js';

/**
 * Elasticsearch returns hits only up to an offset of `MAX_RESULT_WINDOW`. A page at a deeper offset is reached in hops: each hop
 * reads nothing but sort keys, and the next hop continues after the last of these keys.
 */

/** The deadlines for reading a page at a deep offset. They grow with the number of hops, up to a maximum. */
const DEADLINE_MS = { fixed: 2_000, perHop: 500, max: 30_000 };

/** The number of hops to a page at a deep offset. Each costs Elasticsearch about as much as a search. */
export const hopsTo = ({ limit, offset }: Slice): number =>
  offset + limit > MAX_RESULT_WINDOW ? Math.ceil(offset / MAX_RESULT_WINDOW) : 0;

/** The time limit of all requests for a page at a deep offset; any other page has the client's time limit. */
export function deadlineOf(slice: Slice): TransportRequestOptions {
  const hops = hopsTo(slice);
  const { fixed, perHop, max } = DEADLINE_MS;
  return hops === 0 ? {} : { signal: AbortSignal.timeout(Math.min(max, fixed + hops * perHop)) };
}

/** The sort keys after which a page at a deep offset begins. If the page lies after all hits, the total instead. */
export async function startOfPage(
  es: Client,
  target: SearchTarget,
  selection: Selection,
  { limit, offset }: Slice,
  options: TransportRequestOptions,
): Promise<PageStart | { total: number }> {
  let from = offset;
  let after: estypes.SortResults | undefined;
  // A request with `search_after` cannot have an offset. Therefore, after the first hop, which returns a sort
  // key, further hops must cover the whole rest of the offset, even if it lies within the result window.
  while (after === undefined ? from + limit > MAX_RESULT_WINDOW : from > 0) {
    const size = Math.min(MAX_RESULT_WINDOW, from);
    const hop = await lastHit(
      es,
      {
        ...target,
        ...hopRequest(selection, size, after === undefined ? { from: offset } : { search_after: after }),
        filter_path: ['took', 'hits.total', 'hits.hits.sort'],
      },
      options,
    );
    if (after === undefined && hop.total <= offset) return { total: hop.total };
    if (hop.sort === null) break;
    after = hop.sort;
    from -= size;
  }
  return after === undefined ? { from } : { search_after: after };
}

const SORT = '{"sort":';
const TOTAL = /^\{(?:"took":\d+,)?"hits":\{"total":\{"value":(\d+),/;

/** Returns the total of a search and the sort keys of its last hit. Parsing thousands of others would block the event loop. */
async function lastHit(
  es: Client,
  search: estypes.SearchRequest,
  options: TransportRequestOptions,
): Promise<{ total: number; sort: estypes.SortResults | null }> {
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

/** The number of listings that match a search; 0 if the answer has no total, because `filter_path` leaves out empty members. */
export function totalOf(answer: { hits?: estypes.SearchHitsMetadata<unknown> }): number {
  const total = answer.hits?.total;
  return typeof total === 'number' ? total : (total?.value ?? 0);
}
