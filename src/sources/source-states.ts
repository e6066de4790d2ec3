import type { Client } from '@elastic/elasticsearch';
import type { LeasedOperation } from '../engine/lease.js';
import { refreshed } from '../published/learned-versions.js';
import type { RunRecord } from './runs.js';
import { storedIndex } from '../platform/stored.js';

/** What the service stores about a configured source: its schedule, its last run, and what the next run needs. */
export interface SourceState {
  file: string;
  /** The code of the source; null until its file was read for the first time. */
  source: string | null;
  /** Who is responsible for the source. The lease has a member `owner`, the process that holds it. */
  responsible: string | null;
  /** The shop to which the source belongs; null: none is named. A state of an earlier version lacks this member. */
  shop?: string | null;
  schedule: { cron: string; timezone: string } | null;
  expected_freshness_s: number | null;
  /** When the source is due next; null: it has no schedule. */
  next_run_at: string | null;
  last_run: RunRecord | null;
  /** When the last run began, which may be one that has not ended. */
  attempted_at: string | null;
  /** The number of consecutive runs that failed, including one whose process was killed. */
  failures: number;
  /** When the data of the last loaded feed was seen: its `Last-Modified`, otherwise the time of the run. */
  fresh_at: string | null;
  /** The version of the feed that was loaded last, and the hash of the options with which it was loaded. */
  loaded: { feed: string; last_modified: string | null; etag: string | null; options: string } | null;
  /** The share of the first records of the last loaded feed that have each column. */
  columns: Record<string, number>;
}

/** The operation of loading one source, whose lease and state are one document. */
export const sourceOperation = (file: string): LeasedOperation<SourceState> => ({
  name: `sync of ${file}`,
  index: 'sources',
  initial: {
    file,
    source: null,
    responsible: null,
    shop: null,
    schedule: null,
    expected_freshness_s: null,
    next_run_at: null,
    last_run: null,
    attempted_at: null,
    failures: 0,
    fresh_at: null,
    loaded: null,
    columns: {},
  },
});

export const MAX_SOURCE_FILES = 1_000;

/** Reads the states of all configured sources, sorted by the name of their files. */
export async function readSourceStates(
  es: Client,
  indexPrefix: string,
  options: { requestTimeout?: number; maxRetries?: number; ignore?: number[] } = {},
): Promise<SourceState[]> {
  const { hits } = await es.search<SourceState>(
    { index: storedIndex(indexPrefix, 'sources'), ignore_unavailable: true, size: MAX_SOURCE_FILES },
    options,
  );
  return (hits?.hits ?? [])
    .flatMap(({ _source }) => _source ?? [])
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

/** Reads the shops of the configured sources that belong to one, by the code of the source. */
export async function readShops(es: Client, indexPrefix: string): Promise<ReadonlyMap<string, string>> {
  const states = await readSourceStates(es, indexPrefix);
  return new Map(
    states.flatMap(({ source, shop = null }): [string, string][] =>
      source === null || shop === null ? [] : [[source, shop]],
    ),
  );
}

/** Creates a function that returns the shops, which are read again every ten seconds at most. */
export const shopsReader = (es: Client, indexPrefix: string): (() => Promise<ReadonlyMap<string, string>>) =>
  refreshed<ReadonlyMap<string, string>>(new Map(), () => readShops(es, indexPrefix));

/** Whether the data of a source is older than its file expects; false if it expects nothing. */
export const isStale = ({ expected_freshness_s: expected, fresh_at: at }: SourceState, now: Date): boolean =>
  expected !== null && (at === null || now.getTime() - Date.parse(at) > expected * 1_000);

/** Sorts sources whose last run failed or was refused first, then those with stale data, then all others. */
export const byAttention = (a: SourceState | undefined, b: SourceState | undefined, now: Date): number =>
  attentionRank(a, now) - attentionRank(b, now);

function attentionRank(state: SourceState | undefined, now: Date): number {
  if (state === undefined) return 2;
  if (state.last_run?.outcome === 'failed' || state.last_run?.outcome === 'refused') return 0;
  return isStale(state, now) ? 1 : 2;
}
