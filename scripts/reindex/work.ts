import { type Client, errors } from '@elastic/elasticsearch';
import { Backoff } from '../../src/engine/backoff.js';
import type { Output } from '../shared/command.js';
import type { Floor, Judgements } from './judgements.js';
import type { Move, MoveLease } from './lease.js';

/** What every step of a move works with. */
export interface Work {
  es: Client;
  alias: string;
  lease: MoveLease;
  /** Ends the work where it may end. */
  signal: AbortSignal;
  /** A line for people. */
  say: (line: string) => void;
  /** Where progress is shown. */
  err: Output;
  /** Golden queries may be answered otherwise than before. */
  acceptDifferences: boolean;
  /** What both indices are asked besides; null: nothing. */
  judgements: Judgements | null;
  /** What the new index must reach besides. */
  floors: readonly Floor[];
  now: () => Date;
  /** Up to which of its writes this run has completed an index; see `fillIn`. */
  filled: Map<string, number>;
}

const GIVE_UP_AFTER_MS = 10 * 60_000;

/** For waiting out an engine that is overloaded or away. */
export function backoffOf({ say }: Work, signal?: AbortSignal): Backoff {
  return new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, onWait: say, signal });
}

/** The move under way. */
export function moveOf({ lease }: Work): Move {
  const { move } = lease.state;
  if (move === null) throw new Error('no move is under way');
  return move;
}

export async function saveMove(work: Work, change: Partial<Move>): Promise<void> {
  await work.lease.save({ move: { ...moveOf(work), ...change } });
}

/** Whether the engine itself refused, so that nothing has happened; without its answer nobody knows. */
export function isDefinite(error: unknown): boolean {
  return error instanceof errors.ResponseError && (error.statusCode ?? 500) < 500 && error.statusCode !== 429;
}
