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

/** A search of another index than the rest of a request, which need not be there. */
export interface SearchElsewhere {
  index: string;
  body: estypes.SearchSearchRequestBody;
}

/**
 * Several searches in one request.
 * @param elsewhere one more.
 * @returns their answers, in order; whatever is empty is left out of them.
 * @throws EngineUnavailableError where one of them failed.
 */
export async function searchAll<Document = StoredListing>(
  es: Client,
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
  elsewhere: readonly SearchElsewhere[] = [],
): Promise<estypes.MsearchMultiSearchItem<Document>[]> {
  const { responses } = await es.msearch<Document>({
    searches: [
      ...bodies.flatMap((body) => [{ index, allow_partial_search_results: false }, body]),
      // Who may not read it is told that there is none.
      ...elsewhere.flatMap(({ index: other, body }) => [
        { index: other, ignore_unavailable: true, allow_partial_search_results: false },
        body,
      ]),
    ],
    filter_path: FILTER_PATH,
    max_concurrent_searches: AT_ONCE,
  });
  return responses.map((answer) => {
    // A search that failed is told inside of a 200.
    if ('error' in answer) throw new EngineUnavailableError(answer.error.type, { cause: answer.error });
    return answer;
  });
}
