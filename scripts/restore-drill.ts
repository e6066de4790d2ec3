/** npm run restore-drill: a restore into names of its own, verified and deleted again; see --help. */
import { findGenerations } from './reindex/generations.js';
import { restoreIndex } from './restore/restore-indices.js';
import { findSnapshot, PARTS } from './restore/snapshot.js';
import { verifyRestored } from './restore/verify.js';
import { SOURCE_OPTIONS, type Work, withEngine } from './restore/work.js';
import { command, type Io, outliveReader } from './shared/command.js';
import { type Values } from './shared/options.js';
import { start } from './shared/start.js';
import { formatDuration } from './shared/terminal.js';

export const main = command({
  name: 'restore-drill',
  about: `Rehearses npm run restore: restores the snapshot into indices with names of their own, verifies the listings as a
restore does, says how long each step took, and deletes what it made. It never touches an alias or an index that serves.`,
  options: SOURCE_OPTIONS,
  notes: `Elasticsearch needs as much free disk as the indices take. It needs a user with the role catalog-restore (npm run
engine-users, with RESTORE_USERNAME and RESTORE_PASSWORD). Elasticsearch is the one of ELASTICSEARCH_URL, else that of a
running demo, else http://localhost:9200. INDEX_PREFIX (catalog) must be that of the service.`,
  exits: { done: 'a restore would succeed', failed: 'it failed', stopped: 'the verification failed' },
  onInterrupt: { message: 'Interrupted.', graceMs: 10_000 },
  async run({ options }, env, io) {
    outliveReader(io);
    await withEngine(env, io, (work) => drill(work, options, io));
  },
});

async function drill(
  { es, alias, indexPrefix, say }: Work,
  options: Values<typeof SOURCE_OPTIONS>,
  io: Io,
): Promise<void> {
  const { live } = await findGenerations(es, alias);
  const serving = live?.index;
  const timed = async <T>(what: string, step: () => Promise<T>): Promise<T> => {
    const started = performance.now();
    const result = await step();
    say(`${formatDuration(performance.now() - started)}  ${typeof result === 'string' ? result : what}`);
    return result;
  };
  const source = await timed('found the snapshot', () =>
    findSnapshot(es, { ...options, indexPrefix, serving }),
  );
  say(`snapshot ${source.snapshot}, begun ${source.startedAt}`);
  const made: string[] = [];
  const stamp = Date.now();
  const nameOf = (index: string) => `${index}-drill-${stamp}`;
  try {
    for (const from of [source.products, ...PARTS.flatMap((part) => source.parts[part])]) {
      const to = nameOf(from);
      made.push(to);
      await timed(`restored ${from}`, () => restoreIndex(es, source, { from, to, ...io }));
    }
    await timed('', () => verifyRestored(es, nameOf(source.products), serving ?? null));
  } finally {
    await es.indices.delete({ index: made, ignore_unavailable: true });
  }
  say('passed; what the drill made is deleted');
}

await start(import.meta.url, main);
