import type { Client } from '@elastic/elasticsearch';
import { METRIC_READS } from '../engine/client.js';
import { type LeasedOperation, readLease } from '../engine/lease.js';
import type { FollowUpFigures } from '../telemetry/metrics/catalogue-metrics.js';
import { FollowUpQueue, type FollowUpStep } from './follow-up-queue.js';

/** How far the full passes are. Times are ISO 8601, UTC. */
export interface FullPassState {
  /** When the last full pass began, finished or not; null: there was none. */
  started_at: string | null;
  /** When the last finished full pass ended; null: there was none. */
  ended_at: string | null;
  /** The position of the last entry of the queue when the unfinished full pass began; null: none is unfinished. */
  position: number | null;
  /** The steps of the unfinished full pass, and those of them that are done. */
  steps: readonly FollowUpStep[];
  done: readonly FollowUpStep[];
}

/** The update of everything that depends on other listings, for the whole catalogue. */
export const FULL_PASS: LeasedOperation<FullPassState> = {
  name: 'full pass',
  index: 'leases',
  initial: { started_at: null, ended_at: null, position: null, steps: [], done: [] },
};

export const FOLLOW_UP: LeasedOperation<object> = { name: 'follow-up', index: 'leases', initial: {} };

/** Reads how far the updates after loads are, for metrics. */
export async function followUpFigures(es: Client, indexPrefix: string, now: Date): Promise<FollowUpFigures> {
  const [{ ended_at }, sources] = await Promise.all([
    readLease(es, indexPrefix, FULL_PASS),
    new FollowUpQueue(es, indexPrefix).sources(METRIC_READS),
  ]);
  const waiting = [...sources.values()].flatMap(({ waiting_since: since }) =>
    since === null ? [] : [now.getTime() - Date.parse(since)],
  );
  return { fullPassAt: ended_at === null ? 0 : Date.parse(ended_at), waitingMs: Math.max(0, ...waiting) };
}
