/** npm run events: deletes events past their time or size, where the service's own user may not; see --help. */
import { utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';
import type { Config } from '../src/config.js';
import { enforceRetention } from '../src/observability/events/retention.js';
import { EVENT_KINDS, eventStream, storageOf } from '../src/observability/events/streams.js';
import { command, GRACE_MS, type Io } from './shared/command.js';
import { type CommandEngine, connectEngine, reachEngine } from './shared/engine.js';
import { CommandError, EXIT } from './shared/exit.js';
import { text, wholeNumber } from './shared/options.js';
import { start } from './shared/start.js';

interface Options {
  /** null: once. */
  everyMs: number | null;
  alive: string | null;
}

export const main = command({
  name: 'events',
  about: `Deletes the events of requests and of loads that are past EVENTS_RETENTION (30d), and the oldest of what takes more
disk than EVENTS_MAX_SIZE (4gb, for each of the two). Where Elasticsearch has no security the service does this itself;
where it has, its user may only add events, and this is to run every hour or so, as the user of the data team.`,
  options: {
    every: wholeNumber(
      'again and again, until it is stopped; without it, once',
      { min: 1, max: 99_999 },
      'MINUTES',
    ),
    alive: text('FILE', 'touch this file each time that it was done, for who watches over it'),
  },
  notes: `Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.`,
  ending: { graceMs: GRACE_MS },
  async run({ options: { every, alive = null } }, env, io) {
    await keepBounds({ everyMs: every === undefined ? null : every * 60_000, alive }, env, io);
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

async function deleteOnce(
  { es, indexPrefix }: CommandEngine,
  { retentionDays, maxBytes }: NonNullable<Config['events']>,
  { out, signal }: Io,
): Promise<void> {
  for (const kind of EVENT_KINDS) {
    const stream = eventStream(kind, { indexPrefix, retentionDays });
    const storage = await storageOf(es, stream, signal);
    const gone = await enforceRetention(es, stream, storage, { maxBytes, now: new Date(), signal });
    if (gone.length > 0) out.write(`deleted for EVENTS_MAX_SIZE: ${gone.join(', ')}\n`);
  }
}

function touch(file: string, at: Date): void {
  writeFileSync(file, '', { flag: 'a' });
  utimesSync(file, at, at);
}

async function keepBounds({ everyMs, alive }: Options, env: NodeJS.ProcessEnv, io: Io): Promise<void> {
  const { err, signal } = io;
  const engine = connectEngine(env);
  const { es, events } = engine;
  if (events === null) throw new CommandError('EVENTS is off: there is nothing to keep.');
  try {
    if (everyMs === null) await reachEngine(engine);
    while (!signal.aborted) {
      try {
        await deleteOnce(engine, events, io);
        if (alive !== null) touch(alive, new Date());
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof errors.ElasticsearchClientError)) throw error;
        if (everyMs === null) throw new CommandError(`Elasticsearch: ${error.message}`, { cause: error });
        // Away for now: it is tried again in the next round.
        err.write(`Elasticsearch: ${error.message}\n`);
      }
      if (everyMs === null) return;
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await es.close();
  }
}

await start(import.meta.url, main);
