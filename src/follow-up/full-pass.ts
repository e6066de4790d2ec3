import { DAY_MS, formatInstant } from '../listing/instant.js';
import { Lease, readLease } from '../engine/lease.js';
import { readSourceCodes } from '../engine/source-codes.js';
import { FULL_PASS, type FullPassState } from '../sources/follow-up-progress.js';
import { FOLLOW_UP_STEPS, type FollowUpStep } from '../sources/follow-up-queue.js';
import { type QueueContext, repeatFollowUp } from './drain-queue.js';

/** How often, in ms, a full pass runs in the background. It finds what scoped updates leave out, such as recent searches. */
const INTERVAL_MS = DAY_MS;

/** The steps of a full pass, each of which updates the whole catalogue until a signal stops it. */
export type PassSteps = Partial<Record<FollowUpStep, (signal: AbortSignal) => Promise<void>>>;

interface PassOptions {
  /** Whether to continue a full pass that another process did not finish. */
  resume: boolean;
  report: (line: string) => void;
}

const isComplete = (steps: readonly FollowUpStep[]): boolean =>
  FOLLOW_UP_STEPS.every((step) => steps.includes(step));

/** Runs steps over the whole catalogue; a pass that was killed continues. @throws LeaseHeldError if another process is running steps. */
export async function runFullPass(context: QueueContext, steps: PassSteps, { resume, report }: PassOptions) {
  const { es, indexPrefix, products, queue, now } = context;
  const lease = await Lease.acquire(es, indexPrefix, FULL_PASS, report);
  const names = FOLLOW_UP_STEPS.filter((step) => steps[step] !== undefined);
  await lease.hold(context.signal, async (signal) => {
    const isUnfinished = lease.state.position !== null;
    const isSame = names.join() === lease.state.steps.join();
    if (!isUnfinished || (isComplete(names) && !(resume && isSame))) {
      const started_at = formatInstant(now().getTime());
      await lease.save({ started_at, steps: names, position: await queue.lastPosition(), done: [] });
      await es.indices.refresh({ index: products });
    }
    const { state } = lease;
    // Single steps that an operator runs during an unfinished full pass do not finish it.
    const isOwn = names.join() === state.steps.join();
    for (const name of names) {
      if (isOwn && state.done.includes(name)) continue;
      await steps[name]?.(signal);
      if (signal.aborted) return;
      if (isOwn) await lease.save({ done: [...lease.state.done, name] });
    }
    if (!isOwn) return;
    await repeatFollowUp({ ...context, signal });
    if (isComplete(names)) await noteFullPass(context, state);
    const ended = isComplete(names) ? { ended_at: formatInstant(now().getTime()) } : {};
    await lease.save({ ...ended, position: null, steps: [], done: [] });
  });
}

async function noteFullPass(
  { es, products, queue, now }: QueueContext,
  { position }: Pick<FullPassState, 'position'>,
): Promise<void> {
  for (const kind of ['listings', 'all'] as const)
    for await (const page of queue.entries(kind))
      await queue.remove(page.filter((entry) => entry.position <= (position ?? -1)).map(({ id }) => id));
  await queue.noteDone(await readSourceCodes(es, products), now());
}

/** Whether the workers have to run a full pass: one is unfinished, a load waits for one, or the last one is a day old. */
export async function isFullPassDue({ es, indexPrefix, queue, now }: QueueContext): Promise<boolean> {
  const { position, ended_at, started_at } = await readLease(es, indexPrefix, FULL_PASS);
  if (position !== null || ended_at === null || started_at === null) return true;
  if (now().getTime() - Date.parse(started_at) >= INTERVAL_MS) return true;
  return (await queue.first('all')) !== null;
}
