/** npm run ingest -- FILE...: loads feeds into the catalogue; see --help. */
import { EngineUnavailableError } from '../src/engine/errors.js';
import { ensureCatalogue, untilSearchable } from '../src/engine/indices.js';
import { suggestMap } from '../src/feeds/map/suggest.js';
import { FEED_FORMATS, FeedError, readFeed } from '../src/feeds/read/feed.js';
import { readBeginning } from '../src/usecases/ingest/guards.js';
import type { Summary } from '../src/usecases/ingest/summary.js';
import { formatInstant } from '../src/listing/instant.js';
import { hashImages } from './images.js';
import { checkDistinct, inputOf } from './loading/input.js';
import { KnownVersions } from './loading/known-versions.js';
import { describeLanded } from './loading/load-and-report.js';
import { loadAllFeeds } from './loading/load-all-feeds.js';
import { GUARDS, type IngestCommandOptions, NOTES, OPTIONS, optionsOf } from './loading/options.js';
import { checkRejects, LoadReport } from './loading/outputs.js';
import { DEFAULT_WORKERS } from '../src/usecases/link/compare.js';
import { LoadFollowUp } from './jobs/follow-up.js';
import { linkListings } from './jobs/link.js';
import { flagAfterLink } from './jobs/quality.js';
import { command, GRACE_MS, type Io } from './shared/command.js';
import { afterLoad, withEngine } from './shared/engine.js';
import { CommandError, EngineGaveUpError, EXIT, StoppedError } from './shared/exit.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'ingest',
  about: `Loads listings into the catalogue: ${FEED_FORMATS.join(', ').toUpperCase()} or a workbook (.xlsx), uncompressed or as gzip, zstd or zip. The
format is detected from the content. FILE may be - for standard input, or an http or https URL. Feeds with columns of their own
are loaded with --as or --map. A listing is identified by its source and sku, and a record states the whole listing. Loading
a file again changes nothing, so a load that was stopped or killed can simply be run again.`,
  operands: { show: 'FILE...', missing: 'Name the feed files, or - for standard input.' },
  options: OPTIONS,
  sections: GUARDS,
  notes: NOTES,
  exits: {
    done: 'all records were loaded',
    stopped: 'stopped by a guard',
    rejected: 'all records but the rejected ones were loaded',
    unavailable: 'Elasticsearch accepted nothing for the time of --give-up-after',
    interrupted: 'interrupted',
  },
  onInterrupt: {
    message: (args) => `Interrupted; ${describeLanded(args.includes('--dry-run'))}`,
    graceMs: GRACE_MS,
  },
  async run({ options: values, operands }, env, io) {
    const options = optionsOf(operands, values);
    if (options.suggestMap) return writeSuggestedMap(options, io);
    const report = new LoadReport(options.report);
    try {
      const code = await ingest(options, env, io, report);
      report.ended(code, null);
      return code;
    } catch (thrown) {
      // Marking absent listings may give up on Elasticsearch, too. A load that gives up throws an error of its own.
      const error =
        thrown instanceof EngineUnavailableError
          ? new EngineGaveUpError(thrown.message, { cause: thrown })
          : thrown;
      report.failed(error);
      throw error;
    }
  },
});

async function ingest(
  options: IngestCommandOptions,
  env: NodeJS.ProcessEnv,
  io: Io,
  report: LoadReport,
): Promise<number> {
  const since = formatInstant(Date.now());
  const { total, followUp } = await load(options, env, io, report);
  if (total.interrupted) return EXIT.interrupted;
  if (options.wait && options.followUp.length > 0)
    await afterLoad(
      env,
      io,
      (engine) => followUp.run(engine, io),
      (reason) =>
        `Not everything that depends on the load is updated (${reason}); npm run follow-up does it.`,
    );
  if (options.link) {
    const groups = await linkListings(
      { scope: { kind: 'pending', since }, decisions: [], dryRun: false, workers: DEFAULT_WORKERS },
      env,
      io,
    );
    if (options.followUp.includes('quality')) await flagAfterLink(groups, env, io);
  }
  if (options.images) {
    const images = { source: undefined, limit: undefined, again: false, concurrency: 8 };
    await hashImages(images, env, io);
  }
  if (io.signal.aborted) return EXIT.interrupted;
  return total.rejected > 0 ? EXIT.rejected : EXIT.done;
}

async function load(
  options: IngestCommandOptions,
  env: NodeJS.ProcessEnv,
  io: Io,
  report: LoadReport,
): Promise<{ total: Summary; followUp: LoadFollowUp }> {
  const { files, dryRun, allowPrivate } = options;
  const rejects = options.rejects === 'none' ? undefined : options.rejects;
  const versions = new KnownVersions(options.ifChanged);
  const inputs = files.map((file) => inputOf(file, io.stdin, { rejects, allowPrivate, versions }));
  if (!dryRun && options.rejects !== 'none') {
    checkDistinct(inputs, files);
    checkRejects(inputs.map(({ rejectsPath }) => rejectsPath));
  }
  return withEngine(env, async (engine) => {
    const { es, indexPrefix, indexLayout } = engine;
    if (!dryRun && !(await ensureCatalogue(es, indexPrefix, indexLayout)))
      await untilSearchable(es, indexPrefix);
    const followUp = new LoadFollowUp(engine, options.followUp);
    const given = { engine, options, io, now: () => new Date(), report };
    const onWritten = followUp.written.bind(followUp);
    const { total, completed } = await loadAllFeeds(inputs, { ...given, onWritten }).finally(() =>
      followUp.saved(),
    );
    if (total.interrupted) return { total, followUp };
    const stopped = completed.filter(({ stoppedBy }) => stoppedBy !== null);
    if (stopped.length > 0) throw new StoppedError(stopped.map(({ message }) => message).join('\n'));
    if (!dryRun) versions.save();
    return { total, followUp };
  });
}

/** Writes a suggested map for a feed to standard output. Loads nothing. */
async function writeSuggestedMap(
  { files, feed, source, currency, allowPrivate }: IngestCommandOptions,
  io: Io,
): Promise<number> {
  const [file = '-'] = files;
  const input = inputOf(file, io.stdin, { allowPrivate });
  const { chunks, close, charset } = input.open();
  input.release();
  try {
    const { head, isBroken, records } = await readBeginning(
      readFeed(chunks, { ...feed, charset, anyColumns: true }),
    );
    const rows = head.flatMap(({ value, error }) =>
      error === undefined && typeof value === 'object' && value !== null
        ? [value as Record<string, unknown>]
        : [],
    );
    // The rest of a broken feed is read, because it throws an error that states the reason.
    if (rows.length === 0 && isBroken) for await (const _ of records);
    const bad = head.find(({ error }) => error !== undefined);
    if (rows.length === 0)
      throw new CommandError(
        `${file} has no row that can be read${bad === undefined ? '.' : ` (line ${bad.line}: ${bad.error}).`}`,
      );
    const { yaml, missing } = suggestMap(rows, source ?? null, currency ?? null);
    io.out.write(yaml);
    if (missing.length === 0) return EXIT.done;
    throw new StoppedError(
      `No column was found for ${missing.join(' and ')}. Complete the map before you use it; its comments list the columns that it does not use.`,
    );
  } catch (error) {
    throw error instanceof FeedError ? new CommandError(`${file}: ${error.message}`) : error;
  } finally {
    close();
  }
}

await start(import.meta.url, main);
