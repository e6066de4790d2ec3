import { schemaVersionOf } from '../../src/engine/index-versions.js';
import { GROUPS_SCHEMA } from '../../src/listing/schema-versions.js';
import { FLAG_NAMES } from '../../src/schemas/quality.js';
import { formatCount, formatDuration } from '../../src/text/quantities.js';
import type { ChangedGroups } from '../../src/usecases/link/regroup.js';
import { flagListings, type FlagSummary } from '../../src/usecases/quality/flag-listings.js';
import { readRates } from '../../src/products/read-rates.js';
import type { Io } from '../shared/command.js';
import { afterLoad, catalogueOf, type CommandEngine } from '../shared/engine.js';
import { CommandError } from '../shared/exit.js';
import { withProgress } from '../shared/terminal.js';

/** Updates the flags of changed groups, or of all listings if many changed: a price is compared with other offers of its product. */
export async function flagAfterLink(groups: ChangedGroups, env: NodeJS.ProcessEnv, io: Io): Promise<void> {
  if (io.signal.aborted || (groups !== 'many' && groups.size === 0)) return;
  await afterLoad(
    env,
    io,
    (engine) => updateFlags(engine, io, { groups }),
    (reason) => `Flags are as they were before the link (${reason}); npm run quality updates them.`,
  );
}

/**
 * Updates the quality flags that depend on other listings.
 * @param options.groups the groups whose listings are updated; by default all are.
 * @param options.share the share of the time in which the update works.
 * @throws CommandError if the index has an earlier schema.
 */
export async function updateFlags(
  engine: CommandEngine,
  { out, err, signal }: Io,
  { groups = 'many', share }: { groups?: ChangedGroups; share?: number | undefined } = {},
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
      share,
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
