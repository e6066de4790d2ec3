import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../listing/listing.js';
import { bytesOf } from './bytes.js';
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
interface SearchElsewhere {
  index: string;
  body: estypes.SearchSearchRequestBody;
}

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
  const { responses } = await es.msearch<StoredListing>(msearchOf(index, bodies, []));
  return responses.map((answer) => {
    // A search that failed is told inside of a 200.
    if ('error' in answer) throw new EngineUnavailableError(answer.error.type, { cause: answer.error });
    return answer;
  });
}

/**
 * The same, unread: what is told inside of the answer, such as that a search failed, is for its reader.
 * @param elsewhere one more.
 * @returns the body of the engine's answer.
 */
export async function searchAllBytes(
  es: Client,
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
  elsewhere: readonly SearchElsewhere[] = [],
): Promise<Uint8Array> {
  const request = msearchOf(index, bodies, elsewhere);
  const bytes = await bytesOf(es.msearch(request, { asStream: true, meta: true }));
  return bytes ?? Buffer.from(JSON.stringify(await es.msearch(request)));
}

const msearchOf = (
  index: string,
  bodies: readonly estypes.SearchSearchRequestBody[],
  elsewhere: readonly SearchElsewhere[],
): estypes.MsearchRequest => ({
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
