import type { Client } from '@elastic/elasticsearch';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import type { FirstPage } from '../../src/usecases/shared/index-samples.js';

const SIZE = 10;

/** Returns the first ten results of `GET /v1/search` from an index. `match: 'any'` does not change them. */
export const firstPageOf =
  (es: Client): FirstPage =>
  async (index, query) => {
    const { hits } = await findByText(es, {
      ...TEXT_ALONE,
      match: 'any',
      text: query,
      target: { index },
      page: { slice: { limit: SIZE, offset: 0 }, request: { _source: ['id', 'source', 'sku', 'name'] } },
    });
    return hits.flatMap(({ _source }) => _source ?? []);
  };
