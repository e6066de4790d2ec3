import type { Context } from './context.js';
import { sourcesRequest } from '../engine/queries/sources.js';
import { formatInstant } from '../listing/instant.js';
import type { Freshness } from '../schemas/quality.js';

interface SourceBucket {
  key: string;
  doc_count: number;
  changed: { value: number | null };
  observed: { value: number | null };
  freshness: { buckets: Record<keyof Freshness, { doc_count: number }> };
}

/** Returns all sources, sorted by the number of listings. */
export async function listSources({ es, products, now }: Context) {
  const { aggregations } = await es.search<unknown, { sources: { buckets: SourceBucket[] } }>({
    index: products,
    ...sourcesRequest(now()),
  });
  const sources = (aggregations?.sources.buckets ?? []).map(toSource);
  return { body: { sources, total: sources.length } };
}

function toSource({ key: code, doc_count: listings, changed, observed, freshness }: SourceBucket) {
  const lastLoad = Math.max(changed.value ?? 0, observed.value ?? 0);
  const { day, week, month, older, never } = freshness.buckets;
  return {
    code,
    listings,
    last_load_at: lastLoad === 0 ? null : formatInstant(lastLoad),
    freshness: {
      day: day.doc_count,
      week: week.doc_count,
      month: month.doc_count,
      older: older.doc_count,
      never: never.doc_count,
    },
  };
}
