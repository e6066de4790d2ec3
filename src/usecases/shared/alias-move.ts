import type { Lease, LeasedOperation } from '../../engine/lease.js';

/** A move of the catalogue's alias from one index to another. */
export interface AliasMove {
  kind: 'reindex' | 'rollback';
  from: string;
  to: string;
  /** `CURRENT_MAPPINGS` of the run that created `to`. */
  mappings: string;
  /**
   * `copying`: loads continue. `blocked`: `from` rejects writes, or is about to; the block may be lifted. `swapping`: `to`
   * is complete and the alias may change at any moment, so the move can only be completed, not undone.
   */
  phase: 'copying' | 'blocked' | 'swapping';
  /** Every write to `from` up to this sequence number is in `to`; -1 if that is not known of any write. */
  covered: number;
  /** A copy task of Elasticsearch that may be running, and the value of `covered` once it has completed. */
  running: { task: string; covers: number } | null;
}

/** The state of a reindex that is stored for the next run. */
export interface ReindexState {
  /** An unfinished move. */
  move: AliasMove | null;
  /** The index that was live before, and the sequence number up to which it has every write to the live index. */
  previous: { index: string; covered: number } | null;
}

/** The exclusive right to move the alias, which reindex and restore share. */
export type AliasMoveLease = Lease<ReindexState>;

export const REINDEX: LeasedOperation<ReindexState> = {
  name: 'reindex',
  indexOf: (indexPrefix) => `${indexPrefix}-reindex`,
  initial: { move: null, previous: null },
};
