import type { Summary } from '../../src/usecases/ingest/summary.js';
import { schemaVersionOf } from '../../src/engine/index-versions.js';
import { GROUPS_SCHEMA } from '../../src/listing/derived.js';
import { FLAG_NAMES } from '../../src/schemas/quality.js';
import { flagListings, type FlagSummary } from '../../src/usecases/quality/flag-listings.js';
import { readRates } from '../../src/usecases/shared/read-rates.js';
import { afterLoad, catalogueOf, withEngine } from '../shared/catalogue.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { CommandError } from '../shared/exit.js';
import { formatCount, formatDuration } from '../../src/text/quantities.js';
import { showProgress } from '../shared/terminal.js';

export const judgeCatalogue = (env: NodeJS.ProcessEnv, io: Io): Promise<void> =>
  withEngine(env, (engine) => judge(engine, io));

/** Updates the quality flags of all listings after a load, unless the load changed nothing. */
export async function judgeAfter(
  { created, changed, price_moved }: Summary,
  env: NodeJS.ProcessEnv,
  io: Io,
): Promise<void> {
  if (created + changed + price_moved === 0) return;
  await afterLoad(
    env,
    io,
    (engine) => judge(engine, io),
    (reason) => `Flags are as they were before the load (${reason}); npm run quality finds them anew.`,
  );
}

/** Updates the quality flags after linking, because a price is compared with other offers of the product. */
export async function judgeAfterLink(env: NodeJS.ProcessEnv, io: Io): Promise<void> {
  if (io.signal.aborted) return;
  await afterLoad(
    env,
    io,
    (engine) => judge(engine, io),
    (reason) => `Flags are as they were before the link (${reason}); npm run quality finds them anew.`,
  );
}

async function judge(engine: CommandEngine, { out, err, signal }: Io): Promise<void> {
  const { es, exchangeRatesFile } = engine;
  const products = await catalogueOf(engine);
  if ((await schemaVersionOf(es, products)) < GROUPS_SCHEMA)
    throw new CommandError(`${products} is of an earlier schema; npm run reindex brings it up to date.`);
  const started = performance.now();
  const display = showProgress('quality', err);
  try {
    const passed = await flagListings({
      es,
      products,
      signal,
      rates: readRates(exchangeRatesFile),
      onWait: display.line,
      onProgress(listings) {
        display.update({ share: null, note: `${formatCount(listings)} listings looked at` });
      },
    });
    display.stop();
    out.write(`${describe(passed, performance.now() - started)}\n`);
  } finally {
    display.stop();
  }
}

function describe({ listings, flagged, flags, changed, left }: FlagSummary, elapsedMs: number): string {
  const counts = FLAG_NAMES.flatMap((flag) => {
    const count = flags[flag] ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${flag}`];
  });
  const found = counts.length === 0 ? '' : ` (${counts.join(', ')})`;
  const rest = left === 0 ? '' : `, ${formatCount(left)} left for the next run`;
  return `quality: ${formatCount(flagged)} of ${formatCount(listings)} listings have a flag${found}; ${formatCount(changed)} judged otherwise than before${rest}, in ${formatDuration(elapsedMs)}`;
}
