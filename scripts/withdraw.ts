/** npm run withdraw -- --source X [--skus FILE]: deletes listings; see --help. */
import { createReadStream } from 'node:fs';
import { productsAlias } from '../src/engine/indices.js';
import { withdrawListings } from '../src/usecases/ingest/withdraw.js';
import { type AliasMoveLease, REINDEX } from '../src/usecases/shared/alias-move.js';
import { command, GRACE_MS } from './shared/command.js';
import { connectEngine, explainEngine, reachEngine } from './shared/engine.js';
import { CommandError, EXIT, StoppedError } from './shared/exit.js';
import { Lease } from '../src/engine/lease.js';
import { flag, needed, text } from './shared/options.js';
import { start } from './shared/start.js';
import { formatCount } from '../src/text/quantities.js';
import { fromCaller, showProgress } from './shared/terminal.js';

export const main = command({
  name: 'withdraw',
  about: `Deletes listings: all of a source, or those whose SKUs are in a file, one per line. The API no longer returns them. Loading a
record with a newer observation, or without a time, restores the listing under the same id; an older record is rejected.`,
  options: {
    source: needed(text('SOURCE', 'the source of the listings')),
    skus: text(
      'FILE',
      'a file with the SKUs of the listings, one per line; by default all listings of the source',
    ),
    'dry-run': flag('only count the listings'),
  },
  notes: `Withdrawn listings are not marked as unavailable but deleted, including their price history. Elasticsearch is that of
ELASTICSEARCH_URL, otherwise that of a running demo, otherwise http://localhost:9200. INDEX_PREFIX (catalog) must be that
of the service. This command does not run during npm run reindex, which might copy withdrawn listings.`,
  exits: { done: 'done', stopped: 'a reindex is under way', interrupted: 'interrupted' },
  onInterrupt: { message: 'Interrupted; run it again for the rest.', graceMs: GRACE_MS },
  async run({ options: { source, skus: file, 'dry-run': dryRun } }, env, io) {
    const skus = file === undefined ? undefined : await readSkus(file);
    const engine = connectEngine(env);
    const { es, indexPrefix } = engine;
    const report = (note: string) => void io.err.write(`${note}\n`);
    let lease: AliasMoveLease | null = null;
    try {
      await reachEngine(engine);
      if (!(await es.indices.existsAlias({ name: productsAlias(indexPrefix) })))
        throw new CommandError(`There is no catalogue ${productsAlias(indexPrefix)}.`);
      lease = await Lease.acquire(es, indexPrefix, REINDEX, report);
      if (lease.state.move !== null)
        throw new StoppedError('A reindex has begun and not ended: end it first, with npm run reindex.');
      const display = showProgress(source, io.err);
      const withdrawn = await withdrawListings({
        es,
        indexPrefix,
        source,
        skus,
        dryRun,
        now: new Date(),
        signal: io.signal,
        giveUpAfterMs: 600_000,
        onWait: display.line,
        onProgress: (count) =>
          display.update({ share: null, note: `${formatCount(count)} listings withdrawn` }),
      });
      display.stop();
      const unknown = skus === undefined ? 0 : skus.length - withdrawn;
      const rest = unknown > 0 ? `; of ${formatCount(unknown)} SKUs there is no listing` : '';
      io.out.write(
        `${formatCount(withdrawn)} listings of ${source} ${dryRun ? 'would be ' : ''}withdrawn${rest}\n`,
      );
      const { previous } = lease.state;
      if (previous !== null && !dryRun)
        report(
          `${previous.index} still has them: a rollback would bring them back, npm run reindex -- --clean deletes it.`,
        );
      return io.signal.aborted ? EXIT.interrupted : EXIT.done;
    } catch (error) {
      throw explainEngine(error, engine);
    } finally {
      await lease?.release();
      await es.close();
    }
  },
});

async function readSkus(file: string): Promise<string[]> {
  const skus = new Set<string>();
  let rest = '';
  try {
    for await (const chunk of createReadStream(fromCaller(file), 'utf8') as AsyncIterable<string>) {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) skus.add(line.trim());
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new CommandError(
      code === 'ENOENT' ? `${file}: no such file.` : `${file} cannot be read (${code}).`,
    );
  }
  skus.add(rest.trim());
  skus.delete('');
  if (skus.size === 0) throw new CommandError(`${file} names no SKU.`);
  return [...skus];
}

await start(import.meta.url, main);
