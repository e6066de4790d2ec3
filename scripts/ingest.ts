/** npm run ingest -- FILE...: loads feeds into the catalogue; see --help. */
import { ensureCatalogue } from '../src/catalogue/indices.js';
import { addSummaries, emptySummary, type Summary } from '../src/catalogue/summary.js';
import type { LoadRecord } from '../src/observability/events/load-record.js';
import { connectEngine, explainEngine, reachEngine } from './shared/engine.js';
import { hashImages } from './images/run.js';
import { Completion } from './ingest/completion.js';
import { checkDistinct, inputOf } from './ingest/input.js';
import { type Job, loadInput } from './ingest/load-input.js';
import { HELP, type Options, parse } from './ingest/options.js';
import { recordLoad } from './ingest/record-load.js';
import { checkRejects } from './ingest/rejects.js';
import { type Interrupt, interruptible } from './shared/interrupt.js';
import { CommandError, fail } from './shared/terminal.js';

const INTERRUPTED = 'Interrupted; what is counted above has landed. Running the load again is safe.';

async function run(options: Options, signal: AbortSignal): Promise<Summary> {
  const { files, complete, dryRun } = options;
  const rejects = options.rejects === 'none' ? undefined : options.rejects;
  const inputs = files.map((file) => inputOf(file, rejects));
  if (!dryRun && options.rejects !== 'none') {
    checkDistinct(inputs, files);
    checkRejects(inputs.map(({ rejectsPath }) => rejectsPath));
  }
  const engine = connectEngine();
  const { es, indexPrefix } = engine;
  try {
    await reachEngine(engine);
    if (!dryRun) await ensureCatalogue(es, indexPrefix);
    const completion = await Completion.start(complete, { es, indexPrefix, signal });
    const job: Job = {
      ...{ engine, options, signal },
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

/** @throws CommandError when a guard kept a source's listings from being marked. */
async function markOthers(
  completion: Completion,
  total: Summary,
  record: LoadRecord,
  { engine, options, signal }: Job,
): Promise<void> {
  const stopped: string[] = [];
  const where = { es: engine.es, indexPrefix: engine.indexPrefix, signal };
  const say = (note: string) => void process.stderr.write(`${note}\n`);
  for await (const { said, stopped: isStopped, ...counts } of completion.finish(total, options, where, say)) {
    if (isStopped) stopped.push(said);
    else console.log(said);
    const at = new Date();
    const reason = isStopped ? said : null;
    if (!options.dryRun) await recordLoad(engine, [record.completion(counts, { at, reason })], at);
  }
  if (stopped.length > 0) throw new CommandError(stopped.join('\n'), { exitCode: 3 });
}

let interrupt: Interrupt | undefined;
try {
  const options = parse(process.argv.slice(2));
  if (options === null) console.log(HELP.trimEnd());
  else {
    interrupt = interruptible(() => {
      console.log(INTERRUPTED);
    });
    const { rejected, interrupted } = await run(options, interrupt.signal);
    if (interrupted) console.log(INTERRUPTED);
    else if (options.images) {
      const images = { source: undefined, limit: undefined, again: false, concurrency: 8 };
      await hashImages(images, interrupt.signal);
    }
    if (!interrupt.finish() && rejected > 0) process.exitCode = 2;
  }
} catch (error) {
  if (interrupt?.signal.aborted !== true) fail(error);
  else {
    console.log(INTERRUPTED);
    interrupt.finish();
  }
}
