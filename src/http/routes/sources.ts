import { Type } from 'typebox';
import { endpoint } from '../endpoint.js';
import { formatInstant } from '../../listing/instant.js';
import { sourcesRequest } from '../../engine/queries/sources.js';
import { type Freshness, FreshnessSchema } from '../../schemas/freshness.js';
import { nullable } from '../../schemas/types.js';

const count = (description: string) => Type.Integer({ description });

const SourcesSchema = Type.Object(
  {
    sources: Type.Array(
      Type.Object({
        code: Type.String({ description: 'Source platform code, as `source` and `platform` take it' }),
        listings: count('Listings of it'),
        last_load_at: nullable(
          'string',
          'When its feed last brought anything: a listing, a change or a check',
          { format: 'date-time' },
        ),
        freshness: FreshnessSchema,
      }),
    ),
    total: count('Number of sources'),
  },
  { $id: 'SourceList', description: 'Every source, most listings first' },
);

/** What the engine says of one source. */
interface Bucket {
  key: string;
  doc_count: number;
  changed: { value: number | null };
  observed: { value: number | null };
  freshness: { buckets: Record<keyof Freshness, { doc_count: number }> };
}

export const sources = endpoint({
  tag: 'Listings',
  summary: 'Every source with its number of listings and how fresh they are',
  query: Type.Object({}),
  responses: { 200: { description: 'All sources', schema: SourcesSchema } },
  async handle({ es, products, now }) {
    const answer = await es.search<unknown, { sources: { buckets: Bucket[] } }>({
      index: products,
      ...sourcesRequest(now()),
    });
    const listed = (answer.aggregations?.sources.buckets ?? []).map(toSource);
    return { body: { sources: listed, total: listed.length } };
  },
});

function toSource({ key: code, doc_count: listings, changed, observed, freshness }: Bucket) {
  const at = Math.max(changed.value ?? 0, observed.value ?? 0);
  const { day, week, month, older, never } = freshness.buckets;
  return {
    code,
    listings,
    last_load_at: at === 0 ? null : formatInstant(at),
    freshness: {
      day: day.doc_count,
      week: week.doc_count,
      month: month.doc_count,
      older: older.doc_count,
      never: never.doc_count,
    },
  };
}
