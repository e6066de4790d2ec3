/** npm run ingest -- FILE...: loads feeds into the catalogue; see --help. */
import { ensureCatalogue } from '../src/catalogue/indices.js';
import { addSummaries, emptySummary, type Summary } from '../src/catalogue/summary.js';
import type { LoadRecord } from '../src/observability/events/load-record.js';
import { hashImages } from './images/run.js';
import { Completion } from './ingest/completion.js';
import { checkDistinct, inputOf } from './ingest/input.js';
import { type Job, loadInput } from './ingest/load-input.js';
import { GUARDS, NOTES, type Options, OPTIONS, optionsOf } from './ingest/options.js';
import { recordLoad } from './ingest/record-load.js';
import { checkRejects } from './ingest/rejects.js';
import { command, GRACE_MS, type Io } from './shared/command.js';
import { connectEngine, explainEngine, reachEngine } from './shared/engine.js';
import { EXIT, StoppedError } from './shared/exit.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'ingest',
  about: `Loads listings into the catalogue: NDJSON, a JSON array or CSV, plain or gzip, as the content tells; - is standard
input. A listing is found by its source and sku, and a record states the whole of it. Loading a file again changes
nothing, so a load that was stopped or killed is simply run again.`,
  operands: { show: 'FILE...', missing: 'Name the feed files, or - for standard input.' },
  options: OPTIONS,
  sections: GUARDS,
  notes: NOTES,
  exits: {
    done: 'all records landed',
    stopped: 'stopped by a guard',
    rejected: 'all but the rejected ones',
    interrupted: 'interrupted',
  },
  ending: {
    said: 'Interrupted; what is counted above has landed. Running the load again is safe.',
    graceMs: GRACE_MS,
  },
  async run({ options: values, operands }, env, io) {
    const options = optionsOf(operands, values);
    const { rejected, interrupted } = await load(options, env, io);
    if (interrupted) return EXIT.interrupted;
    if (options.images) {
      const images = { source: undefined, limit: undefined, again: false, concurrency: 8 };
      await hashImages(images, env, io);
    }
    if (io.signal.aborted) return EXIT.interrupted;
    return rejected > 0 ? EXIT.rejected : EXIT.done;
  },
});

async function load(options: Options, env: NodeJS.ProcessEnv, io: Io): Promise<Summary> {
  const { signal } = io;
  const { files, complete, dryRun } = options;
  const rejects = options.rejects === 'none' ? undefined : options.rejects;
  const inputs = files.map((file) => inputOf(file, io.stdin, rejects));
  if (!dryRun && options.rejects !== 'none') {
    checkDistinct(inputs, files);
    checkRejects(inputs.map(({ rejectsPath }) => rejectsPath));
  }
  const engine = connectEngine(env);
  const { es, indexPrefix } = engine;
  try {
    await reachEngine(engine);
    if (!dryRun) await ensureCatalogue(es, indexPrefix);
    const completion = await Completion.start(complete, { es, indexPrefix, signal });
    const job: Job = {
      ...{ engine, options, io },
      onListing: (source, sku, at) => {
        completion.listing(source, sku, at);
      },
    };
    let total = emptySummary();
    let record: LoadRecord | null = null;
    for (const input of inputs) {
      completion.beginFile(input.modified, new Date());
      const loaded = await loadInput(input, job);
      completion.endFile();
      total = addSummaries(total, loaded.summary);
      record = loaded.record;
      if (total.interrupted) return total;
    }
    if (record !== null) await markOthers(completion, total, record, job);
    return { ...total, interrupted: signal.aborted };
  } catch (error) {
    throw explainEngine(error, engine);
  } finally {
    await es.close();
  }
}

/** @throws StoppedError when a guard kept a source's listings from being marked. */
async function markOthers(
  completion: Completion,
  total: Summary,
  record: LoadRecord,
  { engine, options, io }: Job,
): Promise<void> {
  const stopped: string[] = [];
  const where = { es: engine.es, indexPrefix: engine.indexPrefix, signal: io.signal };
  const say = (note: string) => void io.err.write(`${note}\n`);
  for await (const { said, stopped: isStopped, ...counts } of completion.finish(total, options, where, say)) {
    if (isStopped) stopped.push(said);
    else io.out.write(`${said}\n`);
    const at = new Date();
    const reason = isStopped ? said : null;
    if (!options.dryRun) await recordLoad(engine, [record.completion(counts, { at, reason })], at, io.err);
  }
  if (stopped.length > 0) throw new StoppedError(stopped.join('\n'));
}

await start(import.meta.url, main);
