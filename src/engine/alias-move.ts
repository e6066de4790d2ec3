import type { Client } from '@elastic/elasticsearch';
import type { Lease, LeasedOperation } from './lease.js';
import type { FirstPage } from './index-samples.js';
import type { ProgressDisplay } from '../platform/progress.js';

/** A move of the catalogue's alias from one index to another. */
export interface AliasMove {
  kind: 'reindex' | 'rollback';
  from: string;
  to: string;
  /** A hash of the mappings with which the target index was created. */
  mappings: string;
  /**
   * `copying`: loads continue. `blocked`: the old index rejects writes, or is about to; the block may be lifted. `swapping`: the
   * new index is complete and the alias may change at any moment, so the move can only be completed, not undone.
   */
  phase: 'copying' | 'blocked' | 'swapping';
  /** All writes to the old index up to this sequence number are in the new index; -1: it is not known of any write. */
  covered: number;
  /** The copy task of Elasticsearch that may be running. `covers` becomes `covered` when it has completed. */
  running: { task: string; covers: number } | null;
}

interface ReindexState {
  move: AliasMove | null;
  /** The index to which the alias pointed before. It contains all writes to the live index up to the sequence number `covered`. */
  previous: { index: string; covered: number } | null;
  /** Former indices of the catalogue. The live index has every write to them. A restore clears this list. */
  predecessors?: string[];
}

const MAX_PREDECESSORS = 50;

/**
 * The state after the alias has moved.
 * @param covered the sequence number of the live index up to which the previous index contains its writes.
 */
export function movedState(
  { predecessors = [] }: Pick<ReindexState, 'predecessors'>,
  { from, to }: Pick<AliasMove, 'from' | 'to'>,
  covered: number,
): ReindexState {
  const former = predecessors.filter((index) => index !== to && index !== from);
  return {
    move: null,
    previous: { index: from, covered },
    predecessors: [...former, from].slice(-MAX_PREDECESSORS),
  };
}

/** Whether the live index has every write of a former index, because reindexes or rollbacks have moved the alias. */
export const isPredecessor = (
  { predecessors = [], previous, move }: ReindexState,
  index: string,
  live: string,
): boolean =>
  predecessors.includes(index) ||
  previous?.index === index ||
  // The alias has just moved, and the state is about to be stored.
  (move?.from === index && move.to === live);

/** The exclusive right to move the alias of the catalogue, which reindex and restore share. */
export type AliasMoveLease = Lease<ReindexState>;

export const REINDEX: LeasedOperation<ReindexState> = {
  name: 'reindex',
  index: 'reindex',
  initial: { move: null, previous: null },
};

/** The services and settings that a reindex and a restore need. */
export interface AliasMoveRun {
  es: Client;
  alias: string;
  lease: AliasMoveLease;
  firstPage: FirstPage;
  /** Aborting it ends the run at the next point from which it can be continued or repeated later. */
  signal: AbortSignal;
  report: (line: string) => void;
  showProgress: (title: string) => ProgressDisplay;
}
