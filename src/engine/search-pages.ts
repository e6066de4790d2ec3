import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import type { Backoff } from './backoff.js';
import type { VersionedListing } from './listing-store.js';

/**
 * Reads all hits of a search in pages, each of which reflects the state of the index at its own time, unless the request has a
 * point in time, whose id is kept up to date.
 * @param request sorts by fields that together identify a document.
 * @param options.backoff retries temporary rejections; without it, they are thrown.
 * @param options.signal ends the reading; a request that is under way then fails with an AbortError.
 */
export async function* searchPages<Source>(
  es: Client,
  request: estypes.SearchRequest & { size: number },
  { backoff, signal }: { backoff?: Pick<Backoff, 'retry'>; signal?: AbortSignal | undefined } = {},
): AsyncGenerator<estypes.SearchHit<Source>[]> {
  let after: estypes.SortResults | undefined;
  do {
    const page = {
      track_total_hits: false,
      allow_partial_search_results: false,
      ...request,
      ...(after && { search_after: after }),
    };
    const search = () => es.search<Source>(page, signal === undefined ? {} : { signal });
    const answer = await (backoff === undefined ? search() : backoff.retry(search));
    const { hits } = answer.hits;
    if (request.pit !== undefined) request.pit.id = answer.pit_id ?? request.pit.id;
    if (hits.length > 0) yield hits;
    after = hits.length < request.size ? undefined : hits.at(-1)?.sort;
  } while (after !== undefined && signal?.aborted !== true);
}

/**
 * Yields all buckets of a composite aggregation, read in pages. @param backoff retries temporary rejections; else they are thrown.
 * @param request its only aggregation is `name`, which states the size of a page.
 */
export async function* compositeBuckets<Bucket>(
  es: Client,
  request: estypes.SearchRequest,
  name: string,
  backoff?: Backoff,
): AsyncGenerator<Bucket> {
  const { composite, aggs } = request.aggs?.[name] ?? {};
  let after: estypes.AggregationsCompositeAggregateKey | undefined;
  do {
    const page = { composite: { ...composite, ...(after && { after }) }, ...(aggs && { aggs }) };
    const search = () =>
      es.search<unknown, Record<string, { buckets: Bucket[]; after_key?: typeof after }>>({
        ...request,
        aggs: { [name]: page },
      });
    const { aggregations } = await (backoff === undefined ? search() : backoff.retry(search));
    backoff?.reset();
    const { buckets = [], after_key } = aggregations?.[name] ?? {};
    yield* buckets;
    after = buckets.length === composite?.size ? after_key : undefined;
  } while (after !== undefined);
}

/** Reads all listings that match a query with their versions, in pages, by default sorted by id. */
export async function* versionedPages(
  es: Client,
  index: string,
  {
    query,
    sort = [{ id: 'asc' }],
    fields,
    ...options
  }: {
    query: estypes.QueryDslQueryContainer;
    sort?: estypes.SortCombinations[] | undefined;
    fields?: string[] | undefined;
    backoff: Backoff;
    signal?: AbortSignal | undefined;
  },
): AsyncGenerator<VersionedListing[]> {
  const request = {
    index,
    query,
    ignore_unavailable: true,
    size: 1_000,
    sort,
    seq_no_primary_term: true,
    ...(fields && { _source: fields }),
  };
  for await (const hits of searchPages<StoredListing>(es, request, options))
    yield hits.map(({ _index, _source, _seq_no: seqNo = 0, _primary_term: primaryTerm = 0 }) => {
      if (_source === undefined) throw new Error('a listing without its source');
      return { index: _index, listing: _source, seqNo, primaryTerm };
    });
}

/** Reads `fields` of all listings that match a query, sorted by id; each page shows the state at its own time. */
export async function* scanListings<Fields>(
  es: Client,
  index: string,
  {
    query = { match_all: {} },
    fields,
    backoff,
  }: { query?: estypes.QueryDslQueryContainer; fields: readonly string[]; backoff: Backoff },
): AsyncGenerator<Fields[]> {
  const request = { index, query, sort: [{ id: 'asc' as const }], size: 1_000, _source: [...fields] };
  for await (const hits of searchPages<Fields>(es, request, { backoff })) {
    backoff.reset();
    yield hits.flatMap(({ _source }) => (_source === undefined ? [] : [_source]));
  }
}
