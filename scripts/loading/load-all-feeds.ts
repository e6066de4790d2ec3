import { Completion, type CompletedSource } from '../../src/usecases/ingest/completion.js';
import type { LoadEvents } from '../../src/usecases/ingest/load-events.js';
import { Survey } from '../../src/usecases/ingest/survey.js';
import { addSummaries, emptySummary, type Summary } from '../../src/usecases/ingest/summary.js';
import { notice } from '../shared/command.js';
import { recordEvents } from '../shared/record-events.js';
import type { Input } from './input.js';
import { type IngestJob, loadAndReport } from './load-and-report.js';

/** Loads feeds in turn, and marks what complete ones lack as unavailable. @throws CommandError or StoppedError if one is cut off. */
export async function loadAllFeeds(inputs: readonly Input[], given: Omit<IngestJob, 'onListing' | 'survey'>) {
  const { engine, options, io, now } = given;
  const completion = await Completion.start(options.complete, engine);
  const survey = new Survey(inputs, {
    ...options,
    ...engine,
    signal: io.signal,
    now,
    giveUpAfterMs: options.giveUpAfter * 1_000,
    onWait: (line) => notice(io, line),
  });
  const job: IngestJob = {
    ...given,
    survey,
    onListing: (source, sku, at) => completion.listing(source, sku, at),
  };
  let total = emptySummary();
  let events: LoadEvents | null = null;
  let run: string | undefined;
  let notModified = 0;
  for (const input of inputs) {
    completion.beginFile(now());
    const loaded = await loadAndReport(input, job);
    completion.endFile(options.observedAt ?? input.modified());
    total = addSummaries(total, loaded.summary);
    events = loaded.events;
    run = loaded.run;
    if (loaded.isNotModified) notModified += 1;
    if (total.interrupted) return { total, notModified, completed: [] };
  }
  // The listings of a feed that was not fetched are unknown, so none can be marked as unavailable.
  const isWhole = events !== null && notModified === 0;
  if (!isWhole && options.complete.length > 0 && notModified < inputs.length)
    io.err.write('Some feeds were not modified and not read, so no listing was marked unavailable.\n');
  const completed =
    isWhole && events !== null ? await markAbsent(completion, total, { events, run }, job) : [];
  return {
    total: { ...total, interrupted: io.signal.aborted },
    /** The number of feeds that were not read, because they have not changed since they were loaded last. */
    notModified,
    /** For each source whose feeds are complete: how many listings were marked as unavailable, or which guard prevented it. */
    completed,
  };
}

/** Marks listings that complete feeds lack. Returns a result for each source. */
async function markAbsent(
  completion: Completion,
  total: Summary,
  { events, run }: { events: LoadEvents; run: string | undefined },
  { engine, options, io, now, report }: IngestJob,
): Promise<CompletedSource[]> {
  const results: CompletedSource[] = [];
  const where = { es: engine.es, indexPrefix: engine.indexPrefix, signal: io.signal, now, run };
  for await (const completed of completion.finish(total, options, where, (line) => notice(io, line))) {
    report.completed(completed);
    results.push(completed);
    const { message, stoppedBy, ...counts } = completed;
    if (stoppedBy === null) io.out.write(`${message}\n`);
    const at = now();
    const reason = stoppedBy === null ? null : message;
    if (!options.dryRun)
      await recordEvents('loads', engine, [events.completion(counts, { at, reason })], at, io.err);
  }
  return results;
}
