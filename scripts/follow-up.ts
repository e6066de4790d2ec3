/** npm run follow-up: updates what depends on loaded listings; see --help. */
import { engineFailure } from '../src/engine/errors.js';
import { LeaseHeldError } from '../src/engine/lease.js';
import { isFullPassDue } from '../src/follow-up/full-pass.js';
import { OperationError } from '../src/platform/operation-errors.js';
import { pause } from '../src/platform/pause.js';
import { FOLLOW_UP_STEPS } from '../src/sources/follow-up-queue.js';
import { maintainEvents } from './jobs/events.js';
import { followQueue, queueContext, runSteps } from './jobs/follow-up.js';
import { command, GRACE_MS, type Io, notice } from './shared/command.js';
import { catalogueOf, type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError } from './shared/exit.js';
import { checkWatch, touch, WATCH_OPTIONS } from './shared/repeat.js';
import { start } from './shared/start.js';

/** The share of the time in which a full pass in the background works. */
const SHARE = 0.25;
const POLL_MS = 5_000;
const EVENTS_MS = 60 * 60_000;
/** The pause in ms before work is repeated after an error. */
const RETRY_MS = 60_000;

export const main = command({
  name: 'follow-up',
  about: `Updates what depends on loaded listings. First come the flags and suggestions that npm run ingest -- --no-wait, stopped loads
and npm run withdraw left out. Then, if the last one is a day old or a large load left one out, comes a full pass: it learns the
brand dictionary if the catalogue has grown by a quarter, updates all quality flags and rebuilds all suggestions, with those of
recent searches. It takes at most a quarter of the time of one processor core, and of Elasticsearch. Several may run, on one
machine or on many: only one of them works at a time. Stop or kill it at any time: the next one continues with the first step
that is not done.

Every hour it deletes the events of requests and of loads that are older than EVENTS_RETENTION (30d), and the oldest if those of one kind
take more disk than EVENTS_MAX_SIZE (4gb), and computes which listings attract interest (GET /v1/products/trending?basis=movement).`,
  options: WATCH_OPTIONS,
  notes: `${ENGINE_HELP}, and so must EXCHANGE_RATES_FILE. With EVENTS off, no event is deleted, and
searches are not suggested.`,
  exits: { done: 'done', interrupted: 'interrupted' },
  onInterrupt: { graceMs: GRACE_MS },
  async run({ options }, env, io) {
    checkWatch(options);
    const { watch, alive } = options;
    await withEngine(env, async (engine) => {
      const works = [
        () => followQueue(engine, io, 0),
        () => runPassIfDue(engine, io),
        hourly(() => maintainEvents(engine, io)),
      ];
      if (watch) await Promise.all(works.map((work) => keepDoing(work, io, () => touch(alive))));
      else for (const work of works) await unlessBusy(work, io);
    });
  },
});

async function runPassIfDue(engine: CommandEngine, io: Io): Promise<void> {
  await catalogueOf(engine);
  if (!(await isFullPassDue(queueContext(engine, io)))) return;
  await runSteps(FOLLOW_UP_STEPS, engine, io, { share: SHARE, resume: true });
}

/** Returns a function that does the work, but only if an hour has passed since it was done last. */
function hourly(work: () => Promise<void>): () => Promise<void> {
  let dueAt = 0;
  return async () => {
    if (performance.now() < dueAt) return;
    await work();
    dueAt = performance.now() + EVENTS_MS;
  };
}

/** Does the work. If another process is doing it, prints this instead of failing. */
async function unlessBusy(work: () => Promise<void>, io: Io): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof LeaseHeldError)) throw error;
    notice(io, error.message);
  }
}

const isTemporary = (error: unknown): error is Error =>
  error instanceof OperationError || error instanceof CommandError || engineFailure(error) !== null;

/**
 * Repeats work until the command is stopped, also after a failure of Elasticsearch and after an error that the operator can fix,
 * which is printed once if it occurs several times in a row. @throws every other error.
 */
export async function keepDoing(
  work: () => Promise<void>,
  io: Pick<Io, 'err' | 'phrase' | 'signal'>,
  isAlive: () => void,
): Promise<void> {
  const { signal } = io;
  let reported = '';
  while (!signal.aborted) {
    isAlive();
    let failure = '';
    await work().catch((error: unknown) => {
      if (signal.aborted || error instanceof LeaseHeldError) return;
      if (!isTemporary(error)) throw error;
      failure = error.message;
    });
    if (failure !== '' && failure !== reported) notice(io, `${failure} Trying again.`);
    reported = failure;
    await pause(failure === '' ? POLL_MS : RETRY_MS, signal);
  }
}

await start(import.meta.url, main);
