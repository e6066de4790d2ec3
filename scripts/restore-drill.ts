/** npm run restore-drill: rehearses a restore under temporary names; see --help. */
import { rehearseRestore } from '../src/usecases/restore/restore.js';
import { command, GRACE_MS, outliveReader } from './shared/command.js';
import { ENGINE_HELP } from './shared/engine.js';
import { SNAPSHOT_OPTIONS, restoring } from './shared/alias-move.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'restore-drill',
  about: `Rehearses npm run restore: restores the snapshot into indices with temporary names, verifies the listings as a restore
does, reports the time of each step, and deletes the temporary indices. It never touches an alias or an index that serves.`,
  options: SNAPSHOT_OPTIONS,
  notes: `Elasticsearch needs as much free disk as the indices take. It needs a user with the role catalog-restore (npm run
engine-users with RESTORE_USERNAME and RESTORE_PASSWORD).

${ENGINE_HELP}.`,
  exits: { done: 'a restore would succeed', failed: 'it failed', stopped: 'the verification failed' },
  onInterrupt: { message: 'Interrupted.', graceMs: GRACE_MS },
  async run({ options }, env, io) {
    outliveReader(io);
    await restoring('restore-drill', env, io, (context) => rehearseRestore(context, options));
  },
});

await start(import.meta.url, main);
