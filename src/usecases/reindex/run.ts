import type { IndexLayout } from '../../platform/config/config.js';
import { Backoff } from '../../engine/backoff.js';
import type { AliasMove, AliasMoveRun } from '../../engine/alias-move.js';

export interface ReindexRun extends AliasMoveRun {
  layout: IndexLayout;
  acceptDifferences: boolean;
  /** Compares the relevance in both indices. @returns lines for the operator. @throws StoppedError if the new one is too bad. */
  checkRelevance: (from: string, to: string) => Promise<string[]>;
  now: () => Date;
  /** For each index, the sequence number up to which this run has added the fields of a newer schema. */
  filled: Map<string, number>;
}

export function backoffOf({ report }: Pick<ReindexRun, 'report'>, signal?: AbortSignal): Backoff {
  return new Backoff({ onWait: report, signal });
}

export function moveOf({ lease }: Pick<ReindexRun, 'lease'>): AliasMove {
  const { move } = lease.state;
  if (move === null) throw new Error('no move is under way');
  return move;
}

export async function saveMove(run: ReindexRun, change: Partial<AliasMove>): Promise<void> {
  await run.lease.save({ move: { ...moveOf(run), ...change } });
}
