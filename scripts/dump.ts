/** npm run dump -- --out FILE: writes all listings of the catalogue to a file; see --help. */
import { createWriteStream, renameSync, rmSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { Client, estypes } from '@elastic/elasticsearch';
import type { StoredListing } from '../src/listing/listing.js';
import { statedDelivery } from '../src/listing/delivery.js';
import { PRODUCT_FIELDS } from '../src/schemas/product.js';
import { searchPages } from '../src/engine/search-pages.js';
import { storedIndex, storedIndices } from '../src/platform/stored.js';
import { command, GRACE_MS } from './shared/command.js';
import { catalogueOf, ENGINE_HELP, withEngine } from './shared/engine.js';
import { EXIT, UsageError } from './shared/exit.js';
import { describeUnknownSource } from './shared/known-source.js';
import { flag, needed, oneOf, parsed, preset, text } from './shared/options.js';
import { start } from './shared/start.js';
import { writeParquet } from './shared/parquet.js';
import { formatCount } from '../src/text/quantities.js';
import { fromCaller, withProgress } from './shared/terminal.js';

const FORMATS = ['.ndjson', '.ndjson.gz', '.parquet'] as const;

/** The fields of a dump that are not part of the API's Product, by their paths in the index. */
const STORED_FIELDS = [
  'declared_gtins',
  'list_price',
  'delivery',
  'condition',
  'price_from',
  'first_observed_at',
  'observed_at',
  'group_id',
].map((name) => `internal.${name}`);

/** What can be dumped: everything that nothing can rebuild. */
const KINDS = storedIndices.flatMap(([kind, { fate }]) => (fate === 'backed up' ? [kind] : []));

const PAGE = 1_000;
const KEEP_ALIVE = '5m';

export const main = command({
  name: 'dump',
  about: `Writes all listings to one file for analysis with other tools: as they are at one point in time, sorted by id. With --history,
each listing includes its price history. Loading an NDJSON file with ingest restores the listings, with the times at which
they changed and were observed. With --kind, it writes other data than listings, such as decisions, as documents of Elasticsearch.`,
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
    kind: preset(oneOf(KINDS, 'what to write, as NDJSON unless it is products'), 'products'),
  },
  notes: `The file contains the fields of a Product, and gtin, list_price, delivery and condition as feeds state them, which a Product does not have. In
NDJSON, times holds when a listing was first and last observed; past prices in another currency than the listing's have a
currency. In Parquet, prices are decimals with four places, times are timestamps, gtin and category_path are lists, metadata
and price_history are JSON text, and group_id is the product of the listing (npm run link). Nothing loads a file of another kind
again: npm run backup saves all data for a restore.

${ENGINE_HELP}.`,
  exits: { done: 'done', interrupted: 'interrupted' },
  onInterrupt: { message: 'Interrupted; no file was written.', graceMs: GRACE_MS },
  async run({ options: { out, history, source, kind } }, env, io) {
    const isListings = kind === 'products';
    if (!isListings && (history || source !== undefined || out.endsWith('.parquet')))
      throw new UsageError(`--kind ${kind} has no meaning with --history, --source or a .parquet file.`);
    const noun = isListings ? 'listings' : `documents of ${kind}`;
    const target = fromCaller(out);
    const partial = `${target}.partial`;
    return withEngine(env, async (engine) => {
      const listings = { index: await catalogueOf(engine), ...listingsRequest(history, source) };
      const others = { index: storedIndex(engine.indexPrefix, kind), sort: ['_shard_doc'] };
      const hits = dumpedHits(engine.es, isListings ? listings : others, io.signal);
      let written = 0;
      try {
        await withProgress(out, io.err, async (display) => {
          async function* counted() {
            for await (const hit of hits) {
              yield hit;
              written += 1;
              display.update({ share: null, note: `${formatCount(written)} ${noun}` });
            }
          }
          const recordOfHit = isListings
            ? ({ _source }: Hit) => recordOf(_source as StoredListing, history)
            : ({ _id, _source }: Hit) => ({ _id, _source });
          await (out.endsWith('.parquet')
            ? writeParquet(partial, sourcesOf(counted()), history)
            : writeLines(partial, counted(), recordOfHit));
        });
        if (io.signal.aborted) return EXIT.interrupted;
        if (written === 0 && source !== undefined) {
          const unknown = await describeUnknownSource(source, 'no file was written', engine);
          if (unknown !== null) throw new UsageError(unknown);
        }
        renameSync(partial, target);
        io.out.write(`${formatCount(written)} ${noun} in ${out}\n`);
        return EXIT.done;
      } finally {
        rmSync(partial, { force: true });
      }
    });
  },
});

type Hit = Pick<estypes.SearchHit, '_id' | '_source'>;

async function writeLines(file: string, hits: AsyncIterable<Hit>, recordOfHit: (hit: Hit) => object) {
  async function* lines() {
    for await (const hit of hits) yield `${JSON.stringify(recordOfHit(hit))}\n`;
  }
  const source = Readable.from(lines());
  const sink = createWriteStream(file);
  await (file.endsWith('.gz.partial') ? pipeline(source, createGzip(), sink) : pipeline(source, sink));
}

async function* sourcesOf(hits: AsyncIterable<Hit>): AsyncGenerator<StoredListing> {
  for await (const { _source } of hits) yield _source as StoredListing;
}

type Request = Omit<estypes.SearchRequest, 'index'>;

const listingsRequest = (history: boolean, source: string | undefined): Request => ({
  sort: [{ id: 'asc' }],
  query: source === undefined ? { match_all: {} } : { term: { source } },
  _source: [...PRODUCT_FIELDS, ...STORED_FIELDS, ...(history ? ['internal.price_history'] : [])],
});

/** Yields all hits of a search from one point in time, so that they are consistent. A missing index has no hits. */
async function* dumpedHits(
  es: Client,
  { index, ...request }: Request & { index: string },
  signal: AbortSignal,
): AsyncGenerator<Hit> {
  const { id } = await es.openPointInTime({ index, keep_alive: KEEP_ALIVE, ignore_unavailable: true });
  const pit = { id, keep_alive: KEEP_ALIVE };
  try {
    for await (const hits of searchPages<unknown>(es, { ...request, pit, size: PAGE })) {
      yield* hits;
      if (signal.aborted) return;
    }
  } finally {
    await es.closePointInTime({ id: pit.id }, { ignore: [404] });
  }
}

/** The record of a dump from which `ingest` restores a listing. */
function recordOf(listing: StoredListing, history: boolean): Record<string, unknown> {
  const { declared_gtins, list_price, first_observed_at, observed_at, price_history } = listing.internal;
  return {
    ...Object.fromEntries(PRODUCT_FIELDS.map((field) => [field, listing[field]])),
    gtin: declared_gtins.length > 0 ? declared_gtins : null,
    list_price,
    delivery: statedDelivery(listing.internal),
    condition: listing.internal.condition?.stated ?? null,
    ...(listing.internal.price_from === true ? { price_from: true } : {}),
    ...(history ? { price_history } : {}),
    times: { first_observed_at, observed_at },
  };
}

await start(import.meta.url, main);
