/** npm run quality: flags listings whose data contradict other listings; see --help. */
import { schemaVersionOf } from '../src/engine/index-versions.js';
import { GROUPS_SCHEMA } from '../src/listing/derived.js';
import { FLAG_NAMES } from '../src/schemas/quality.js';
import { formatCount, formatDuration } from '../src/text/quantities.js';
import type { Summary } from '../src/usecases/ingest/summary.js';
import { flagListings, type FlagSummary } from '../src/usecases/quality/flag-listings.js';
import type { ChangedGroups } from '../src/usecases/link/regroup.js';
import { readRates } from '../src/usecases/shared/read-rates.js';
import { command, GRACE_MS, type Io } from './shared/command.js';
import { afterLoad, catalogueOf, type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError, EXIT } from './shared/exit.js';
import { start } from './shared/start.js';
import { withProgress } from './shared/terminal.js';

export const main = command({
  name: 'quality',
  about: `Compares every listing with others and updates the quality flags of GET /v1/quality: placeholder prices, which differ
extremely from other offers of the product or occur across a whole shop, outlier prices, GTINs that another brand uses, and
duplicate listings of a source. Flags that need no comparison are set when a listing is loaded. npm run ingest runs this
after each load, npm run link after it has formed groups. Stop or kill it at any time and run it again.`,
  options: {},
  notes: `${ENGINE_HELP}, and so must EXCHANGE_RATES_FILE.`,
  exits: { done: 'done', interrupted: 'interrupted; the flags that were updated until then are kept' },
  onInterrupt: {
    message: 'Interrupted; the flags that were updated until then are kept.',
    graceMs: GRACE_MS,
  },
  async run(_given, env, io) {
    await withEngine(env, (engine) => updateFlags(engine, 'many', io));
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

export async function flagAfterLoad(
  { created, changed, price_moved, price_cleared }: Summary,
  env: NodeJS.ProcessEnv,
  io: Io,
): Promise<void> {
  if (created + changed + price_moved + price_cleared > 0) await flagAfter('load', 'many', env, io);
}

/**
 * Updates the quality flags of the listings in changed groups after linking, because a price is compared with other offers of
 * the product. If many groups changed, it updates the flags of the whole catalogue.
 */
export async function flagAfterLink(groups: ChangedGroups, env: NodeJS.ProcessEnv, io: Io): Promise<void> {
  if (groups === 'many' || groups.size > 0) await flagAfter('link', groups, env, io);
}

async function flagAfter(
  work: 'load' | 'link',
  groups: ChangedGroups,
  env: NodeJS.ProcessEnv,
  io: Io,
): Promise<void> {
  if (io.signal.aborted) return;
  await afterLoad(
    env,
    io,
    (engine) => updateFlags(engine, groups, io),
    (reason) => `Flags are as they were before the ${work} (${reason}); npm run quality updates them.`,
  );
}

async function updateFlags(
  engine: CommandEngine,
  groups: ChangedGroups,
  { out, err, signal }: Io,
): Promise<void> {
  const { es, exchangeRatesFile } = engine;
  const products = await catalogueOf(engine);
  if ((await schemaVersionOf(es, products)) < GROUPS_SCHEMA)
    throw new CommandError(`${products} has an earlier schema; npm run reindex brings it up to date.`);
  const started = performance.now();
  const summary = await withProgress('quality', err, (display) =>
    flagListings({
      es,
      products,
      signal,
      ...(groups === 'many' ? {} : { groups: [...groups] }),
      rates: readRates(exchangeRatesFile),
      onWait: display.line,
      onProgress: (listings) =>
        display.update({ share: null, note: `${formatCount(listings)} listings checked` }),
    }),
  );
  out.write(`${flagReport(summary, performance.now() - started)}\n`);
}

function flagReport({ listings, flagged, flags, changed, left }: FlagSummary, elapsedMs: number): string {
  const counts = FLAG_NAMES.flatMap((flag) => {
    const count = flags[flag] ?? 0;
    return count === 0 ? [] : [`${formatCount(count)} ${flag}`];
  });
  const found = counts.length === 0 ? '' : ` (${counts.join(', ')})`;
  const rest = left === 0 ? '' : `, ${formatCount(left)} left for the next run`;
  return `quality: ${formatCount(flagged)} of ${formatCount(listings)} listings have a flag${found}; the flags of ${formatCount(changed)} changed${rest}, in ${formatDuration(elapsedMs)}`;
}

await start(import.meta.url, main);
