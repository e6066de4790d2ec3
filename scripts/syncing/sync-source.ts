import { Readable, Writable } from 'node:stream';
import { Lease } from '../../src/engine/lease.js';
import { formatInstant } from '../../src/listing/instant.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { toUnits } from '../../src/listing/price.js';
import { OperationError } from '../../src/platform/operation-errors.js';
import { GuardError } from '../../src/usecases/ingest/guards.js';
import { LoadError } from '../../src/usecases/ingest/load-records.js';
import { loadEventOfRun } from '../../src/usecases/ingest/load-events.js';
import { emptySummary, medianOfMoves, runCounts, type Summary } from '../../src/usecases/ingest/summary.js';
import { begunRun, type RunOutcome, type RunRecord, type Runs } from '../../src/sources/runs.js';
import { sourceOperation, type SourceState } from '../../src/sources/source-states.js';
import { changedColumns, columnShares } from '../../src/usecases/sync/columns.js';
import { dueAt } from '../../src/usecases/sync/schedule.js';
import { freshnessOf, scheduleOf } from '../../src/usecases/sync/source-file.js';
import type { LoadFollowUp } from '../jobs/follow-up.js';
import { loadAllFeeds } from '../loading/load-all-feeds.js';
import { readingVersion } from '../loading/options.js';
import { type Io, notice, type Output } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { CommandError, StoppedError } from '../shared/exit.js';
import { recordEvents } from '../shared/record-events.js';
import { feedOf, type SourceFeed } from './feed-of-source.js';
import { withoutSecrets } from './secrets.js';
import { type ConfiguredSource, ingestOptionsOf, phrasedForSource } from './source-files.js';
import { storedIndex } from '../../src/platform/stored.js';

export interface SyncContext {
  engine: CommandEngine;
  runs: Runs;
  env: NodeJS.ProcessEnv;
  io: Io;
  now: () => Date;
  /** Whether sources are loaded that are not due. */
  force: boolean;
  /** Creates the follow-up of a load. Without it, flags and suggestions are not updated after loads. */
  followUp?: () => LoadFollowUp;
}

/** The records of the runs of a source. `busy`: another process is loading it. `not_due`: another process has just loaded it. */
export type SyncResult = RunRecord[] | 'busy' | 'not_due';

/** The members of the state of a source that come from its source file. */
export const configuredState = (
  { name, code, file }: ConfiguredSource,
  { attempted_at, failures }: Pick<SourceState, 'attempted_at' | 'failures'>,
) => {
  const schedule = scheduleOf(file);
  const due = dueAt(schedule, { startedAt: attempted_at, failures });
  return {
    file: name,
    source: code,
    responsible: file.owner ?? null,
    shop: file.shop ?? null,
    schedule,
    expected_freshness_s: freshnessOf(file),
    next_run_at: due === null ? null : formatInstant(due.getTime()),
  };
};

/**
 * Loads the feed of a source, and records the run; if every file of a folder is to be loaded, one run for each file.
 * Errors of the source are recorded and not thrown.
 */
export async function syncSource(source: ConfiguredSource, context: SyncContext): Promise<SyncResult> {
  const { engine, now, force } = context;
  const { es, indexPrefix } = engine;
  const io = prefixed(context.io, source.name);
  let lease: Lease<SourceState>;
  try {
    const operation = sourceOperation(source.name);
    lease = await Lease.acquire(es, indexPrefix, operation, (line) => notice(io, line));
  } catch (error) {
    if (!(error instanceof OperationError)) throw error;
    notice(io, error.message);
    return 'busy';
  }
  return lease.hold(io.signal, async (signal) => {
    const { attempted_at, failures } = lease.state;
    const due = dueAt(scheduleOf(source.file), { startedAt: attempted_at, failures });
    if (!force && (due === null || due > now())) {
      io.out.write('another process has just loaded it\n');
      return 'not_due';
    }
    const ended: RunRecord[] = [];
    for (let hasMore = true; hasMore;) {
      const one = await runOnce(source, lease, { ...context, io: { ...io, signal } });
      ended.push(one.run);
      hasMore = one.hasMore && !signal.aborted;
    }
    return ended;
  });
}

async function runOnce(
  source: ConfiguredSource,
  lease: Lease<SourceState>,
  context: SyncContext,
): Promise<{ run: RunRecord; hasMore: boolean }> {
  const { engine, runs, io, now } = context;
  const { failures } = lease.state;
  const options = ingestOptionsOf(source, []);
  const version = readingVersion(options);
  const mapName = source.file.as ?? source.file.map ?? null;
  const begun = begunRun(now(), {
    name: source.name,
    files: [],
    map: mapName === null ? null : { name: mapName, version },
  });
  // A run whose process is killed counts as a failure, so that it is repeated, but not at once.
  const save = (count: number, more: Partial<SourceState>) => {
    const history = { attempted_at: begun.started_at, failures: count };
    return lease.save({ ...configuredState(source, history), ...history, ...more });
  };
  await runs.save(begun);
  await save(failures + 1, {});
  // The index is refreshed, because the load finds the shops of all sources by searching these states.
  const refresh = () => engine.es.indices.refresh({ index: storedIndex(engine.indexPrefix, 'sources') });
  await refresh();
  const { loaded } = lease.state;
  // A feed is loaded again if its source belongs to another shop, because listings store their owner.
  const { shop } = source.file;
  const loadedWith = shop === undefined ? version : `${version} ${shop}`;
  // Files of changes are not loaded again with other options, because the earlier ones state outdated prices.
  const known = loaded?.options === loadedWith || source.file.every_file === true ? loaded : null;
  const ended = await attempt(
    source,
    { begun, options, version: loadedWith, known, columns: lease.state.columns },
    context,
  );
  await runs.save(ended.run);
  await runs.prune(source.name);
  const count = ended.run.outcome === 'failed' ? failures + 1 : 0;
  await save(count, { last_run: ended.run, ...ended.state });
  await refresh();
  await recordEvents('loads', engine, [loadEventOfRun(ended.run, source.code)], now(), io.err);
  io.out.write(`${describeRun(ended.run)}\n`);
  return { run: ended.run, hasMore: ended.hasMore === true && ended.run.outcome === 'loaded' };
}

interface Attempt {
  begun: RunRecord;
  options: ReturnType<typeof ingestOptionsOf>;
  version: string;
  known: SourceState['loaded'];
  columns: SourceState['columns'];
}

/** Loads the feed. Returns the record of the run, and what the next run needs to know. */
async function attempt(
  source: ConfiguredSource,
  { begun, options, version, known, columns: before }: Attempt,
  { engine, env, io, now, followUp }: SyncContext,
): Promise<{ run: RunRecord; state: Partial<SourceState>; hasMore?: boolean }> {
  let feed: SourceFeed | null = null;
  let columns: Record<string, number> = {};
  const moves: number[] = [];
  const ending = followUp?.();
  const end = (outcome: RunOutcome, total: Summary, more: Partial<RunRecord> = {}): RunRecord => ({
    ...begun,
    ended_at: formatInstant(now().getTime()),
    outcome,
    files: feed === null ? [] : [feed.input.name],
    bytes: feed?.input.bytes() ?? 0,
    counts: runCounts(total, 0),
    rejected_by_reason: total.rejected_by_reason,
    columns: changedColumns(before, columns),
    price_change_pct: medianOfMoves(moves, total),
    ...more,
  });
  try {
    feed = feedOf(source, options, { known, version, env, now });
    if (feed.isKnown) return { run: end('not_modified', emptySummary()), state: {} };
    const loaded = await loadAllFeeds([feed.input], {
      engine,
      options: { ...options, files: [feed.input.name] },
      io: { ...io, out: discarded() },
      now,
      run: begun.run,
      report: { loaded: () => undefined, completed: () => undefined },
      onBeginning: (head) => {
        columns = columnShares(head);
      },
      onWritten: (previous, listing) => {
        ending?.written(previous, listing);
        const move = moveOf(previous, listing);
        if (move !== null && moves.length < MAX_MOVES) moves.push(move);
      },
    });
    const { total, completed, notModified } = loaded;
    if (notModified > 0) return { run: end('not_modified', total), state: {} };
    if (total.interrupted) return { run: end('interrupted', total), state: {} };
    const refused = completed.find(({ stoppedBy }) => stoppedBy !== null);
    const vanished = completed.reduce((sum, { marked }) => sum + marked, 0);
    const counts = runCounts(total, vanished);
    const state = {
      fresh_at: formatInstant((feed.seenAt() ?? now()).getTime()),
      columns,
      // A feed whose missing listings were not marked is loaded again in the next run.
      loaded: refused === undefined ? feed.version() : null,
    };
    if (refused === undefined) return { run: end('loaded', total, { counts }), state, hasMore: feed.hasMore };
    const reason = phrasedForSource(refused.message, source);
    return { run: end('refused', total, { rule: refused.stoppedBy, reason, counts }), state };
  } catch (error) {
    const { guard, total, message } = failureOf(error);
    const reason = withoutSecrets(phrasedForSource(message, source), feed?.secrets ?? []).slice(
      0,
      MAX_REASON,
    );
    const outcome = io.signal.aborted ? 'interrupted' : guard === null ? 'failed' : 'refused';
    return { run: end(outcome, total, { rule: guard?.rule ?? null, reason }), state: {} };
  } finally {
    await ending?.saved();
  }
}

/** What the record of a run states about the error that ended it. @throws other errors than those of the feed or the engine. */
function failureOf(error: unknown): { guard: GuardError | null; total: Summary; message: string } {
  if (!(error instanceof CommandError || error instanceof StoppedError || isRecordable(error))) throw error;
  const failure = error instanceof Error ? error : new Error(String(error));
  const loadError = failure.cause instanceof LoadError ? failure.cause : null;
  const guard = loadError?.cause instanceof GuardError ? loadError.cause : null;
  const total = loadError?.summary ?? emptySummary();
  const message = guard?.message ?? loadError?.message ?? failure.message;
  return { guard, total, message: withMostFrequent(message, guard, total) };
}

/** Adds the most frequent reason for rejections to the message of the guard that counts them. */
function withMostFrequent(message: string, guard: GuardError | null, total: Summary): string {
  const [most] = Object.entries(total.rejected_by_reason).sort(([, a], [, b]) => b - a);
  return guard?.rule !== 'max_rejected' || most === undefined
    ? message
    : `${message} The most frequent reason: ${most[0]} (${most[1]} times).`;
}

/** Errors of the engine end one run and not the others, and are repeated soon. */
const isRecordable = (error: unknown): boolean =>
  error instanceof Error &&
  /^(?:Response|Connection|Timeout|NoLivingConnections|EngineUnavailable)/.test(error.name);

const MAX_REASON = 1_000;
/** The maximum number of price moves from which the median is computed. */
const MAX_MOVES = 200_000;

/** The change of the price that a write makes, as a natural logarithm; null if there is none. */
function moveOf(before: StoredListing | null, after: StoredListing): number | null {
  if (before === null || before.price === null || after.price === null) return null;
  if (before.price === after.price || before.currency !== after.currency) return null;
  return Math.log(toUnits(after.price) / toUnits(before.price));
}

function describeRun({ outcome, counts, rule, reason }: RunRecord): string {
  if (outcome === 'loaded')
    return `loaded ${describeCounts(counts)}; ${counts.vanished} listings became unavailable`;
  if (outcome === 'not_modified') return 'not modified since it was loaded last';
  const { price_moved, price_cleared = 0, changed, unchanged } = counts;
  const landed = counts.new + price_moved + price_cleared + changed + unchanged;
  const why = reason === null ? '' : `: ${reason.replace(/(?<![.!?])$/, '.')}`;
  const isStated = /\bnothing (?:of it )?was loaded\b/i.test(why);
  const nothing = isStated ? '' : ' Nothing was loaded.';
  const loaded = landed === 0 ? nothing : ` Loaded nevertheless: ${describeCounts(counts)}.`;
  return `${outcome}${rule === null ? '' : ` by ${rule}`}${why}${loaded}`;
}

const describeCounts = ({
  records,
  new: created,
  price_moved,
  price_cleared = 0,
  changed,
  rejected,
}: RunRecord['counts']): string => {
  const cleared = price_cleared === 0 ? '' : `${price_cleared} without a price that they had, `;
  return `${records} records: ${created} new, ${price_moved} with another price, ${cleared}${changed} changed otherwise, ${rejected} rejected`;
};

/** The streams of one of several sources that are loaded side by side: each line begins with its name. */
const prefixed = ({ out, err, signal, phrase }: Io, name: string): Io => ({
  stdin: Readable.from([]),
  out: linesTo(out, name),
  err: linesTo(err, name),
  signal,
  phrase,
});

/** Discards the summaries of the loader, because the line at the end of a run contains the numbers. */
const discarded = (): Output => new Writable({ write: (_chunk, _encoding, done) => done() });

function linesTo(target: Output, name: string): Output {
  let rest = '';
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) target.write(`${name}: ${line}\n`);
      done();
    },
  });
}
