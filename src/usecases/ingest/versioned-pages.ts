import type { Client, estypes } from '@elastic/elasticsearch';
import type { Backoff } from '../../engine/backoff.js';
import type { VersionedListing } from '../../engine/listing-store.js';
import type { StoredListing } from '../../listing/listing.js';

const PAGE = 1_000;

/**
 * Reads all listings that match a query with their versions, in pages, sorted by id.
 * @param options.signal ends the reading; a request that is under way then fails with an AbortError.
 */
export async function* versionedPages(
  es: Client,
  index: string,
  {
    query,
    fields,
    backoff,
    signal,
  }: {
    query: estypes.QueryDslQueryContainer;
    fields?: string[] | undefined;
    backoff: Backoff;
    signal?: AbortSignal | undefined;
  },
): AsyncGenerator<VersionedListing[]> {
  let after: estypes.SortResults | undefined;
  do {
    const request: estypes.SearchRequest = {
      index,
      query,
      ignore_unavailable: true,
      size: PAGE,
      sort: [{ id: 'asc' }],
      track_total_hits: false,
      seq_no_primary_term: true,
      ...(fields === undefined ? {} : { _source: fields }),
      ...(after === undefined ? {} : { search_after: after }),
    };
    const { hits } = await backoff.retry(() =>
      es.search<StoredListing>(request, signal === undefined ? {} : { signal }),
    );
    after = hits.hits.at(-1)?.sort;
    if (hits.hits.length > 0) yield hits.hits.map(toVersioned);
  } while (after !== undefined && signal?.aborted !== true);
}

function toVersioned(hit: estypes.SearchHit<StoredListing>): VersionedListing {
  if (hit._source === undefined) throw new Error('a listing without its source');
  const { _index: index, _source: listing, _seq_no: seqNo = 0, _primary_term: primaryTerm = 0 } = hit;
  return { index, listing, seqNo, primaryTerm };
}
