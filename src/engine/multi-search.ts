import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import type { Product } from '../schemas/product.js';
import { EngineUnavailableError } from './errors.js';
import {
  firstListingsRequest,
  SCORED_GLOBALLY,
  scoredGlobally,
  type Selection,
} from './queries/selection.js';
import { bytesOf } from './response-bytes.js';
import { totalOf } from './deep-offset.js';

/** The number of searches of one request that Elasticsearch runs at once. With one, other processors serve other clients. */
const CONCURRENT_SEARCHES = 1;

const FILTER_PATH = [
  'took',
  'responses.hits.total',
  'responses.hits.hits._source',
  'responses.hits.hits.matched_queries',
  'responses.aggregations',
  'responses.suggest',
  'responses.error',
  'responses.status',
];

/** A search of indices, some of which need not exist. */
interface OptionalSearch {
  /** The indices that are searched, separated by commas, as Elasticsearch accepts them. */
  index: string;
  body: estypes.SearchSearchRequestBody;
}

/** Runs several searches of an index in one request. @throws EngineUnavailableError if one of them failed. */
export async function searchAll<Source = StoredListing>(
  es: Client,
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
): Promise<estypes.MsearchMultiSearchItem<Source>[]> {
  const { responses } = await es.msearch<Source>(searchAllRequest(index, bodies));
  return responses.map(succeeded);
}

/**
 * Runs several searches of one index, and an `optional` one of indices that need not exist, in one request.
 * @returns Elasticsearch's answer, not parsed. It may contain the errors of searches that failed.
 */
export async function searchAllBytes(
  es: Client,
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
  optional?: OptionalSearch,
): Promise<Uint8Array> {
  const request = searchAllRequest(index, bodies, optional);
  const bytes = await bytesOf(es.msearch(request, { asStream: true, meta: true }));
  return bytes ?? Buffer.from(JSON.stringify(await es.msearch(request)));
}

const searchAllRequest = (
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
  optional?: OptionalSearch,
): estypes.MsearchRequest => ({
  searches: [
    ...bodies.flatMap((body) => [{ index, allow_partial_search_results: false, ...SCORED_GLOBALLY }, body]),
    // Elasticsearch reports an index as unavailable also if this user may not read it.
    ...(optional === undefined
      ? []
      : [
          { index: optional.index, ignore_unavailable: true, allow_partial_search_results: false },
          optional.body,
        ]),
  ],
  filter_path: FILTER_PATH,
  max_concurrent_searches: CONCURRENT_SEARCHES,
});

interface FirstListings {
  total: number;
  listings: Product[];
}

/**
 * Finds the first listings of each query, in their public shape, in one request; null stands for a query that finds nothing.
 * @throws EngineUnavailableError if one of the searches failed.
 */
export async function searchEach(
  es: Client,
  index: string,
  queries: readonly (estypes.QueryDslQueryContainer | null)[],
  options: Pick<Selection, 'sort'> & { size: number; source?: estypes.SearchSourceConfig | undefined },
): Promise<FirstListings[]> {
  const sent = queries.filter((query) => query !== null);
  if (sent.length === 0) return queries.map(() => ({ total: 0, listings: [] }));
  const { responses } = await es.msearch<Product>({
    searches: sent.flatMap((query) => [
      { index, allow_partial_search_results: false, ...scoredGlobally(options.sort) },
      firstListingsRequest(query, options),
    ]),
    filter_path: FILTER_PATH,
    max_concurrent_searches: CONCURRENT_SEARCHES,
  });
  const answers = responses.map((response): FirstListings => {
    const answer = succeeded(response);
    const listings = (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []);
    return { total: totalOf(answer), listings };
  });
  return queries.map((query) => (query === null ? undefined : answers.shift()) ?? { total: 0, listings: [] });
}

/** Elasticsearch reports the failure of one search of a multi-search request in an answer with status 200. */
export function succeeded<Source>(
  answer: estypes.MsearchMultiSearchItem<Source> | estypes.ErrorResponseBase,
): estypes.MsearchMultiSearchItem<Source> {
  if ('error' in answer) throw new EngineUnavailableError(answer.error.type, { cause: answer.error });
  return answer;
}
