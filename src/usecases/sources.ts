import type { Context } from './context.js';
import { sourcesRequest } from '../engine/queries/sources.js';
import { formatInstant } from '../listing/instant.js';
import type { Freshness } from '../schemas/quality.js';
import { FollowUpQueue, type SourceFollowUp } from '../sources/follow-up-queue.js';
import { byAttention, isStale, readSourceStates, type SourceState } from '../sources/source-states.js';

interface SourceBucket {
  key: string;
  doc_count: number;
  changed: { value: number | null };
  observed: { value: number | null };
  freshness: { buckets: Record<keyof Freshness, { doc_count: number }> };
}

/**
 * Returns all sources, sorted by the number of listings. With `schedule`, those that need attention come first, and source files
 * without listings are included, because their first run may have been refused.
 */
export async function listSources(
  { config, es, products, now }: Context,
  { include = [] }: { include?: readonly ('schedule' | 'follow_up')[] },
) {
  const time = now();
  const withSchedule = include.includes('schedule');
  const request = { index: products, ...sourcesRequest(time) };
  const [{ aggregations }, states, followUps] = await Promise.all([
    es.search<unknown, { sources: { buckets: SourceBucket[] } }>(request),
    withSchedule ? readSourceStates(es, config.indexPrefix) : [],
    include.includes('follow_up') ? new FollowUpQueue(es, config.indexPrefix).sources() : null,
  ]);
  const withFollowUp = <T extends { code: string }>(source: T) =>
    followUps === null ? source : { ...source, follow_up: followUps.get(source.code) ?? NEVER_FOLLOWED };
  const listed = (aggregations?.sources.buckets ?? []).map(toSource).map(withFollowUp);
  if (!withSchedule) return { body: { sources: listed, total: listed.length } };
  const codes = new Set(listed.map(({ code }) => code));
  const empty = states.flatMap(({ source }) =>
    source === null || codes.has(source)
      ? []
      : [withFollowUp({ code: source, listings: 0, last_load_at: null, freshness: NONE })],
  );
  empty.sort((a, b) => (a.code < b.code ? -1 : 1));
  const byCode = new Map(states.map((state) => [state.source, state]));
  const all = [...listed, ...empty].sort((a, b) => byAttention(byCode.get(a.code), byCode.get(b.code), time));
  const sources = all.map((source) => ({ ...source, ...scheduleMembers(byCode.get(source.code), time) }));
  return { body: { sources, total: sources.length } };
}

const NEVER_FOLLOWED: SourceFollowUp = { done_at: null, waiting_since: null };
const NONE: Freshness = { day: 0, week: 0, month: 0, older: 0, never: 0 };

function scheduleMembers(state: SourceState | undefined, now: Date) {
  return {
    schedule: state?.schedule ?? null,
    last_run: state?.last_run ? toRun(state.last_run) : null,
    next_run_at: state?.next_run_at ?? null,
    expected_freshness_s: state?.expected_freshness_s ?? null,
    stale: state === undefined || state.expected_freshness_s === null ? null : isStale(state, now),
  };
}

function toRun({ started_at, outcome, counts, reason }: NonNullable<SourceState['last_run']>) {
  return { at: started_at, outcome, records: counts.records, rejected: counts.rejected, reason };
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
