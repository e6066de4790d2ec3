import { randomUUID } from 'node:crypto';
import path from 'node:path';
import type { FeedItem } from '../../src/feeds/read/feed.js';
import { GuardError } from '../../src/usecases/ingest/guard.js';
import { LoadError, loadFeed, type LoadOptions, type Reject } from '../../src/usecases/ingest/load.js';
import { findRepeats } from '../../src/usecases/ingest/repeats.js';
import { emptySummary, type Summary } from '../../src/usecases/ingest/summary.js';
import { isDated } from '../../src/listing/validate.js';
import { LoadRecord } from '../../src/usecases/ingest/load-record.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { CommandError, StoppedError } from '../shared/exit.js';
import { recordEvents } from '../shared/record-events.js';
import { type ProgressDisplay, showProgress } from '../shared/terminal.js';
import { guardFeed } from './guards.js';
import type { LoadReport } from './load-report.js';
import type { Input } from './input.js';
import { type Ahead, lookAhead } from './look-ahead.js';
import type { Options } from './options.js';
import { readRecords } from './records.js';
import { RejectsFile } from './rejects.js';
import { describe, describeSkipped, progressOf, showMapped } from './report.js';

/** A dry run writes no file of rejects; it shows the first of them. */
const SHOWN_REJECTS = 20;

export interface Job {
  engine: CommandEngine;
  options: Options;
  io: Io;
  onListing?: LoadOptions['onListing'];
  report: LoadReport;
}

/**
 * Loads one feed with its progress, and prints what it did.
 * @returns with the record of it, to which more can be added.
 * @throws CommandError when it did not reach the end of the feed.
 */
export async function loadInput(input: Input, job: Job): Promise<{ summary: Summary; record: LoadRecord }> {
  const { engine, options, io } = job;
  const started = performance.now();
  const record = new LoadRecord(randomUUID(), path.basename(input.name), options.complete);
  const rejects = options.dryRun || options.rejects === 'none' ? null : new RejectsFile(input.rejectsPath);
  const display = showProgress(input.name, io.err);
  const end = async (summary: Summary, failed: boolean) => {
    display.stop();
    const stoppedAtOnce = failed && summary.read === 0;
    if (!stoppedAtOnce) {
      io.out.write(`${describe(input.name, summary, performance.now() - started)}\n`);
    }
    const at = new Date();
    const documents = record.documents(summary, { at, duration: performance.now() - started, failed });
    if (!options.dryRun) await recordEvents('loads', engine, documents, at, io.err);
  };
  try {
    const summary = await load(input, job, { record, rejects, display, started });
    job.report.loaded(input.name, summary, null);
    await end(summary, false);
    return { summary, record };
  } catch (error) {
    display.stop();
    if (!(error instanceof LoadError)) throw error;
    job.report.loaded(input.name, error.summary, error.message);
    await end(error.summary, true);
    const said = `${input.name}: ${error.message}`;
    if (error.cause instanceof GuardError) throw new StoppedError(said, { cause: error });
    throw new CommandError(`${said}\nWhat is counted above has landed. Running the load again is safe.`, {
      cause: error,
    });
  } finally {
    if (rejects?.close() === true) io.out.write(`Rejected records: ${rejects.path}\n`);
  }
}

async function load(
  input: Input,
  { engine: { es, indexPrefix, affiliateTemplates }, options, io: { signal }, onListing }: Job,
  told: { record: LoadRecord; rejects: RejectsFile | null; display: ProgressDisplay; started: number },
): Promise<Summary> {
  const { record, rejects, display, started } = told;
  const { dryRun, strictColumns, maxRejected, patch, onBad, declaredHistory } = options;
  const { chunks, position, close } = input.open();
  signal.addEventListener('abort', close);
  const showReject = firstRejects(display);
  try {
    const skipped = (count: number) => {
      if (count > 0) display.line(describeSkipped(count));
    };
    const ahead = await lookAhead(readRecords(chunks, options, new Date(), skipped));
    if (dryRun && options.map !== null) showMapped(ahead.head, display.line);
    if (!signal.aborted) await guard(ahead, options, { es, indexPrefix });
    const repeats = await repeatsIn(input, ahead, options, signal);
    return await loadFeed({
      es,
      indexPrefix,
      affiliateTemplates,
      signal,
      dryRun,
      strictColumns,
      maxRejected,
      patch,
      onBad,
      declaredHistory,
      repeats,
      records: ahead.records,
      onListing(source, sku, at) {
        record.listing(source);
        onListing?.(source, sku, at);
      },
      onReject(reject) {
        record.rejected(reject);
        if (dryRun) showReject(reject);
        else rejects?.add(reject);
      },
      onProgress(summary, ahead) {
        const share = input.size === null || input.size === 0 ? null : position() / input.size;
        const elapsedMs = performance.now() - started;
        display.update(progressOf(summary, { ahead, share, elapsedMs, dryRun }));
      },
      onWait: display.line,
    });
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

/** @throws LoadError: stopped like a load that has not begun. */
async function guard(
  ahead: Ahead,
  options: Options,
  catalogue: Parameters<typeof guardFeed>[2],
): Promise<void> {
  try {
    await guardFeed(ahead, options, catalogue);
  } catch (error) {
    throw error instanceof GuardError ? new LoadError(error, emptySummary()) : error;
  }
}

const NONE: ReadonlyMap<string, number> = new Map();

/** Reads a file once more for the listings that come up several times, where it is longer than a batch. */
async function repeatsIn(
  input: Input,
  { head, whole }: Ahead,
  options: Options,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, number>> {
  const isUndated = ({ value, error }: FeedItem) => error === undefined && !isDated(value);
  if (input.size === null || whole || options.patch || !head.some(isUndated)) return NONE;
  const { chunks, close } = input.open();
  signal.addEventListener('abort', close);
  try {
    return await findRepeats(readRecords(chunks, options, new Date()), { now: new Date(), signal });
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

function firstRejects(display: ProgressDisplay): (reject: Reject) => void {
  let shown = 0;
  return ({ file, line, reasons }) => {
    shown += 1;
    const place = `${file === undefined ? '' : `${file}, `}line ${line}`;
    if (shown <= SHOWN_REJECTS) display.line(`${place}: ${reasons.join('; ')}`);
    if (shown === SHOWN_REJECTS) display.line('…');
  };
}
