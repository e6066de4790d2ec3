/** npm run restore-drill: rehearses a restore under temporary names; see --help. */
import { rehearseRestore } from '../src/usecases/backups/restore.js';
import { restoring } from './shared/alias-move.js';
import { findBackups, SNAPSHOT_OPTIONS } from './shared/backups.js';
import { command, GRACE_MS, outliveReader } from './shared/command.js';
import { ENGINE_HELP } from './shared/engine.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'restore-drill',
  about: `Rehearses npm run restore: restores every index of a backup under a temporary name, compares it with what the backup states,
verifies the listings as a restore does, reads the copy of Redis, reports the time of each step, and deletes the temporary
indices. It never touches an alias, an index that serves, or Redis.`,
  options: SNAPSHOT_OPTIONS,
  notes: `Elasticsearch needs as much free disk as the indices take. It needs a user with the role catalog-restore (npm run
engine-users with RESTORE_USERNAME and RESTORE_PASSWORD).

${ENGINE_HELP}.`,
  exits: { done: 'a restore would succeed', failed: 'it failed', stopped: 'the verification failed' },
  onInterrupt: { message: 'Interrupted.', graceMs: GRACE_MS },
  async run({ options: { repository: place, redis, withoutRedis, ...choice } }, env, io) {
    outliveReader(io);
    await restoring('restore-drill', env, io, async (context) => {
      const { repository, folder } = await findBackups(context.es, place, { redis, withoutRedis });
      await rehearseRestore(context, { ...choice, repository, redis: withoutRedis ? null : { folder } });
    });
  },
});

await start(import.meta.url, main);
