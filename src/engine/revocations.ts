import type { Client } from '@elastic/elasticsearch';
import { KNOWN_KEY_MS, type Revocations } from '../platform/access/known-keys.js';
import { storedIndex } from '../platform/stored.js';
import { ensureIndex } from './indices.js';

/** How much longer than `KNOWN_KEY_MS` a revocation is read, in ms, because the clocks of instances may differ. */
const MARGIN_MS = 3_600_000;

/** The maximum number of hits of one search. More revocations within `KNOWN_KEY_MS` count as unreadable. */
const MAX_REVOCATIONS = 10_000;

interface Revocation {
  recorded_at: string;
  refused_from: string;
}

/** The revocations of keys in Elasticsearch: documents by the id of the key, which state from when it is refused. */
export function storedRevocations(es: Client, indexPrefix: string): Revocations {
  const index = storedIndex(indexPrefix, 'revocations');
  const since = (now: Date) => new Date(now.getTime() - KNOWN_KEY_MS - MARGIN_MS).toISOString();
  return {
    async record(id, refusedFrom, now) {
      const date = { type: 'date' } as const;
      await ensureIndex(es, indexPrefix, 'revocations', { recorded_at: date, refused_from: date });
      const document: Revocation = { recorded_at: now.toISOString(), refused_from: refusedFrom };
      await es.index({ index, id, document, refresh: true });
      const query = { range: { recorded_at: { lt: since(now) } } };
      await es.deleteByQuery({ index, query, conflicts: 'proceed' }).catch(() => undefined);
    },
    async read(now) {
      const { hits } = await es.search<Revocation>(
        {
          index,
          ignore_unavailable: true,
          allow_partial_search_results: false,
          query: { range: { recorded_at: { gte: since(now) } } },
          size: MAX_REVOCATIONS,
          track_total_hits: MAX_REVOCATIONS + 1,
        },
        { requestTimeout: 1_000, maxRetries: 0 },
      );
      const total = typeof hits.total === 'object' ? hits.total.value : 0;
      if (total > hits.hits.length) throw new Error(`there are more than ${MAX_REVOCATIONS} revocations`);
      return new Map(hits.hits.map(({ _id, _source }) => [_id ?? '', _source?.refused_from ?? '']));
    },
  };
}
