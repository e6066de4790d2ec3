import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { FreshnessSchema } from '../../schemas/quality.js';
import { nullable } from '../../schemas/types.js';
import { listSources } from '../../usecases/sources.js';

const SourcesSchema = Type.Object(
  {
    sources: Type.Array(
      Type.Object({
        code: Type.String({
          description: 'Source platform code, a value of the parameters `source` and `platform`',
        }),
        listings: Type.Integer({ description: 'The number of listings of the source' }),
        last_load_at: nullable(
          'string',
          'When a load last created, changed or checked a listing of the source',
          { format: 'date-time' },
        ),
        freshness: FreshnessSchema,
      }),
    ),
    total: Type.Integer({ description: 'The number of sources' }),
  },
  { $id: 'SourceList', description: 'All sources, sorted by the number of listings' },
);

export const sources = endpoint({
  tag: 'Listings',
  summary: 'List all sources with the number and the freshness of their listings',
  query: Type.Object({}),
  responses: { 200: { description: 'All sources', schema: SourcesSchema } },
  handle: (context) => listSources(context),
});
