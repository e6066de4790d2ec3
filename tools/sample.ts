/** npm run sample: writes the sample catalogue as a feed; see --help. */
import { closeSync, createWriteStream, openSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { sourcesFile } from '../scripts/evaluation/judgements.js';
import { command, type Io } from '../scripts/shared/command.js';
import { CommandError, UsageError } from '../scripts/shared/exit.js';
import { parsed, preset, text, webUrl, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { formatCount, formatDuration } from '../src/text/quantities.js';
import { fromCaller, showProgress } from '../scripts/shared/terminal.js';
import { parseInstant } from '../src/listing/instant.js';
import type { FeedRecord } from '../src/listing/listing.js';
import {
  type CatalogueOptions,
  generateProducts,
  MAX_LISTINGS,
  SAMPLE_DEFAULTS,
  SAMPLE_IMAGES_PATH,
} from './sample-catalogue/catalogue.js';
import { writtenName } from './sample-catalogue/family.js';
import type { SampleProduct } from './sample-catalogue/product.js';

const IMAGE_BASE = `http://localhost:3000${SAMPLE_IMAGES_PATH}`;
const PAIR_COLUMNS = ['a_source', 'a_sku', 'b_source', 'b_sku'] as const;
const LISTING_COLUMNS = ['a_source', 'a_sku', 'product', 'brand', 'model'] as const;

const CHUNK_CHARACTERS = 64 * 1024;
const MAX_SEED = 2 ** 32 - 1;

/** `truth` is the path of the file that states which listings are the same product. */
interface Written extends CatalogueOptions {
  truth: string | undefined;
}

export const main = command({
  name: 'sample',
  about: `Writes the sample catalogue as NDJSON records, which npm run ingest loads: listings of invented products on six
platforms, with prices of four months. The same options give the same records, byte for byte, and a larger catalogue starts
with the records of a smaller one.`,
  options: {
    listings: preset(
      wholeNumber(`the number of listings, at most ${formatCount(MAX_LISTINGS)}`, {
        min: 1,
        max: MAX_LISTINGS,
      }),
      SAMPLE_DEFAULTS.listings,
    ),
    seed: preset(
      wholeNumber('the seed of the random numbers; each seed gives another catalogue', {
        min: 0,
        max: MAX_SEED,
      }),
      SAMPLE_DEFAULTS.seed,
    ),
    out: preset(
      text('FILE', 'the file to write, compressed if its name ends in .gz; - is standard output'),
      '-',
    ),
    truth: text(
      'FILE',
      'write all pairs of listings of the same product to this file, as CSV a_source,a_sku,b_source,b_sku for evaluate -- match --gold and evaluate -- best-price --truth, and write every listing as CSV a_source,a_sku,product,brand,model to FILE with _sources in its name',
    ),
    now: parsed(
      'TIME',
      'the latest time in the catalogue, in ISO 8601. The default is the current time',
      instant,
    ),
    imageBase: webUrl(
      `the address of the images. The default is ${IMAGE_BASE}, where npm run demo serves them`,
    ),
  },
  notes: '  npm run --silent sample -- --listings 100 | head -1',
  async run({ options: { listings, seed, out, truth, now = new Date(), imageBase: base } }, _env, io) {
    const catalogue = { listings, seed, now, imageBaseUrl: base ?? IMAGE_BASE, truth };
    await write(catalogue, out === '-' ? null : out, io).catch((error: unknown) => {
      if (out === '-' && isHangUp(error)) return;
      const known = error instanceof Error && 'syscall' in error && 'path' in error;
      throw known
        ? new CommandError(
            `${String(error.path)} cannot be written (${(error as NodeJS.ErrnoException).code}).`,
          )
        : error;
    });
  },
});

function instant(given: string, name: string): Date {
  const ms = parseInstant(given);
  if (ms === null) throw new UsageError(`${name} must be an ISO 8601 date and time, not "${given}"`);
  return new Date(ms);
}

function* lines(options: Written, onRecord: () => void): Generator<string> {
  const truth = options.truth === undefined ? null : truthWriter(options.truth);
  let chunk = '';
  try {
    for (const { product, records } of generateProducts(options)) {
      truth?.write(product, records);
      for (const record of records) {
        chunk += `${JSON.stringify(record)}\n`;
        onRecord();
        if (chunk.length < CHUNK_CHARACTERS) continue;
        yield chunk;
        chunk = '';
      }
    }
    if (chunk !== '') yield chunk;
  } finally {
    truth?.close();
  }
}

/** Writes the truth. Sources, SKUs and names of the sample contain no character that CSV must quote. */
function truthWriter(file: string) {
  const [pairs, listings] = [openSync(fromCaller(file), 'w'), openSync(fromCaller(sourcesFile(file)), 'w')];
  const rows = (to: number, cells: readonly (readonly string[])[]) => {
    if (cells.length > 0) writeSync(to, `${cells.map((row) => row.join(',')).join('\n')}\n`);
  };
  rows(pairs, [PAIR_COLUMNS]);
  rows(listings, [LISTING_COLUMNS]);
  return {
    write(product: SampleProduct, records: readonly FeedRecord[]) {
      rows(pairs, truePairs(records));
      rows(listings, trueListings(product, records));
    },
    close() {
      closeSync(pairs);
      closeSync(listings);
    },
  };
}

function truePairs(records: readonly FeedRecord[]): string[][] {
  return records.flatMap((a) =>
    records.filter((b) => b !== a).map((b) => [a, b].flatMap(({ source, sku }) => [source, sku])),
  );
}

function trueListings({ index, type, model }: SampleProduct, records: readonly FeedRecord[]): string[][] {
  const name = type.naming === 'variety' ? '' : writtenName(model);
  return records.map(({ source, sku }) => [source, sku, String(index), model.brand, name]);
}

async function write(options: Written, file: string | null, { out, err }: Io): Promise<void> {
  const { listings } = options;
  const started = performance.now();
  const display = showProgress('sample', err);
  let written = 0;
  const source = Readable.from(
    lines(options, () => {
      written += 1;
      if (written % 100 !== 0) return;
      const rate = formatCount(Math.round((written * 1000) / (performance.now() - started)));
      display.update({
        share: written / listings,
        note: `${formatCount(written)} listings`,
        rate: `${rate}/s`,
      });
    }),
    // The stream buffers only one chunk, because each chunk contains many records.
    { highWaterMark: 1 },
  );
  try {
    if (file === null) await pipeline(source, out, { end: false });
    else if (file.endsWith('.gz')) await pipeline(source, createGzip(), createWriteStream(fromCaller(file)));
    else await pipeline(source, createWriteStream(fromCaller(file)));
  } finally {
    display.stop();
  }
  if (file === null) return;
  err.write(`${file}: ${formatCount(written)} listings in ${formatDuration(performance.now() - started)}\n`);
}

/** Returns whether an error means that the reader of standard output has closed the pipe, as `head` does. */
const isHangUp = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');

await start(import.meta.url, main);
