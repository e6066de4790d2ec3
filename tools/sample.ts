/** npm run sample: writes the sample catalogue as a feed; see --help. */
import { closeSync, createWriteStream, openSync, writeSync } from 'node:fs';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGzip } from 'node:zlib';
import { parseInstant } from '../src/listing/instant.js';
import type { FeedRecord } from '../src/listing/record.js';
import {
  type CatalogueOptions,
  generateProducts,
  MAX_LISTINGS,
  SAMPLE_DEFAULTS,
  SAMPLE_IMAGES_PATH,
} from './sample/catalogue.js';
import type { Product } from './sample/product.js';
import { sourcesFile } from '../scripts/evaluate/truth.js';
import { LISTING_COLUMNS, PAIR_COLUMNS, trueListings, truePairs } from './sample/truth.js';
import {
  CommandError,
  fail,
  formatCount,
  formatDuration,
  fromCaller,
  showProgress,
} from '../scripts/shared/terminal.js';

const IMAGE_BASE = `http://localhost:3000${SAMPLE_IMAGES_PATH}`;

const HELP = `npm run sample

Writes the sample catalogue as NDJSON feed records, to be loaded with npm run ingest: listings of invented products on
six platforms, with four months of prices. The same options give the same records, byte for byte; asking for more
listings gives the same ones first.

  --listings N         how many, ${formatCount(SAMPLE_DEFAULTS.listings)} by default, ${formatCount(MAX_LISTINGS)} at most
  --seed N             another number is another catalogue; ${SAMPLE_DEFAULTS.seed} by default
  --out FILE           where to; compressed if it ends in .gz; - or nothing is standard output
  --truth FILE         CSV a_source,a_sku,b_source,b_sku of every two listings of one product, for evaluate -- match
                       --gold FILE and evaluate -- best-price --truth FILE; and beside it, as FILE with _sources in its
                       name, CSV a_source,a_sku,product,brand,model of every listing
  --now TIME           the time of the catalogue, ISO 8601; now by default
  --image-base URL     where the pictures are served; ${IMAGE_BASE} by default, as npm run
                       demo does
  --help

  npm run --silent sample -- --listings 100 | head -1
`;

const CHUNK_CHARACTERS = 64 * 1024;
const MAX_SEED = 2 ** 32 - 1;

interface Options extends CatalogueOptions {
  /** null: standard output. */
  out: string | null;
  truth: string | null;
}

/** @returns null when only help is wanted. @throws CommandError when the command line makes no sense. */
function parse(args: string[]): Options | null {
  const values = parseCommandLine(args);
  if (values.help === true) return null;
  const { listings, seed, out = '-', truth = null, now, 'image-base': imageBase = IMAGE_BASE } = values;
  if (!/^https?:\/\/\S+$/.test(imageBase) || !URL.canParse(imageBase)) {
    throw new CommandError(`--image-base must be an http or https URL, not "${imageBase}".`);
  }
  return {
    listings: integer('--listings', listings, SAMPLE_DEFAULTS.listings, 1, MAX_LISTINGS),
    seed: integer('--seed', seed, SAMPLE_DEFAULTS.seed, 0, MAX_SEED),
    now: instant(now),
    imageBaseUrl: imageBase.replace(/(?<!\/)\/+$/, ''),
    out: out === '-' ? null : out,
    truth,
  };
}

function parseCommandLine(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        listings: { type: 'string' },
        seed: { type: 'string' },
        out: { type: 'string' },
        truth: { type: 'string' },
        now: { type: 'string' },
        'image-base': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message} See --help.`);
  }
}

function integer(name: string, text: string | undefined, usual: number, min: number, max: number): number {
  if (text === undefined) return usual;
  const value = /^\d+$/.test(text) ? Number(text) : NaN;
  if (value >= min && value <= max) return value;
  throw new CommandError(`${name} must be a whole number from ${min} to ${formatCount(max)}, not "${text}".`);
}

function instant(text: string | undefined): Date {
  if (text === undefined) return new Date();
  const ms = parseInstant(text);
  if (ms === null) throw new CommandError(`--now must be an ISO 8601 date and time, not "${text}".`);
  return new Date(ms);
}

/** The records as text, many to a chunk. */
function* lines(options: Options, onRecord: () => void): Generator<string> {
  const truth = options.truth === null ? null : truthWriter(options.truth);
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

/** Writes which listings are the same product. Sources, SKUs and names of the sample need no quoting in CSV. */
function truthWriter(file: string) {
  const [pairs, listings] = [openSync(file, 'w'), openSync(sourcesFile(file), 'w')];
  const rows = (to: number, cells: readonly (readonly string[])[]) => {
    if (cells.length > 0) writeSync(to, `${cells.map((row) => row.join(',')).join('\n')}\n`);
  };
  rows(pairs, [PAIR_COLUMNS]);
  rows(listings, [LISTING_COLUMNS]);
  return {
    write(product: Product, records: readonly FeedRecord[]) {
      rows(pairs, truePairs(records));
      rows(listings, trueListings(product, records));
    },
    close() {
      closeSync(pairs);
      closeSync(listings);
    },
  };
}

async function run(options: Options): Promise<void> {
  const { listings, out } = options;
  const started = performance.now();
  const display = showProgress('sample');
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
    // One chunk is enough to have ready: they are large.
    { highWaterMark: 1 },
  );
  const target: Writable = out === null ? process.stdout : createWriteStream(fromCaller(out));
  try {
    if (out?.endsWith('.gz') === true) await pipeline(source, createGzip(), target);
    else await pipeline(source, target);
  } finally {
    display.stop();
  }
  if (out === null) return;
  console.error(`${out}: ${formatCount(written)} listings in ${formatDuration(performance.now() - started)}`);
}

/** Whoever reads standard output may stop whenever they have enough. */
const isHangUp = (error: unknown, { out }: Options): boolean =>
  out === null &&
  error instanceof Error &&
  'code' in error &&
  (error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE');

try {
  const options = parse(process.argv.slice(2));
  if (options === null) console.log(HELP.trimEnd());
  else {
    await run(options).catch((error: unknown) => {
      if (isHangUp(error, options)) return;
      const known = error instanceof Error && 'syscall' in error && 'path' in error;
      throw known
        ? new CommandError(
            `${String(error.path)} cannot be written (${(error as NodeJS.ErrnoException).code}).`,
          )
        : error;
    });
  }
} catch (error) {
  fail(error);
}
