import { Lease, readLease } from '../engine/lease.js';
import { FOLLOW_UP, FULL_PASS } from '../sources/follow-up-progress.js';
import type { FollowUpQueue, QueueEntry } from '../sources/follow-up-queue.js';
import { type FollowUpContext, type FollowUpCounts, followWritten } from './follow-written.js';

export interface QueueContext extends FollowUpContext {
  queue: FollowUpQueue;
  now: () => Date;
  /** Ends the work after the current entry. The rest stays in the queue. */
  signal: AbortSignal;
}

/**
 * Updates what depends on the listings in the queue. During a full pass they are kept as done, because it may overwrite the updates, and
 * it repeats them at its end. @param patienceMs how long to wait for another process. @throws LeaseHeldError after this time.
 */
export async function drainQueue(context: QueueContext, patienceMs: number): Promise<FollowUpCounts | null> {
  const { es, indexPrefix, queue, now } = context;
  if ((await queue.first('listings')) === null) return null;
  const lease = await Lease.acquireWithin(es, indexPrefix, FOLLOW_UP, patienceMs);
  const counts: FollowUpCounts = { flags: 0, suggestions: 0 };
  return lease.hold(context.signal, async (signal) => {
    await es.indices.refresh({ index: context.products });
    for await (const page of queue.entries('listings'))
      for (const entry of page) {
        if (signal.aborted) return counts;
        const { flags, suggestions } = await follow(context, entry);
        counts.flags += flags;
        counts.suggestions += suggestions;
        const keep = (await readLease(es, indexPrefix, FULL_PASS)).position !== null;
        await queue.complete([entry], { now: now(), keep });
      }
    return counts;
  });
}

/** Repeats the follow-up of the entries that was done while a full pass was running, and removes them from the queue. */
export async function repeatFollowUp(context: QueueContext): Promise<void> {
  await context.es.indices.refresh({ index: context.products });
  for await (const page of context.queue.entries('done'))
    for (const entry of page) {
      await follow(context, entry);
      await context.queue.complete([entry], { now: context.now(), keep: false });
    }
}

const follow = (context: QueueContext, { written, steps }: QueueEntry): Promise<FollowUpCounts> =>
  followWritten(context, written ?? [], steps);
