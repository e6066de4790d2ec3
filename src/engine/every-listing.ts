import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import type { Backoff } from './backoff.js';

const PAGE = 1_000;

/**
 * Every listing that matches, by id, page by page. Nothing is held open between two pages, and each is the state of its
 * own moment.
 * @param fields what is read of each.
 */
export async function* walkListings<Read = StoredListing>(
  es: Client,
  index: string,
  {
    query = { match_all: {} },
    fields,
    backoff,
  }: { query?: estypes.QueryDslQueryContainer; fields: readonly string[]; backoff: Backoff },
): AsyncGenerator<Read[]> {
  let after: estypes.SortResults | undefined;
  for (;;) {
    const request: estypes.SearchRequest = {
      index,
      query,
      sort: [{ id: 'asc' }],
      size: PAGE,
      ...(after === undefined ? {} : { search_after: after }),
      _source: [...fields],
      track_total_hits: false,
      allow_partial_search_results: false,
    };
    const { hits } = await backoff.retry(() => es.search<Read>(request));
    backoff.reset();
    yield hits.hits.flatMap(({ _source }) => (_source === undefined ? [] : [_source]));
    if (hits.hits.length < PAGE) return;
    after = hits.hits.at(-1)?.sort;
  }
}
