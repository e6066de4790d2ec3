/** npm run withdraw -- --source X [--skus FILE]: deletes listings; see --help. */
import { createReadStream } from 'node:fs';
import { deleteUnused } from '../src/usecases/images/stored-pictures.js';
import { withdrawListings } from '../src/usecases/ingest/withdraw.js';
import { LoadFollowUp } from './jobs/follow-up.js';
import { withAliasMove } from './shared/alias-move.js';
import { command, GRACE_MS } from './shared/command.js';
import { catalogueOf, ENGINE_HELP, openPictures, withEngine } from './shared/engine.js';
import { CommandError, StoppedError } from './shared/exit.js';
import { describeUnknownSource } from './shared/known-source.js';
import { flag, needed, text } from './shared/options.js';
import { start } from './shared/start.js';
import { formatCount } from '../src/text/quantities.js';
import { fromCaller, linesOf, withProgress } from './shared/terminal.js';

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
    dryRun: flag('only count the listings'),
  },
  notes: `Withdrawn listings are not marked as unavailable but deleted, including their price history. This command does not run
during npm run reindex, which might copy withdrawn listings. It waits for other withdrawals to end.

${ENGINE_HELP}.`,
  exits: { done: 'done', stopped: 'a reindex or restore is under way', interrupted: 'interrupted' },
  onInterrupt: { message: 'Interrupted; run it again for the rest.', graceMs: GRACE_MS },
  async run({ options: { source, skus: file, dryRun } }, env, io) {
    const skus = file === undefined ? undefined : await readSkus(file);
    return withEngine(env, async (engine) => {
      const index = await catalogueOf(engine);
      const folder = await openPictures(engine, index);
      const pictures = new Set<string>();
      // Notes about the lease go to standard error, because only the result is standard output.
      return withAliasMove(
        'withdraw',
        engine,
        { ...io, out: io.err },
        async ({ es, indexPrefix, lease, report }) => {
          if (lease.state.move !== null)
            throw new StoppedError('A reindex has begun but not ended: end it first with npm run reindex.');
          const followUp = new LoadFollowUp(engine, ['quality', 'suggestions']);
          const withdrawn = await withProgress(source, io.err, (display) =>
            withdrawListings({
              es,
              indexPrefix,
              source,
              skus,
              dryRun,
              now: new Date(),
              signal: io.signal,
              giveUpAfterMs: 600_000,
              onWait: display.line,
              onWithdrawn: (listing) => {
                followUp.withdrawn(listing);
                if (listing.internal.picture) pictures.add(listing.internal.picture);
              },
              onProgress: (count) =>
                display.update({ share: null, note: `${formatCount(count)} listings withdrawn` }),
            }),
          ).finally(() => followUp.saved());
          if (folder !== null) {
            await es.indices.refresh({ index });
            await deleteUnused(es, index, folder, [...pictures]);
          }
          const unknownSource =
            withdrawn > 0 ? null : await describeUnknownSource(source, 'nothing was withdrawn', engine);
          if (unknownSource !== null) throw new CommandError(unknownSource);
          const unknown = skus === undefined ? 0 : skus.length - withdrawn;
          const rest =
            unknown > 0
              ? `; ${unknown === 1 ? '1 SKU has' : `${formatCount(unknown)} SKUs have`} no listing`
              : '';
          const verb = dryRun ? 'would be withdrawn' : 'withdrawn';
          const counted = withdrawn === 1 ? '1 listing' : `${formatCount(withdrawn)} listings`;
          io.out.write(`${counted} of ${source} ${verb}${rest}\n`);
          const { previous } = lease.state;
          if (previous !== null && !dryRun)
            report(
              `${previous.index} still contains them, and a rollback would restore them. Delete it with npm run reindex -- --clean.`,
            );
        },
      );
    });
  },
});

async function readSkus(file: string): Promise<string[]> {
  const skus = new Set<string>();
  for await (const line of linesOf(file, createReadStream(fromCaller(file)))) skus.add(line.trim());
  skus.delete('');
  if (skus.size === 0) throw new CommandError(`${file} contains no SKU.`);
  return [...skus];
}

await start(import.meta.url, main);
