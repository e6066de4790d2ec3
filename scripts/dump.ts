/** npm run dump -- --out FILE: writes all listings of the catalogue to a file; see --help. */
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { fileWriter, parquetWriteRows } from 'hyparquet-writer';
import { productsAlias } from '../src/engine/indices.js';
import { COLUMNS, dumpRows, type DumpRow } from './dump/rows.js';
import { command, GRACE_MS } from './shared/command.js';
import { connectEngine, explainEngine, reachEngine } from './shared/engine.js';
import { CommandError, EXIT, UsageError } from './shared/exit.js';
import { flag, needed, parsed, text } from './shared/options.js';
import { start } from './shared/start.js';
import { formatCount } from '../src/text/quantities.js';
import { fromCaller, showProgress } from './shared/terminal.js';

const FORMATS = ['.ndjson', '.ndjson.gz', '.parquet'] as const;

/** The number of rows in each row group of a Parquet file, which are held in memory at a time. */
const ROW_GROUP = 10_000;

export const main = command({
  name: 'dump',
  about: `Writes all listings to one file for analysis with other tools: as they are at one point in time, sorted by id. With --history,
each listing includes its price history. An NDJSON file can be loaded again with ingest.`,
  options: {
    out: needed(
      parsed(
        'FILE',
        'the file to write; its extension selects the format: .ndjson, .ndjson.gz or .parquet',
        (file) => {
          if (FORMATS.some((format) => file.endsWith(format))) return file;
          throw new UsageError(`--out must end with one of ${FORMATS.join(', ')}, which "${file}" does not.`);
        },
      ),
    ),
    history: flag('include price histories: each price and when it was observed'),
    source: text('SOURCE', 'only the listings of this source'),
  },
  notes: `The file contains the fields of a Product, and the declared gtin and list_price, which the API does not return. In Parquet,
prices are text, so that they are exact; gtin, metadata and price_history are JSON text, and times are text in UTC.
Elasticsearch is that of ELASTICSEARCH_URL, otherwise that of a running demo, otherwise http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.`,
  exits: { done: 'done', interrupted: 'interrupted' },
  onInterrupt: { message: 'Interrupted; nothing was kept.', graceMs: GRACE_MS },
  async run({ options: { out, history, source } }, env, io) {
    const engine = connectEngine(env);
    const { es, indexPrefix } = engine;
    const target = fromCaller(out);
    const partial = `${target}.partial`;
    const display = showProgress(out, io.err);
    let written = 0;
    async function* counted(rows: AsyncIterable<DumpRow>) {
      for await (const row of rows) {
        yield row;
        written += 1;
        display.update({ share: null, note: `${formatCount(written)} listings` });
      }
    }
    try {
      await reachEngine(engine);
      const index = productsAlias(indexPrefix);
      if (!(await es.indices.existsAlias({ name: index })))
        throw new CommandError(`There is no catalogue ${index}.`);
      const rows = counted(dumpRows(es, { index, history, source, signal: io.signal }));
      await (out.endsWith('.parquet') ? writeParquet(partial, rows, history) : writeLines(partial, rows));
      display.stop();
      if (io.signal.aborted) return EXIT.interrupted;
      renameSync(partial, target);
      io.out.write(`${formatCount(written)} listings in ${out}\n`);
      return EXIT.done;
    } catch (error) {
      throw explainEngine(error, engine);
    } finally {
      rmSync(partial, { force: true });
      await es.close();
    }
  },
});

async function writeLines(file: string, rows: AsyncIterable<DumpRow>): Promise<void> {
  async function* lines() {
    for await (const row of rows) yield `${JSON.stringify(row)}\n`;
  }
  const source = Readable.from(lines());
  const sink = createWriteStream(file);
  await (file.endsWith('.gz.partial') ? pipeline(source, createGzip(), sink) : pipeline(source, sink));
}

async function writeParquet(file: string, rows: AsyncIterable<DumpRow>, history: boolean): Promise<void> {
  const columns = COLUMNS.filter(({ name }) => history || name !== 'price_history').map(({ name, type }) => ({
    name,
    type,
    nullable: true,
  }));
  async function* flat() {
    for await (const row of rows) {
      const cells = columns.map(({ name, type }) => {
        const value = row[name] ?? null;
        if (type === 'INT64') return [name, BigInt(value as number)];
        return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value];
      });
      yield Object.fromEntries(cells) as Record<string, unknown>;
    }
  }
  await parquetWriteRows({ writer: fileWriter(file), rows: flat(), columns, rowGroupSize: ROW_GROUP });
}

await start(import.meta.url, main);
