/** npm run restore: restores a snapshot next to the serving index, and moves the alias; see --help. */
import { restore } from '../src/usecases/restore/restore.js';
import { command, GRACE_MS, outliveReader } from './shared/command.js';
import { UsageError } from './shared/exit.js';
import { flag, text } from './shared/options.js';
import { ENGINE_HELP } from './shared/engine.js';
import { SNAPSHOT_OPTIONS, restoring } from './shared/alias-move.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'restore',
  about: `Restores the listings of a snapshot into a new index, verifies it (counts, sampled listings, searches), and
moves the alias to it in one step. Searches continue without interruption. If a step fails, the alias does not change.
Decisions, links, withdrawals, trends and suggestions are restored only if they do not exist.`,
  options: {
    ...SNAPSHOT_OPTIONS,
    use: text(
      'NAME',
      'restore nothing; verify this index, which is a former one or was restored earlier, and switch to it',
    ),
    yes: flag('switch even if the serving index has listings that are newer than the snapshot'),
    dryRun: flag('report what would be restored, and change nothing'),
  },
  notes: `Loads continue with the serving index meanwhile. The restored index does not contain what was written after the
snapshot, so such listings are counted by id and version before the swap. If there are any, the alias is moved only with
--yes; load their feeds again afterwards (npm run ingest). The former index is kept, but blocks writes: --use goes back to it,
and npm run reindex -- --clean deletes it. npm run restore-drill rehearses everything but the swap.

It needs a user with the role catalog-restore (npm run engine-users with RESTORE_USERNAME and RESTORE_PASSWORD).

${ENGINE_HELP}.`,
  exits: {
    failed: 'failed; the alias is where it was',
    stopped: 'not swapped: the verification failed, or newer listings would be left behind',
  },
  onInterrupt: { message: 'Interrupted; the index that was begun is left.', graceMs: GRACE_MS },
  async run({ options: { dryRun, ...options } }, env, io) {
    if (options.use !== undefined && (dryRun || options.index !== undefined))
      throw new UsageError('--use has no meaning with --dry-run or --index.');
    outliveReader(io);
    await restoring('restore', env, io, (context) => restore(context, { ...options, dryRun }));
  },
});

await start(import.meta.url, main);
