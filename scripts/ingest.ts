/** npm run ingest -- FILE...: loads feeds into the catalogue; see --help. */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { markAbsent, SeenListings } from '../src/catalogue/complete.js';
import { FEED_FORMATS, type FeedFormat, readFeed } from '../src/feed/feed.js';
import { ensureCatalogue } from '../src/catalogue/indices.js';
import { LoadError, loadFeed, type Reject } from '../src/catalogue/load.js';
import { addSummaries, emptySummary, type Summary } from '../src/catalogue/summary.js';
import { LoadRecord } from '../src/observability/events/load-record.js';
import { type CommandEngine, connectEngine, reachEngine } from './shared/engine.js';
import { type Input, inputOf } from './ingest/input.js';
import { recordLoad } from './ingest/record-load.js';
import { RejectsFile } from './ingest/rejects.js';
import { describe } from './ingest/report.js';
import { hashImages } from './images/run.js';
import { endBy, onFirstSignal } from './shared/signals.js';
import { CommandError, fail, formatCount, showProgress } from './shared/terminal.js';

const HELP = `npm run ingest -- FILE...

Loads listings into the catalogue: NDJSON, a JSON array or CSV, plain or gzip, as the content tells; - is standard
input. A listing is found by its source and sku, and a record states the whole of it. Loading a file again changes
nothing, so a load that was stopped or killed is simply run again.

  --format FORMAT      ${FEED_FORMATS.join(', ')}: do not look, take this
  --complete SOURCE    the files are all that SOURCE has: after all of them were read, its other listings become
                       unavailable (is_available false)
  --dry-run            read, check and count, but write nothing; a listing that comes up again later in a feed
                       counts as if it had not
  --images             afterwards, look at the images that have no hash yet, as npm run images does
  --help

Records that cannot be taken go to FILE.rejected.ndjson (stdin.rejected.ndjson here for -), one a line:
{"line", "reasons", "record"}; the others land.

Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service, and AFFILIATE_URLS too where a file is an export of it.
Each load is recorded for dashboards, for EVENTS_RETENTION (30d), unless EVENTS is off.
Exit code: 0 all records landed, 2 all but the rejected ones, 1 failed, 130 interrupted.
`;

/** A dry run writes no file of rejects; it shows the first of them. */
const SHOWN_REJECTS = 20;

interface Options {
  files: string[];
  format: FeedFormat | undefined;
  complete: string | undefined;
  dryRun: boolean;
  images: boolean;
}

/** @returns null when only help is wanted. @throws CommandError when the command line makes no sense. */
function parse(args: string[]): Options | null {
  const { values, positionals } = parseCommandLine(args);
  if (values.help === true) return null;
  if (positionals.length === 0)
    throw new CommandError('Name the feed files, or - for standard input; see --help.');
  const format = FEED_FORMATS.find((name) => name === values.format);
  if (values.format !== undefined && format === undefined) {
    throw new CommandError(`--format must be one of ${FEED_FORMATS.join(', ')}, not "${values.format}".`);
  }
  if (values.complete === '') throw new CommandError('--complete needs the name of a source.');
  const { complete, images = false, 'dry-run': dryRun = false } = values;
  if (images && dryRun) throw new CommandError('--images writes, --dry-run does not: choose one.');
  return { files: positionals, format, complete, dryRun, images };
}

function parseCommandLine(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        format: { type: 'string' },
        complete: { type: 'string' },
        'dry-run': { type: 'boolean' },
        images: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw new CommandError(`${(error as Error).message} See --help.`);
  }
}

/** Loads one feed with its progress, and prints what it did. */
async function loadInput(
  input: Input,
  load: Omit<Parameters<typeof loadFeed>[0], 'records' | 'onReject' | 'onProgress' | 'onWait'> & {
    signal: AbortSignal;
  },
  format: FeedFormat | undefined,
  events: CommandEngine['events'],
): Promise<Summary> {
  const started = performance.now();
  const record = new LoadRecord(randomUUID(), path.basename(input.name));
  const rejects = load.dryRun === true ? null : new RejectsFile(input.rejectsPath);
  const display = showProgress(input.name);
  const { chunks, position, close } = input.open();
  load.signal.addEventListener('abort', close);
  let shown = 0;
  const showReject = ({ line, reasons }: Reject) => {
    shown += 1;
    if (shown <= SHOWN_REJECTS) display.line(`line ${line}: ${reasons.join('; ')}`);
    if (shown === SHOWN_REJECTS) display.line('…');
  };
  const report = (summary: Summary) => {
    console.log(describe(input.name, summary, performance.now() - started));
  };
  const remember = async (summary: Summary, failed: boolean) => {
    if (events === null || load.dryRun === true) return;
    const now = new Date();
    const end = { at: now, duration: performance.now() - started, failed };
    await recordLoad(load.es, { ...load, ...events }, record.documents(summary, end), now);
  };
  try {
    const summary = await loadFeed({
      ...load,
      records: readFeed(chunks, { format }),
      onListing(source, sku) {
        record.listing(source);
        load.onListing?.(source, sku);
      },
      onReject(reject) {
        record.rejected(reject);
        return rejects?.add(reject) ?? showReject(reject);
      },
      onProgress({ read }) {
        const rate = formatCount(Math.round((read * 1000) / (performance.now() - started)));
        const share = input.size === null || input.size === 0 ? null : position() / input.size;
        display.update({ share, note: `${formatCount(read)} records, ${rate}/s` });
      },
      onWait: display.line,
    });
    display.stop();
    report(summary);
    await remember(summary, false);
    return summary;
  } catch (error) {
    display.stop();
    if (!(error instanceof LoadError)) throw error;
    report(error.summary);
    await remember(error.summary, true);
    throw new CommandError(
      `${input.name}: ${error.message}\nWhat is counted above has landed. Running the load again is safe.`,
      { cause: error },
    );
  } finally {
    load.signal.removeEventListener('abort', close);
    close();
    if ((await rejects?.close()) === true) console.log(`Rejected records: ${rejects?.path}`);
  }
}

async function run({ files, format, complete, dryRun }: Options, signal: AbortSignal): Promise<Summary> {
  const inputs = files.map(inputOf);
  const engine = connectEngine();
  const { es, indexPrefix, affiliateTemplates, events } = engine;
  const seen = new SeenListings();
  const onListing = (source: string, sku: string) => {
    if (source === complete) seen.add(source, sku);
  };
  try {
    await reachEngine(engine);
    if (!dryRun) await ensureCatalogue(es, indexPrefix);
    let total = emptySummary();
    for (const input of inputs) {
      const summary = await loadInput(
        input,
        {
          es,
          indexPrefix,
          affiliateTemplates,
          signal,
          dryRun,
          ...(complete === undefined ? {} : { onListing }),
        },
        format,
        events,
      );
      total = addSummaries(total, summary);
      if (summary.interrupted) {
        console.log('Interrupted; what is counted above has landed. Running the load again is safe.');
        return total;
      }
    }
    if (complete !== undefined) await markOthers({ es, indexPrefix, source: complete, seen, dryRun, signal });
    return total;
  } finally {
    await es.close();
  }
}

async function markOthers(
  options: Omit<Parameters<typeof markAbsent>[0], 'now' | 'giveUpAfterMs' | 'onWait'>,
): Promise<void> {
  const { source, seen, dryRun } = options;
  if (seen.empty) {
    throw new CommandError(
      `The feed holds no listing of ${source}, so it is not taken for complete; nothing was marked unavailable.`,
    );
  }
  const marked = await markAbsent({
    ...{ ...options, giveUpAfterMs: 600_000, now: () => new Date() },
    onWait: (note) => process.stderr.write(`${note}\n`),
  });
  console.log(
    `${formatCount(marked)} listings of ${source} are not in the feed: ${dryRun === true ? 'would be ' : ''}marked unavailable`,
  );
}

try {
  const options = parse(process.argv.slice(2));
  if (options === null) console.log(HELP.trimEnd());
  else {
    const abort = new AbortController();
    let signal: NodeJS.Signals | undefined;
    onFirstSignal((received) => {
      signal = received;
      abort.abort();
    });
    const { rejected, interrupted } = await run(options, abort.signal);
    if (options.images && !interrupted) {
      await hashImages({ source: undefined, limit: undefined, again: false, concurrency: 8 }, abort.signal);
    }
    if (signal !== undefined) endBy(signal);
    else if (rejected > 0) process.exitCode = 2;
  }
} catch (error) {
  fail(error);
}
