/** npm run events: deletes events past their time or size, where the service's own user may not; see --help. */
import { parseArgs } from 'node:util';
import { utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { errors } from '@elastic/elasticsearch';
import type { Config } from '../src/config.js';
import { enforceRetention } from '../src/observability/events/retention.js';
import { EVENT_KINDS, eventStream, storageOf } from '../src/observability/events/streams.js';
import { type CommandEngine, connectEngine, reachEngine } from './shared/engine.js';
import { endBy, onFirstSignal } from './shared/signals.js';
import { CommandError, fail } from './shared/terminal.js';

const HELP = `npm run events

Deletes the events of requests and of loads that are past EVENTS_RETENTION (30d), and the oldest of what takes more
disk than EVENTS_MAX_SIZE (4gb, for each of the two). Where Elasticsearch has no security the service does this itself;
where it has, its user may only add events, and this is to run every hour or so, as the user of the data team.

  --every MINUTES   again and again, until it is stopped; without it, once
  --alive FILE      touch this file each time that it was done, for who watches over it
  --help

Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.
Exit code: 0 done, 1 failed.
`;

interface Options {
  /** null: once. */
  everyMs: number | null;
  alive: string | null;
}

/** @returns null when only help is wanted. @throws CommandError when the command line makes no sense. */
function parse(args: string[]): Options | null {
  const values = parseCommandLine(args);
  if (values.help === true) return null;
  const { every, alive = null } = values;
  const minutes = every === undefined || /^\d{1,5}$/.test(every) ? Number(every ?? 1) : 0;
  if (minutes < 1) throw new CommandError(`--every must be a number of minutes, not "${every}".`);
  return { everyMs: every === undefined ? null : minutes * 60_000, alive };
}

function parseCommandLine(args: string[]) {
  try {
    const options = {
      every: { type: 'string' },
      alive: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    } as const;
    return parseArgs({ args, options }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message} See --help.`);
  }
}

async function deleteOnce(
  { es, indexPrefix }: CommandEngine,
  { retentionDays, maxBytes }: NonNullable<Config['events']>,
  signal: AbortSignal,
): Promise<void> {
  for (const kind of EVENT_KINDS) {
    const stream = eventStream(kind, { indexPrefix, retentionDays });
    const storage = await storageOf(es, stream, signal);
    const gone = await enforceRetention(es, stream, storage, { maxBytes, now: new Date(), signal });
    if (gone.length > 0) console.log(`deleted for EVENTS_MAX_SIZE: ${gone.join(', ')}`);
  }
}

function touch(file: string, at: Date): void {
  writeFileSync(file, '', { flag: 'a' });
  utimesSync(file, at, at);
}

async function run({ everyMs, alive }: Options, signal: AbortSignal): Promise<void> {
  const engine = connectEngine();
  const { es, events } = engine;
  if (events === null) throw new CommandError('EVENTS is off: there is nothing to keep.');
  try {
    if (everyMs === null) await reachEngine(engine);
    while (!signal.aborted) {
      try {
        await deleteOnce(engine, events, signal);
        if (alive !== null) touch(alive, new Date());
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof errors.ElasticsearchClientError)) throw error;
        if (everyMs === null) throw new CommandError(`Elasticsearch: ${error.message}`, { cause: error });
        // Away for now: it is tried again in the next round.
        console.error(`Elasticsearch: ${error.message}`);
      }
      if (everyMs === null) return;
      await sleep(everyMs, undefined, { signal }).catch(() => undefined);
    }
  } finally {
    await es.close();
  }
}

try {
  const options = parse(process.argv.slice(2));
  if (options === null) console.log(HELP.trimEnd());
  else {
    const abort = new AbortController();
    let ending: NodeJS.Signals | undefined;
    onFirstSignal((signal) => {
      ending = signal;
      abort.abort();
    });
    await run(options, abort.signal);
    if (ending !== undefined) endBy(ending);
  }
} catch (error) {
  fail(error);
}
