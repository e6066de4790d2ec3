import { setTimeout as sleep } from 'node:timers/promises';
import { Backoff } from '../engine/backoff.js';
import { changedConnections, type Connections } from '../listing/connections.js';
import type { StoredListing } from '../listing/listing.js';
import { ownerOf } from '../listing/owner.js';
import type { FollowUpStep } from '../sources/follow-up-queue.js';
import { FairQueue } from '../platform/fair-queue.js';
import { type FollowUpContext, followWritten } from './follow-written.js';

/** The pause in ms before each batch of updates, longer than the refresh interval, so that searches find the listings. */
const PAUSE_MS = 2_000;
const BATCH_SIZE = 200;
/** The maximum number of listings that wait. Those above it, first of the owner with the most, are left to the next full pass. */
const MAX_WAITING = 20_000;
const GIVE_UP_AFTER_MS = 60_000;
const STEPS: readonly FollowUpStep[] = ['quality', 'suggestions'];

/** Updates flags and suggestions a few seconds after an upload; owners take turns. @param onError called if that fails. */
export function createFollowUp(where: Omit<FollowUpContext, 'backoff'>, onError: (error: unknown) => void) {
  const waiting = new FairQueue<Connections[]>(MAX_WAITING);
  const stopped = new AbortController();
  const { signal } = stopped;
  let isRunning = false;

  const run = async (): Promise<void> => {
    if (isRunning) return;
    isRunning = true;
    try {
      while (waiting.size > 0) {
        await sleep(PAUSE_MS, undefined, { signal, ref: false });
        const written = waiting.take(BATCH_SIZE).flat();
        const backoff = new Backoff({ giveUpAfterMs: GIVE_UP_AFTER_MS, signal });
        for (const step of STEPS) await followWritten({ ...where, backoff }, written, [step]).catch(onError);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      isRunning = false;
    }
  };

  return {
    written(before: StoredListing | null, after: StoredListing): void {
      const connections = changedConnections(before, after);
      if (connections.length === 0) return;
      waiting.add(ownerOf(after), connections);
      void run();
    },
    /** Ends the updates of flags and suggestions. Those that are left are made by the next full pass. */
    stop: () => stopped.abort(),
  };
}
