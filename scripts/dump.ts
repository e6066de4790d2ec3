/** npm run dump -- --out FILE: writes all listings of the catalogue to a file; see --help. */
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client, estypes } from '@elastic/elasticsearch';
import { fileWriter, parquetWriteRows } from 'hyparquet-writer';
import type { StoredListing } from '../src/listing/listing.js';
import { PRODUCT_FIELDS } from '../src/schemas/product.js';
import { command, GRACE_MS } from './shared/command.js';
import { catalogueOf, ENGINE_HELP, withEngine } from './shared/engine.js';
import { EXIT, UsageError } from './shared/exit.js';
import { flag, needed, parsed, text } from './shared/options.js';
import { start } from './shared/start.js';
import { formatCount } from '../src/text/quantities.js';
import { fromCaller, withProgress } from './shared/terminal.js';

const FORMATS = ['.ndjson', '.ndjson.gz', '.parquet'] as const;

type DumpRow = Record<string, unknown>;

/** The columns of a Parquet file. Prices are text, because a binary float would not be exact. */
const COLUMNS = [...PRODUCT_FIELDS, 'gtin', 'list_price', 'price_history'];
const TYPES: Record<string, 'INT64' | 'BOOLEAN'> = { id: 'INT64', is_available: 'BOOLEAN' };

/** The fields of a feed record that are not part of the API's Product, by their paths in the index. */
const STATED_FIELDS = ['internal.declared_gtins', 'internal.list_price'];

const PAGE = 1_000;
const KEEP_ALIVE = '5m';

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

${ENGINE_HELP}.`,
  exits: { done: 'done', interrupted: 'interrupted' },
  onInterrupt: { message: 'Interrupted; no file was written.', graceMs: GRACE_MS },
  async run({ options: { out, history, source } }, env, io) {
    const target = fromCaller(out);
    const partial = `${target}.partial`;
    return withEngine(env, async (engine) => {
      const index = await catalogueOf(engine);
      let written = 0;
      const rows = dumpRows(engine.es, { index, history, source, signal: io.signal });
      try {
        await withProgress(out, io.err, async (display) => {
          async function* counted() {
            for await (const row of rows) {
              yield row;
              written += 1;
              display.update({ share: null, note: `${formatCount(written)} listings` });
            }
          }
          await (out.endsWith('.parquet')
            ? writeParquet(partial, counted(), history)
            : writeLines(partial, counted()));
        });
        if (io.signal.aborted) return EXIT.interrupted;
        renameSync(partial, target);
        io.out.write(`${formatCount(written)} listings in ${out}\n`);
        return EXIT.done;
      } finally {
        rmSync(partial, { force: true });
      }
    });
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
  const names = COLUMNS.filter((name) => history || name !== 'price_history');
  const columns = names.map((name) => ({ name, type: TYPES[name] ?? ('STRING' as const), nullable: true }));
  async function* flat() {
    for await (const row of rows) {
      const cells = names.map((name) => {
        const value = row[name] ?? null;
        if (name === 'id') return [name, BigInt(value as number)];
        return [name, typeof value === 'object' && value !== null ? JSON.stringify(value) : value];
      });
      yield Object.fromEntries(cells) as Record<string, unknown>;
    }
  }
  await parquetWriteRows({ writer: fileWriter(file), rows: flat(), columns, rowGroupSize: ROW_GROUP });
}

interface DumpOptions {
  index: string;
  history: boolean;
  source: string | undefined;
  signal: AbortSignal;
}

async function* dumpRows(
  es: Client,
  { index, history, source, signal }: DumpOptions,
): AsyncGenerator<DumpRow> {
  const { id } = await es.openPointInTime({ index, keep_alive: KEEP_ALIVE });
  const pit = { id, keep_alive: KEEP_ALIVE };
  try {
    let after: estypes.SortResults | undefined;
    do {
      const { hits, pit_id } = await es.search<StoredListing>({
        pit,
        size: PAGE,
        sort: [{ id: 'asc' }],
        track_total_hits: false,
        // The search must fail if a shard fails, because a dump without the listings of that shard would look
        // complete.
        allow_partial_search_results: false,
        query: source === undefined ? { match_all: {} } : { term: { source } },
        _source: [...PRODUCT_FIELDS, ...STATED_FIELDS, ...(history ? ['internal.price_history'] : [])],
        ...(after === undefined ? {} : { search_after: after }),
      });
      pit.id = pit_id ?? pit.id;
      after = hits.hits.at(-1)?.sort;
      for (const { _source } of hits.hits) if (_source !== undefined) yield rowOf(_source, history);
    } while (after !== undefined && !signal.aborted);
  } finally {
    await es.closePointInTime({ id: pit.id }, { ignore: [404] });
  }
}

function rowOf(listing: StoredListing, history: boolean): DumpRow {
  const { declared_gtins, list_price } = listing.internal;
  const row = {
    ...Object.fromEntries(PRODUCT_FIELDS.map((field) => [field, listing[field]])),
    gtin: declared_gtins.length > 0 ? declared_gtins : null,
    list_price,
  };
  if (!history) return row;
  // Past prices in another currency than the listing's are left out, because a feed cannot state them.
  // Declared prices keep the member `declared`.
  const own = listing.internal.price_history.filter(({ currency }) => currency === undefined);
  return { ...row, price_history: own };
}

await start(import.meta.url, main);
