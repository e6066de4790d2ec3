/** npm run sample: writes the sample catalogue as a feed; see --help. */
import { closeSync, createWriteStream, openSync, writeSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { quantitiesFile, sourcesFile } from '../scripts/shared/csv-file.js';
import { command, type Io } from '../scripts/shared/command.js';
import { CommandError } from '../scripts/shared/exit.js';
import { oneOf, preset, text, time, webUrl, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { formatCount, formatDuration } from '../src/text/quantities.js';
import { fromCaller, withProgress } from '../scripts/shared/terminal.js';
import type { FeedRecord } from '../src/listing/listing.js';
import {
  type CatalogueOptions,
  generateProducts,
  MAX_LISTINGS,
  SAMPLE_DEFAULTS,
} from './sample-catalogue/catalogue.js';
import { SAMPLE_IMAGES_PATH } from './sample-catalogue/image.js';
import { MARKET_NAMES, marketNamed, SINGAPORE } from './sample-catalogue/market.js';
import { writtenName } from './sample-catalogue/family.js';
import { type SampleProduct, soldQuantity } from './sample-catalogue/product.js';

const IMAGE_BASE = `http://localhost:3000${SAMPLE_IMAGES_PATH}`;
const MAX_SEED = 2 ** 32 - 1;

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
      'write all pairs of listings of the same product to this file, as CSV a_source,a_sku,b_source,b_sku for evaluate -- match --gold and evaluate -- best-price --truth, and write every listing as CSV a_source,a_sku,product,brand,model to FILE with _sources in its name, and the quantity that each listing sells as CSV source,sku,quantity,unit for evaluate -- unit-price --truth to FILE with _quantities in its name',
    ),
    market: preset(
      oneOf(MARKET_NAMES, 'the market whose shops, currency and language the listings have'),
      SINGAPORE,
    ),
    now: time('the latest time in the catalogue'),
    imageBase: webUrl(
      `the address of the images. The default is ${IMAGE_BASE}, where npm run demo serves them`,
    ),
  },
  notes: '  npm run --silent sample -- --listings 100 | head -1',
  async run(
    { options: { listings, seed, out, truth, market, now = new Date(), imageBase = IMAGE_BASE } },
    _env,
    io,
  ) {
    const catalogue = { listings, seed, now, imageBaseUrl: imageBase, market: marketNamed(market) };
    await write(catalogue, out, truth, io).catch((error: unknown) => {
      const { code, path, syscall } = error as NodeJS.ErrnoException;
      // The program that reads standard output may close the pipe early, as `head` does, which is not an error.
      if (out === '-' && (code === 'EPIPE' || code === 'ERR_STREAM_PREMATURE_CLOSE')) return;
      if (syscall === undefined || path === undefined) throw error;
      throw new CommandError(`${path} cannot be written (${code}).`);
    });
  },
});

/** Writes as CSV which listings are the same product. Nothing in the sample must be quoted. */
function truthWriter(file: string) {
  const open = (name: string, columns: readonly string[]) => {
    const to = openSync(fromCaller(name), 'w');
    const write = (row: readonly string[]) => void writeSync(to, `${row.join(',')}\n`);
    write(columns);
    return { write, close: () => closeSync(to) };
  };
  const pairs = open(file, ['a_source', 'a_sku', 'b_source', 'b_sku']);
  const listings = open(sourcesFile(file), ['a_source', 'a_sku', 'product', 'brand', 'model']);
  const quantities = open(quantitiesFile(file), ['source', 'sku', 'quantity', 'unit']);
  return {
    write(product: SampleProduct, records: readonly FeedRecord[]) {
      const { index, type, model } = product;
      const name = type.naming === 'variety' ? '' : writtenName(model);
      const { amount = '', unit = '' } = soldQuantity(product) ?? {};
      const keys = records.map(({ source, sku }) => [source, sku]);
      for (const key of keys) {
        for (const other of keys) if (other !== key) pairs.write([...key, ...other]);
        listings.write([...key, String(index), model.brand, name]);
        quantities.write([...key, String(amount), unit]);
      }
    },
    close() {
      for (const one of [pairs, listings, quantities]) one.close();
    },
  };
}

async function write(
  options: CatalogueOptions,
  file: string,
  truthFile: string | undefined,
  { out, err }: Io,
): Promise<void> {
  const truth = truthFile === undefined ? null : truthWriter(truthFile);
  const started = performance.now();
  let written = 0;
  await withProgress('sample', err, async (display) => {
    function* lines() {
      for (const { product, records } of generateProducts(options)) {
        truth?.write(product, records);
        yield records.map((record) => `${JSON.stringify(record)}\n`).join('');
        written += records.length;
        const rate = `${formatCount(Math.round((written * 1000) / (performance.now() - started)))}/s`;
        display.update({ share: written / options.listings, note: `${formatCount(written)} listings`, rate });
      }
    }
    const source = Readable.from(lines());
    try {
      if (file === '-') await pipeline(source, out, { end: false });
      else if (file.endsWith('.gz'))
        await pipeline(source, createGzip(), createWriteStream(fromCaller(file)));
      else await pipeline(source, createWriteStream(fromCaller(file)));
    } finally {
      truth?.close();
    }
  });
  if (file === '-') return;
  err.write(`${file}: ${formatCount(written)} listings in ${formatDuration(performance.now() - started)}\n`);
}

await start(import.meta.url, main);
