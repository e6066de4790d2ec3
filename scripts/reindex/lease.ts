import type { Lease, Leased } from '../shared/lease.js';

/** The alias on its way from one index to another. */
export interface Move {
  kind: 'reindex' | 'rollback';
  from: string;
  to: string;
  /** `TODAY` of the run that created `to`. */
  mappings: string;
  /**
   * `copying`: loads go on. `blocked`: `from` takes no writes, or is about to; the block may be lifted.
   * `swapping`: `to` is complete, the alias may be changed any moment, so from here there is only the way forward.
   */
  phase: 'copying' | 'blocked' | 'swapping';
  /** Every write to `from` up to this sequence number is in `to`; -1: not one is known to be. */
  covered: number;
  /** A copy by the engine that may be under way, and what will be covered when it is done. */
  running: { task: string; covers: number } | null;
}

/** What one run leaves for the next. */
export interface State {
  /** An unfinished move. */
  move: Move | null;
  /** The index before the live one, and up to which write to the live one it has everything. */
  previous: { index: string; covered: number } | null;
}

/** The right to move the alias, and how far the move is. */
export type MoveLease = Lease<State>;

export const REINDEX: Leased<State> = {
  name: 'reindex',
  indexOf: (indexPrefix) => `${indexPrefix}-reindex`,
  nothing: { move: null, previous: null },
};
