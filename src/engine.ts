import type { Client, estypes } from '@elastic/elasticsearch';
import type { Product } from './catalogue/listing.js';
import { PUBLIC_SOURCE } from './queries/listings.js';

/** A page of hits: the exact total, and the listings in order without what is internal. */
export interface Found {
  total: number;
  listings: Product[];
}

/** What selects and orders listings; `sort` ends with id, so that the order is total. */
export interface Selection {
  query: estypes.QueryDslQueryContainer;
  sort: estypes.Sort;
}

/**
 * How many hits one request may reach into (`index.max_result_window` of the mapping). Memory and time of a
 * request grow with it, so deeper pages are reached in hops of this size instead.
 */
const WINDOW = 50_000;

/**
 * One page at any offset, in one request as long as it lies within the window. A deeper one hops: each hop
 * asks for sort keys alone and goes on after the last of them.
 */
export async function searchPage(
  es: Client,
  index: string,
  selection: Selection,
  { limit, offset }: { limit: number; offset: number },
): Promise<Found> {
  let from = offset;
  let after: estypes.SortResults | undefined;
  while (from + limit > WINDOW) {
    const size = Math.min(WINDOW, from);
    const hop = await es.search({
      index,
      ...selection,
      size,
      _source: false,
      track_total_hits: after === undefined,
      allow_partial_search_results: false,
      ...(after === undefined ? {} : { search_after: after }),
      filter_path: ['hits.total', 'hits.hits.sort'],
    });
    const last = hop.hits?.hits?.at(-1);
    if (after === undefined && totalOf(hop) <= offset) return { total: totalOf(hop), listings: [] };
    if (last?.sort === undefined) break;
    after = last.sort;
    from -= size;
  }
  const page = await es.search<Product>({
    index,
    ...selection,
    size: limit,
    track_total_hits: true,
    allow_partial_search_results: false,
    _source: PUBLIC_SOURCE,
    // A request that goes on after a sort key starts there by itself.
    ...(after === undefined ? { from } : { search_after: after }),
    filter_path: ['hits.total', 'hits.hits._source'],
  });
  return { total: totalOf(page), listings: listingsOf(page) };
}

/** One listing without what is internal, or null. Reads the live document: a listing just written is there. */
export async function getListing(es: Client, index: string, id: number): Promise<Product | null> {
  const answer = await es.get<Product>({ index, id: String(id), _source_excludes: ['internal'] }, { ignore: [404] });
  return answer.found && answer._source !== undefined ? answer._source : null;
}

function totalOf(answer: { hits?: estypes.SearchHitsMetadata<unknown> }): number {
  const total = answer.hits?.total;
  return typeof total === 'number' ? total : (total?.value ?? 0);
}

function listingsOf(answer: estypes.SearchResponse<Product>): Product[] {
  return (answer.hits?.hits ?? []).flatMap(({ _source }) => (_source === undefined ? [] : [_source]));
}
