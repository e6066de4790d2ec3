import { CommandError } from '../shared/exit.js';
import { formatCount, showProgress } from '../shared/terminal.js';
import { awaitCopy, type Copy, refreshFully, startCopy, writesOf } from './copy.js';
import { fillIn } from './fill.js';
import { moveOf, backoffOf, saveMove, type Work } from './work.js';

/** After a pass as short as this, or of as few listings, little is left for the one during which loads are held. */
const SHORT_PASS_MS = 2_000;
const SMALL_PASS = 1_000;
/** Loads may be held for a pass as long as this, if the passes do not get any shorter. */
const TOLERABLE_PASS_MS = 30_000;
const MAX_PASSES = 10;

/**
 * Copies what is not there yet, and then what was written meanwhile, until that takes no time any more.
 * @returns how many listings were copied.
 * @throws CommandError when loads write as fast as the engine copies.
 */
export async function catchUp(work: Work): Promise<number> {
  let copied = 0;
  for (let pass = 1; ; pass++) {
    const started = performance.now();
    const more = await copyOnce(work, work.signal);
    const took = performance.now() - started;
    copied += more;
    if (pass > 1) work.say(`caught up with ${formatCount(more)} writes`);
    if (took < SHORT_PASS_MS || more <= SMALL_PASS) return copied;
    if (pass >= MAX_PASSES && took < TOLERABLE_PASS_MS) return copied;
    if (pass >= MAX_PASSES) {
      throw new CommandError(
        'Loads write as fast as the engine copies; run this again, it goes on from here, when less is written.',
      );
    }
  }
}

/**
 * One pass: everything that was written after the sequence number that is covered. Takes up a pass that the engine is
 * still at, and begins anew one that the engine has lost.
 * @returns how many listings it copied.
 */
export async function copyOnce(work: Work, signal: AbortSignal): Promise<number> {
  const { from, to, covered } = moveOf(work);
  const started = performance.now();
  const display = showProgress(covered < 0 ? `copying to ${to}` : 'catching up', work.err);
  const copy: Copy = {
    es: work.es,
    from,
    to,
    signal,
    backoff: backoffOf({ ...work, say: display.line }, signal),
    onProgress(done, total) {
      const rate = formatCount(Math.round((done * 1000) / (performance.now() - started)));
      const note = `${formatCount(done)} of ${formatCount(total)} listings`;
      display.update({ share: total === 0 ? null : done / total, note, rate: `${rate}/s` });
    },
  };
  try {
    for (;;) {
      signal.throwIfAborted();
      const running = moveOf(work).running ?? (await begin(work, copy));
      const copied = await awaitCopy(copy, running.task);
      if (copied !== null) {
        await fillIn(copy, work.filled);
        await saveMove(work, { covered: running.covers, running: null });
        return copied;
      }
      await saveMove(work, { running: null });
    }
  } finally {
    display.stop();
  }
}

async function begin(work: Work, copy: Copy): Promise<{ task: string; covers: number }> {
  const { es, from, to, backoff } = copy;
  // Copying into an index that is gone would make a new one, with other mappings.
  if (!(await backoff.retry(() => es.indices.exists({ index: to })))) {
    throw new CommandError(`${to} is gone; run this again.`);
  }
  // In this order: what this covers is to be seen by the copy.
  const { covered: covers } = await backoff.retry(() => writesOf(es, from));
  await refreshFully(es, from, backoff);
  const task = await backoff.retry(() => startCopy(copy, moveOf(work).covered));
  await saveMove(work, { running: { task, covers } });
  return { task, covers };
}
