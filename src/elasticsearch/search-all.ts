import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import { EngineUnavailableError } from './unavailable.js';

/** At once: a search of somebody else's waits behind no more than these. */
const AT_ONCE = 2;

const FILTER_PATH = [
  'responses.hits.hits._source',
  'responses.hits.hits._score',
  'responses.suggest',
  'responses.error',
  'responses.status',
];

/**
 * Several searches in one request.
 * @returns their answers, in order; whatever is empty is left out of them.
 * @throws EngineUnavailableError where one of them failed.
 */
export async function searchAll(
  es: Client,
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
): Promise<estypes.MsearchMultiSearchItem<StoredListing>[]> {
  const { responses } = await es.msearch<StoredListing>({
    searches: bodies.flatMap((body) => [{ index, allow_partial_search_results: false }, body]),
    filter_path: FILTER_PATH,
    max_concurrent_searches: AT_ONCE,
  });
  return responses.map((answer) => {
    // A search that failed is told inside of a 200.
    if ('error' in answer) throw new EngineUnavailableError(answer.error.type, { cause: answer.error });
    return answer;
  });
}
