/** npm run backup -- --to DIR|REPOSITORY: backs up Elasticsearch and Redis; see --help. */
import { productsAlias } from '../src/engine/indices.js';
import { DAY_MS } from '../src/listing/instant.js';
import { backUp } from '../src/usecases/backups/backup.js';
import { explainSnapshots } from './shared/alias-move.js';
import { findBackups, REDIS_OPTIONS, storedHelp, withRedis } from './shared/backups.js';
import { command, GRACE_MS } from './shared/command.js';
import { ENGINE_HELP } from './shared/engine.js';
import { CommandError } from './shared/exit.js';
import { needed, preset, text, wholeNumber } from './shared/options.js';
import { repeat, WATCH_OPTIONS } from './shared/repeat.js';
import { start } from './shared/start.js';

const KEEP_COUNT = 7;

export const main = command({
  name: 'backup',
  about: `Backs up everything that cannot be rebuilt: takes a snapshot of the listings and of all other data in Elasticsearch, and
copies the API keys and quotas from Redis. Checks that both are complete, and deletes backups that are no longer kept. With --watch,
it takes a backup at once and then each day. The service and loads continue meanwhile.`,
  options: {
    to: needed(
      text(
        'DIR|REPOSITORY',
        'a folder, in which a snapshot repository is created, or the name of an existing repository',
      ),
    ),
    ...REDIS_OPTIONS,
    keepDays: preset(
      wholeNumber(
        `keep backups for this long, and always the last ${KEEP_COUNT}`,
        { min: 1, max: 3_650 },
        'DAYS',
      ),
      30,
    ),
    ...WATCH_OPTIONS,
  },
  notes: `A folder must be allowed by the setting path.repo of every node of Elasticsearch, and its user must be able to write to it.
With several nodes, it is a shared file system. The snapshots are in DIR/elasticsearch, in the repository "backups". The copies
of Redis are in DIR/redis, or in the folder of --redis, and only the user of this command can read them. They contain hashes, no
raw keys, and neither the clients nor the tokens of OAuth.

Each backup states what it contains, by which npm run restore checks it. Snapshots that other means have
put into the repository are not deleted.

${storedHelp()}

It needs a user with the role catalog-restore (npm run engine-users with RESTORE_USERNAME and RESTORE_PASSWORD), and Redis at
REDIS_URL, else that of a running demo, else redis://localhost:6379.

${ENGINE_HELP}.`,
  exits: { failed: 'failed; there is no new backup' },
  onInterrupt: { message: 'Interrupted; there is no new backup.', graceMs: GRACE_MS },
  async run({ options: { to, keepDays, watch, alive, ...given } }, env, io) {
    const report = (line: string) => void io.out.write(`${line}\n`);
    await repeat({ watch, alive, everyMs: DAY_MS }, env, io, async (engine) => {
      const { es, indexPrefix } = engine;
      try {
        const { repository, folder } = await findBackups(es, to, given);
        if (folder === null && !given.withoutRedis)
          throw new CommandError(
            `${to} is neither a folder, which contains a slash (./${to}), nor a repository in a folder. Name a folder for the copies of Redis with --redis, or --without-redis.`,
          );
        const options = {
          es,
          indexPrefix,
          alias: productsAlias(indexPrefix),
          repository,
          keep: { days: keepDays, count: KEEP_COUNT },
          now: () => new Date(),
          signal: io.signal,
          report,
        };
        if (folder === null) await backUp({ ...options, redis: null });
        else await withRedis(env, (store) => backUp({ ...options, redis: { store, folder } }));
      } catch (error) {
        throw explainSnapshots(error, engine);
      }
    });
  },
});

await start(import.meta.url, main);
