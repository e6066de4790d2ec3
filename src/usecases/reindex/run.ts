import type { Client } from '@elastic/elasticsearch';
import { Backoff } from '../../engine/backoff.js';
import type { AliasMove, AliasMoveLease } from '../shared/alias-move.js';
import type { FirstPage } from '../shared/index-samples.js';
import type { ProgressDisplay } from '../shared/progress.js';

export interface ReindexRun {
  es: Client;
  alias: string;
  lease: AliasMoveLease;
  /** Ends the run at the next point where it can be continued later. */
  signal: AbortSignal;
  report: (line: string) => void;
  showProgress: (title: string) => ProgressDisplay;
  firstPage: FirstPage;
  /** Whether to move the alias even if the new index answers golden queries differently. */
  acceptDifferences: boolean;
  /**
   * Compares the relevance of the results of both indices by human judgements.
   * @returns lines for the operator.
   * @throws StoppedError if the new index is worse than allowed.
   */
  checkRelevance: (from: string, to: string) => Promise<string[]>;
  now: () => Date;
  /** For each index, the sequence number up to which this run has added the fields of a newer schema. */
  filled: Map<string, number>;
}

const GIVE_UP_AFTER_MS = 10 * 60_000;

/** Creates a back-off that retries requests while the engine is overloaded or unavailable. */
export function backoffOf({ report }: Pick<ReindexRun, 'report'>, signal?: AbortSignal): Backoff {
  return new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, onWait: report, signal });
}

export function moveOf({ lease }: Pick<ReindexRun, 'lease'>): AliasMove {
  const { move } = lease.state;
  if (move === null) throw new Error('no move is under way');
  return move;
}

export async function saveMove(run: ReindexRun, change: Partial<AliasMove>): Promise<void> {
  await run.lease.save({ move: { ...moveOf(run), ...change } });
}
