/** npm run restore: restores a backup, and moves the alias to its listings, or rehearses it; see --help. */
import type { RestoreContext } from '../src/usecases/backups/restore-indices.js';
import type { RedisStore } from '../src/usecases/backups/redis-copy.js';
import { rehearseRestore, restore } from '../src/usecases/backups/restore.js';
import { main as keys } from './keys.js';
import { explainSnapshots, withAliasMove } from './shared/alias-move.js';
import { findBackups, SNAPSHOT_OPTIONS, withRedis } from './shared/backups.js';
import { command, GRACE_MS } from './shared/command.js';
import { type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { CommandError, EXIT, UsageError } from './shared/exit.js';
import { flag, text } from './shared/options.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'restore',
  about: `Restores a backup: the listings to which the alias pointed when the backup was taken, into a new index, which is compared with
what the backup states and verified (sampled listings, searches); then all other data, and the API keys. At last it moves the
alias to the new index in one step. Searches continue without interruption. If a step fails, the alias does not change.`,
  options: {
    ...SNAPSHOT_OPTIONS,
    use: text(
      'NAME',
      'restore nothing; verify this index, which is a former one or was restored earlier, and switch to it',
    ),
    keys: text('FILE', 'a newer npm run keys -- export, which is imported after the keys of the backup'),
    yes: flag('switch even if the serving index has listings that are newer than the snapshot'),
    dryRun: flag('report what would be restored, and change nothing'),
    drill: flag(
      'rehearse a restore: restore everything under temporary names, verify it, and delete it again',
    ),
  },
  notes: `Loads continue with the serving index meanwhile. The restored index does not contain what was written after the
snapshot, so such listings are counted by id and version before the swap. If there are any, the alias is moved only with
--yes; load their feeds again afterwards (npm run ingest). The former index is kept, but blocks writes: --use goes back to it,
and npm run reindex -- --clean deletes it.

--drill rehearses everything but the swap, and reports the time of each step. It never touches an alias, an index that serves, or
Redis. Elasticsearch needs as much free disk as the indices take. Exit code 0 means that a restore would succeed.

If the repository is in a folder that this command can read, its files are checked first. If one is missing or damaged, everything that
Elasticsearch can read is restored, but the command fails, and does not move the alias. --dry-run checks them as well.

Other data is restored where it is missing. An index that was created after the backup, for example by a service that was started
on an empty cluster, gets the documents that it lacks, and keeps its own. Every entry is reported; if one that the backup should
contain is missing or damaged, the command fails.

Keys are restored as they were when the backup was taken, and those that exist stay. Then the revocations of the audit stream are
repeated. Later ones must be repeated by hand, unless --keys names a newer npm run keys -- export that contains them.

It needs a user with the role catalog-restore (npm run engine-users with RESTORE_USERNAME and RESTORE_PASSWORD), and Redis at
REDIS_URL, else that of a running demo, else redis://localhost:6379.

${ENGINE_HELP}.`,
  exits: {
    failed: 'failed; the alias is where it was',
    stopped: 'not swapped: the verification failed, or newer listings would be left behind',
  },
  onInterrupt: { message: 'Interrupted; the index that was begun is left.', graceMs: GRACE_MS },
  async run(
    { options: { repository: place, redis, withoutRedis, keys: newer, drill, ...options } },
    env,
    io,
  ) {
    if (options.use !== undefined && options.dryRun)
      throw new UsageError('--use has no meaning with --dry-run.');
    if (newer !== undefined && (withoutRedis || options.use !== undefined))
      throw new UsageError('--keys has no meaning with --without-redis or --use.');
    if (drill && (options.use !== undefined || options.dryRun || options.yes || newer !== undefined))
      throw new UsageError('--drill has no meaning with --use, --dry-run, --yes or --keys.');
    const restoring = async (context: RestoreContext): Promise<void> => {
      if (context.lease.state.move !== null)
        throw new CommandError('A reindex has not ended: run npm run reindex first, or --clean.');
      if (options.use !== undefined) return restore(context, { ...options, repository: place, redis: null });
      const { repository, folder } = await findBackups(context.es, place, { redis, withoutRedis });
      if (drill)
        return rehearseRestore(context, { ...options, repository, redis: withoutRedis ? null : { folder } });
      const useRedis = async <T>(work: (store: RedisStore) => Promise<T>): Promise<T> => {
        const done = await withRedis(env, work);
        if (newer !== undefined && (await keys(['import', newer], env, io)) !== EXIT.done)
          throw new CommandError(`${newer} was not imported; the alias is where it was.`);
        return done;
      };
      await restore(context, {
        ...options,
        repository,
        redis: withoutRedis ? null : { folder, use: useRedis },
      });
    };
    const work = (engine: CommandEngine) => withAliasMove('restore', engine, io, restoring);
    await withEngine(env, work, explainSnapshots);
    return EXIT.done;
  },
});

await start(import.meta.url, main);
