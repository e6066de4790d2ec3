import type { Client, estypes } from '@elastic/elasticsearch';
import type { Product } from '../schemas/product.js';
import { firstRequest } from './queries/pages.js';
import type { Found } from './pages.js';
import { totalOf } from './reach.js';
import type { Selection } from './queries/selection.js';
import { EngineUnavailableError } from './unavailable.js';

/**
 * The first listings of each query, in their public shape, in one request.
 * @param queries null: nothing is asked, and nothing found.
 * @returns in the order of the queries.
 */
export async function searchEach(
  es: Client,
  index: string,
  queries: readonly (estypes.QueryDslQueryContainer | null)[],
  { sort, size }: Pick<Selection, 'sort'> & { size: number },
): Promise<Found<Product>[]> {
  const asked = queries.filter((query) => query !== null);
  const answers = asked.length === 0 ? [] : await search(es, index, asked, { sort, size });
  return queries.map((query) => (query === null ? undefined : answers.shift()) ?? { total: 0, listings: [] });
}

async function search(
  es: Client,
  index: string,
  queries: readonly estypes.QueryDslQueryContainer[],
  { sort, size }: Pick<Selection, 'sort'> & { size: number },
): Promise<Found<Product>[]> {
  const { responses } = await es.msearch<Product>({
    searches: queries.flatMap((query) => [
      { index, allow_partial_search_results: false },
      firstRequest(query, { sort, size }),
    ]),
    filter_path: [
      'responses.hits.total',
      'responses.hits.hits._source',
      'responses.error',
      'responses.status',
    ],
  });
  return responses.map((answer) => {
    // A search that failed is told inside of a 200.
    if ('error' in answer) throw new EngineUnavailableError(answer.error.type, { cause: answer.error });
    return {
      total: totalOf(answer),
      listings: (answer.hits?.hits ?? []).flatMap(({ _source }) => _source ?? []),
    };
  });
}
