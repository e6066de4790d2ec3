import type { Client } from '@elastic/elasticsearch';
import { DAY_MS } from '../../listing/instant.js';
import { storedIndex } from '../../platform/stored.js';
import type { RedisStore } from './redis-copy.js';

/** Audit events are read from this time before the copy of Redis on, because the clocks of instances may differ. */
const MARGIN_MS = DAY_MS;
const MAX_KEYS = 20_000;

interface KeyBuckets {
  keys: { sum_other_doc_count: number; buckets: { key: string; at: { value: number } }[] };
}

/** Revokes restored keys that were revoked after the copy, as the audit events say, and lists later changes that are lost. */
export async function applyLaterChanges(
  es: Client,
  { keys }: RedisStore,
  { indexPrefix, copiedAt, now }: { indexPrefix: string; copiedAt: string; now: Date },
) {
  const ofAction = (actions: string[], field: string, since: number) => ({
    filter: {
      bool: {
        filter: [
          { terms: { 'event.action': actions } },
          { range: { '@timestamp': { gt: new Date(since).toISOString() } } },
        ],
      },
    },
    aggs: { keys: { terms: { field, size: MAX_KEYS }, aggs: { at: { min: { field: '@timestamp' } } } } },
  });
  const at = Date.parse(copiedAt);
  const { aggregations: found } = await es.search<
    unknown,
    Record<'revoked' | 'created' | 'replaced', KeyBuckets> & { until: { value: number | null } }
  >({
    index: storedIndex(indexPrefix, 'audit'),
    ignore_unavailable: true,
    allow_no_indices: true,
    allow_partial_search_results: false,
    size: 0,
    aggs: {
      until: { max: { field: '@timestamp' } },
      revoked: ofAction(['key-revoked'], 'catalog.key.id', at - MARGIN_MS),
      created: ofAction(['key-created', 'key-rotated', 'key-imported'], 'catalog.key.id', at),
      replaced: ofAction(['key-rotated'], 'catalog.key.replaces', at),
    },
  });
  const bucketsOf = (name: 'revoked' | 'created' | 'replaced') => found?.[name].keys.buckets ?? [];
  const known = new Map((await keys.list(now)).map((key) => [key.id, key]));
  const revoked: string[] = [];
  for (const { key, at } of bucketsOf('revoked')) {
    if (known.get(key)?.revokedAt !== null) continue;
    await keys.revoke(key, new Date(at.value));
    revoked.push(key);
  }
  const lost = bucketsOf('created').flatMap(({ key }) => (known.has(key) ? [] : [key]));
  const until = found?.until.value ?? null;
  return {
    /** The time of the last audit event (ISO 8601, UTC); null: there is none. */
    until: until === null ? null : new Date(until).toISOString(),
    revoked,
    lost,
    /** The keys that were rotated after the copy. The copy lacks their successors, so the old keys stay valid. */
    replaced: bucketsOf('replaced').flatMap(({ key }) => (known.has(key) && lost.length > 0 ? [key] : [])),
    isCut: [found?.revoked, found?.created, found?.replaced].some(
      (one) => (one?.keys.sum_other_doc_count ?? 0) > 0,
    ),
  };
}

export type LaterChanges = Awaited<ReturnType<typeof applyLaterChanges>>;
