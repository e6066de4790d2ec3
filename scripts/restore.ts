/** npm run restore: a snapshot beside the index that serves, verified, then behind the alias; see --help. */
import { findGenerations } from './reindex/generations.js';
import { restoreIndex } from './restore/restore-indices.js';
import { findSnapshot, PARTS, type Source } from './restore/snapshot.js';
import { swap } from './restore/swap.js';
import { verifyRestored } from './restore/verify.js';
import { SOURCE_OPTIONS, type Work, withEngine } from './restore/work.js';
import { command, type Io, outliveReader } from './shared/command.js';
import { CommandError, UsageError } from './shared/exit.js';
import { flag, text, type Values } from './shared/options.js';
import { start } from './shared/start.js';
import { formatCount } from './shared/terminal.js';

const OPTIONS = {
  ...SOURCE_OPTIONS,
  use: text(
    'NAME',
    'restore nothing: verify this index of an earlier run, or the former one, and swap to it',
  ),
  yes: flag('swap even if the serving index has listings that are newer than the snapshot'),
  'dry-run': flag('say what would be restored, and change nothing'),
};

export const main = command({
  name: 'restore',
  about: `Restores the listings of a snapshot into a new index beside the one that serves, verifies them (counts, sampled
listings, searches), and puts the new index behind the alias in one step. Readers notice nothing, and where anything
fails, the alias stays where it was. Decisions, links, withdrawals, trends and suggestions are restored where there are none.`,
  options: OPTIONS,
  notes: `Loads go on with the serving index meanwhile. What was written after the snapshot is not in the restored index, so
these listings are counted by id and version before the swap: if there are any, nothing is swapped without --yes. Load
their feeds again afterwards (npm run ingest). The former index is kept, without writes: --use goes back to it, and
npm run reindex -- --clean deletes it. npm run restore-drill rehearses all but the swap.

It needs a user with the role catalog-restore (npm run engine-users, with RESTORE_USERNAME and RESTORE_PASSWORD).
Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.`,
  exits: {
    failed: 'failed; the alias is where it was',
    stopped: 'not swapped: the verification failed, or newer listings would be left behind',
  },
  onInterrupt: { message: 'Interrupted; the index that was begun is left.', graceMs: 10_000 },
  async run({ options }, env, io) {
    if (options.use !== undefined && (options['dry-run'] || options.index !== undefined))
      throw new UsageError('--use has no meaning with --dry-run or --index.');
    outliveReader(io);
    await withEngine(env, io, (work) => restore(work, options, io));
  },
});

async function restore(work: Work, options: Values<typeof OPTIONS>, io: Io): Promise<void> {
  const { es, alias, indexPrefix, lease, say } = work;
  const { repository, snapshot, index, use, yes } = options;
  const { live, others, next } = await findGenerations(es, alias);
  const from = live?.index ?? null;
  const to = use ?? next;
  if (use === undefined) {
    const wanted = { repository, snapshot, index, indexPrefix, serving: live?.index };
    const source = await findSnapshot(es, wanted);
    say(`${source.products} of the snapshot ${source.snapshot}, begun ${source.startedAt}, becomes ${to}`);
    if (options['dry-run']) return;
    await restoreIndex(es, source, { from: source.products, to, ...io });
    say(`${to}: restored`);
    await restoreParts(work, source, io);
  } else if (!others.some(({ index, ours }) => index === use && ours)) {
    throw new CommandError(
      `There is no index ${use} beside the one that serves: npm run reindex -- --status lists them.`,
    );
  }
  say(await verifyRestored(es, to, from));
  await swap({ es, alias, from, to, yes, say, again: `--use ${to}` });
  // A rollback of a reindex before would lead to an index that has nothing to do with this one.
  await lease.save({ previous: null });
}

/** What is there stays: it is newer than the snapshot, and nothing else can bring it back. */
async function restoreParts({ es, indexPrefix, say }: Work, source: Source, io: Io): Promise<void> {
  for (const part of PARTS) {
    const name = `${indexPrefix}-${part}`;
    const indices = source.parts[part];
    if (indices.length === 0) continue;
    if (await es.indices.exists({ index: name })) {
      const { count } = await es.count({ index: name });
      say(`${name}: is there with ${formatCount(count)} documents, and stays as it is`);
      continue;
    }
    for (const index of indices) {
      await restoreIndex(es, source, { from: index, to: index, ...io });
      say(`${index}: restored`);
    }
  }
}

await start(import.meta.url, main);
