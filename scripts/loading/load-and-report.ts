import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { GuardError } from '../../src/usecases/ingest/guards.js';
import { loadGuarded, type GuardedLoadOptions } from '../../src/usecases/ingest/guarded-load.js';
import { LoadError, type LoadOptions, type Reject } from '../../src/usecases/ingest/load-records.js';
import { LoadEvents } from '../../src/usecases/ingest/load-events.js';
import type { Survey } from '../../src/usecases/ingest/survey.js';
import { formatInstant } from '../../src/listing/instant.js';
import { begunRun, type RunOutcome, type RunRecord, Runs } from '../../src/sources/runs.js';
import { runCounts, type Summary } from '../../src/usecases/ingest/summary.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { DiskFullError, EngineUnavailableError } from '../../src/engine/errors.js';
import { CommandError, EngineGaveUpError, StoppedError } from '../shared/exit.js';
import { recordEvents } from '../shared/record-events.js';
import type { ProgressDisplay } from '../../src/platform/progress.js';
import { showProgress } from '../shared/terminal.js';
import type { Input } from './input.js';
import { NotModifiedError } from './remote.js';
import { type IngestCommandOptions, readingVersion } from './options.js';
import { type LoadReport, RejectsFile } from './outputs.js';
import { describeMapped, describeSkipped, describeSummary, progressOf } from './report.js';

/** The number of rejected records that are displayed. The rejects file, which a dry run does not write, has all of them. */
const DISPLAYED_REJECTS = 20;

/** The number of repaired records whose repairs are displayed. The summary counts all of them. */
const DISPLAYED_REPAIRS = 20;

/** The data that the loads of all files of one `ingest` command share, such as the options and the report. */
export interface IngestJob {
  engine: CommandEngine;
  options: IngestCommandOptions;
  io: Io;
  now: () => Date;
  onListing?: LoadOptions['onListing'];
  onWritten?: LoadOptions['onWritten'];
  onBeginning?: GuardedLoadOptions['onBeginning'];
  /** The result of reading all feeds of the command before anything is written. */
  survey: Survey;
  report: Pick<LoadReport, 'loaded' | 'completed'>;
  /** The id of the run to which the feed belongs; undefined: the load of each feed is recorded as a run of its own. */
  run?: string;
}

/** Loads one feed, and prints a summary. Throws a CommandError if the end of the feed was not reached. */
export async function loadAndReport(
  input: Input,
  job: IngestJob,
): Promise<{ summary: Summary; events: LoadEvents; run: string | undefined; isNotModified: boolean }> {
  const { engine, options, io, report } = job;
  const started = performance.now();
  const events = new LoadEvents(randomUUID(), path.basename(input.name), options.complete);
  const rejects = options.dryRun || options.rejects === 'none' ? null : new RejectsFile(input.rejectsPath);
  const display = showProgress(input.name, io.err);
  const own = job.run === undefined && !options.dryRun ? await recordRun(input, job) : null;
  const run = job.run ?? own?.id;
  const end = async (summary: Summary, error: LoadError | null) => {
    display.stop();
    report.loaded(input.name, summary, error?.message ?? null);
    const elapsedMs = performance.now() - started;
    const wasStoppedAtOnce = error !== null && summary.read === 0;
    if (!wasStoppedAtOnce) io.out.write(`${describeSummary(input.name, summary, elapsedMs)}\n`);
    const at = job.now();
    const documents = events.documents(summary, { at, duration: elapsedMs, failed: error !== null });
    if (!options.dryRun) await recordEvents('loads', engine, documents, at, io.err);
    await own?.end(summary, error);
  };
  try {
    const summary = await load(input, job, { events, rejects, display, started, run });
    await end(summary, null);
    return { summary, events, run, isNotModified: false };
  } catch (error) {
    display.stop();
    if (!(error instanceof LoadError)) throw error;
    if (error.cause instanceof NotModifiedError) {
      report.loaded(input.name, error.summary, null);
      io.out.write(`${input.name}: ${error.message}; nothing was loaded\n`);
      await own?.end(error.summary, error);
      return { summary: error.summary, events, run, isNotModified: true };
    }
    await end(error.summary, error);
    const message = `${input.name}: ${error.message}`;
    if (error.cause instanceof GuardError) throw new StoppedError(message, { cause: error });
    const text = `${message}${diskHint(error.cause)}\n${capitalized(describeLanded(options.dryRun, error.summary))}`;
    if (error.cause instanceof EngineUnavailableError) throw new EngineGaveUpError(text, { cause: error });
    throw new CommandError(text, { cause: error });
  } finally {
    if (rejects?.close() === true) io.out.write(`Rejected records: ${rejects.path}\n`);
  }
}

function outcomeOf({ interrupted }: Summary, error: LoadError | null): RunOutcome {
  if (error === null) return interrupted ? 'interrupted' : 'loaded';
  if (error.cause instanceof NotModifiedError) return 'not_modified';
  return error.cause instanceof GuardError ? 'refused' : 'failed';
}

/** Records the load of one feed by `npm run ingest` as a run. If it cannot be recorded, a warning is printed. */
async function recordRun(
  input: Input,
  { engine, options, io, now }: Pick<IngestJob, 'engine' | 'options' | 'io' | 'now'>,
) {
  const runs = new Runs(engine.es, engine.indexPrefix);
  const save = async (record: RunRecord) => {
    try {
      await runs.save(record);
      if (record.ended_at !== null) await runs.prune(record.name);
    } catch (error) {
      io.err.write(`The run could not be recorded: ${(error as Error).message}\n`);
    }
  };
  const name = path.basename(input.name);
  const map = options.map === null ? null : { name: options.as ?? 'map', version: readingVersion(options) };
  const begun = begunRun(now(), { name, files: [name], map });
  await save(begun);
  return {
    id: begun.run,
    /** @param error why the end of the feed was not reached; null if it was. */
    end(summary: Summary, error: LoadError | null): Promise<void> {
      const guard = error?.cause instanceof GuardError ? error.cause : null;
      const isKnown = error?.cause instanceof NotModifiedError;
      return save({
        ...begun,
        ended_at: formatInstant(now().getTime()),
        outcome: outcomeOf(summary, error),
        rule: guard?.rule ?? null,
        reason: isKnown ? null : (error?.message ?? null),
        bytes: input.bytes(),
        counts: runCounts(summary, 0),
        rejected_by_reason: summary.rejected_by_reason,
      });
    },
  };
}

/** Returns the text that says which records were loaded, for a load that ended early. */
export function describeLanded(dryRun: boolean, summary?: Pick<Summary, 'read' | 'rejected'>): string {
  if (dryRun) return 'nothing was loaded, because this is a dry run.';
  const again = 'Running the load again is safe.';
  if (summary === undefined) return `if records are counted above, they have been loaded. ${again}`;
  return summary.read === summary.rejected
    ? 'nothing was loaded.'
    : `what is counted above has been loaded. ${again}`;
}

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const diskHint = (cause: unknown): string =>
  cause instanceof DiskFullError
    ? '\nA disk of Elasticsearch is above its flood-stage watermark. Free space on it, then Elasticsearch accepts writes again by itself.'
    : '';

interface Outputs {
  events: LoadEvents;
  rejects: RejectsFile | null;
  display: ProgressDisplay;
  started: number;
  run: string | undefined;
}

function load(
  input: Input,
  job: IngestJob,
  { events, rejects, display, started, run }: Outputs,
): Promise<Summary> {
  const { engine, options, onListing } = job;
  const { es, indexPrefix, affiliateTemplates } = engine;
  const { signal } = job.io;
  const { dryRun } = options;
  const displayReject = limited(DISPLAYED_REJECTS, display, ({ file, line, reasons }: Reject) => {
    const place = `${file === undefined ? '' : `${file}, `}line ${line}`;
    return `${place}: ${reasons.join('; ')}`;
  });
  return loadGuarded(input, {
    ...options,
    es,
    indexPrefix,
    affiliateTemplates,
    signal,
    survey: job.survey,
    now: job.now,
    run,
    onWritten: job.onWritten,
    observedAt: () => options.observedAt ?? input.observedAt(),
    giveUpAfterMs: options.giveUpAfter * 1_000,
    onBeginning(head) {
      job.onBeginning?.(head);
      if (!dryRun || options.map === null) return;
      for (const text of describeMapped(head)) display.line(text);
    },
    onSkipped(rows) {
      if (rows > 0) display.line(describeSkipped(rows));
    },
    onListing(source, sku, at) {
      events.listing(source);
      onListing?.(source, sku, at);
    },
    onRepair: limited(DISPLAYED_REPAIRS, display, (line: number, repairs: readonly string[]) => {
      return `line ${line}: repaired ${repairs.join('; ')}`;
    }),
    onReject(reject) {
      events.rejected(reject);
      displayReject(reject);
      rejects?.add(reject);
    },
    onProgress(summary, ahead) {
      const share = input.size === null || input.size === 0 ? null : input.bytes() / input.size;
      const elapsedMs = performance.now() - started;
      display.update(progressOf(summary, { ahead, share, elapsedMs, dryRun }));
    },
    onWait: display.line,
  });
}

/** Returns a function that displays one line for each call. After `count` lines it displays an ellipsis, and then nothing more. */
function limited<T extends unknown[]>(
  count: number,
  display: ProgressDisplay,
  lineOf: (...given: T) => string,
): (...given: T) => void {
  let displayed = 0;
  return (...given) => {
    displayed += 1;
    if (displayed <= count) display.line(lineOf(...given));
    if (displayed === count + 1) display.line('…');
  };
}
