import { randomBytes } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { ensureIndex, KEYWORD, untilReadable } from '../engine/indices.js';
import { formatInstant } from '../listing/instant.js';
import { storedIndex } from '../platform/stored.js';

/**
 * How a run ended. `loaded`: all records but the rejected ones were loaded. `not_modified`: the feed has not changed since
 * it was loaded last. `refused`: a guard stopped the run. `failed`: the end of the feed was not reached. `running`: it
 * has not ended, or its process was killed.
 */
export const RUN_OUTCOMES = [
  ...(['loaded', 'not_modified', 'refused'] as const),
  ...(['failed', 'interrupted', 'running'] as const),
] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

/** The map of the columns of a feed: its name, and a hash of its content and of the options. */
export interface MapVersion {
  name: string;
  version: string;
}

/** The record of one load of the feeds of a source, or of one feed. Times are ISO 8601, UTC. */
export interface RunRecord {
  run: string;
  /** The name of the source file, or for a load by name of a feed, the name of the feed. */
  name: string;
  started_at: string;
  ended_at: string | null;
  outcome: RunOutcome;
  /** The guard that stopped the run, by its name in a source file; null: none did. */
  rule: string | null;
  /** Why the run was refused or failed, in a sentence; null if it was not. */
  reason: string | null;
  files: string[];
  /** The number of bytes that were read, after the decompression of the transfer. */
  bytes: number;
  /** Null: the records are not mapped. */
  map: MapVersion | null;
  counts: RunCounts;
  rejected_by_reason: Record<string, number>;
  /** The change of the median price against the stored listings, in percent; negative if prices fell. */
  price_change_pct: number | null;
  /** The columns that the feed lacks or has in addition, compared with the last loaded one. */
  columns: { lost: string[]; added: string[] };
}

const NO_COUNTS = {
  records: 0,
  new: 0,
  price_moved: 0,
  /** The number of listings that lost their price. */
  price_cleared: 0,
  changed: 0,
  unchanged: 0,
  rejected: 0,
  /** The number of listings that became unavailable because a complete feed lacks them. */
  vanished: 0,
};
export type RunCounts = typeof NO_COUNTS;

const KEPT = 1_000;

/** Returns an id for a run that sorts by time. */
export const newRunId = (now: Date): string =>
  `${now.getTime().toString(36).padStart(9, '0')}-${randomBytes(3).toString('hex')}`;

export class Runs {
  readonly #index: string;
  #exists = false;

  constructor(
    private readonly es: Client,
    private readonly indexPrefix: string,
  ) {
    this.#index = storedIndex(indexPrefix, 'runs');
  }

  async save(run: RunRecord): Promise<void> {
    await this.#ensureIndex();
    await this.es.index({ index: this.#index, id: run.run, document: run });
  }

  async prune(name: string): Promise<void> {
    const { hits } = await this.es.search<RunRecord>({
      index: this.#index,
      query: { term: { name } },
      sort: [{ started_at: 'desc' }, { run: 'desc' }],
      from: KEPT,
      size: 1,
      _source: ['started_at'],
      track_total_hits: false,
    });
    const oldest = hits.hits[0]?._source?.started_at;
    if (oldest === undefined) return;
    const filter = [{ term: { name } }, { range: { started_at: { lte: oldest } } }];
    await this.es.deleteByQuery({ index: this.#index, query: { bool: { filter } }, conflicts: 'proceed' });
  }

  /** Reads runs by id. A run that is not stored, or no longer, is missing in the result. */
  async read(ids: readonly string[]): Promise<Map<string, RunRecord>> {
    if (ids.length === 0) return new Map();
    // Documents of a missing index are errors in the answer, as a run that is not stored is.
    const { docs } = await this.es.mget<RunRecord>({ index: this.#index, ids: [...ids] });
    return new Map(
      docs.flatMap((doc) => ('found' in doc && doc._source !== undefined ? [[doc._id, doc._source]] : [])),
    );
  }

  async last(name: string, size: number): Promise<RunRecord[]> {
    const { hits } = await this.es.search<RunRecord>({
      index: this.#index,
      ignore_unavailable: true,
      query: { term: { name } },
      sort: [
        { started_at: { order: 'desc', unmapped_type: 'date' } },
        { run: { order: 'desc', unmapped_type: 'keyword' } },
      ],
      size,
    });
    return hits.hits.flatMap(({ _source }) => _source ?? []);
  }

  async #ensureIndex(): Promise<void> {
    if (this.#exists) return;
    const fields = { run: KEYWORD, name: KEYWORD, started_at: { type: 'date' }, outcome: KEYWORD } as const;
    await ensureIndex(this.es, this.indexPrefix, 'runs', fields, { hidden: true });
    await untilReadable(this.es, this.#index);
    this.#exists = true;
  }
}

export const begunRun = (
  now: Date,
  { name, files, map }: Pick<RunRecord, 'name' | 'files' | 'map'>,
): RunRecord => ({
  run: newRunId(now),
  name,
  started_at: formatInstant(now.getTime()),
  ended_at: null,
  outcome: 'running',
  rule: null,
  reason: null,
  files,
  bytes: 0,
  map,
  counts: { ...NO_COUNTS },
  rejected_by_reason: {},
  price_change_pct: null,
  columns: { lost: [], added: [] },
});
