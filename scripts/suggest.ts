/** npm run suggest: rebuilds the suggestions of GET /v1/suggest; see --help. */
import { eventStream } from '../src/telemetry/events/streams.js';
import { formatCount, formatDuration } from '../src/text/quantities.js';
import { foldWords } from '../src/text/fold.js';
import type { Summary } from '../src/usecases/ingest/summary.js';
import { changeBlocked, readBlocked } from '../src/usecases/suggest/blocked.js';
import {
  buildSuggestions,
  hasSuggestions,
  suggestionsAlias,
} from '../src/usecases/suggest/build-suggestions.js';
import { command, GRACE_MS, type Io } from './shared/command.js';
import { afterLoad, catalogueOf, type CommandEngine, ENGINE_HELP, withEngine } from './shared/engine.js';
import { EXIT, UsageError } from './shared/exit.js';
import { flag, several, text } from './shared/options.js';
import { start } from './shared/start.js';
import { withProgress } from './shared/terminal.js';

export const main = command({
  name: 'suggest',
  about: `Rebuilds the suggestions of GET /v1/suggest: brands, categories, models, words in the names of at least three listings,
and successful searches of at least three developers. They are stored in a small index, which replaces the previous one in one
step. npm run ingest runs this after each load; run it every night as well, so that recent searches are included. Stop or
kill it at any time: the suggestions stay as they were.`,
  options: {
    block: several(
      text(
        'TEXT',
        'no longer suggest what contains these words, next to each other; may be given several times',
      ),
    ),
    unblock: several(text('TEXT', 'suggest what contains these words again; may be given several times')),
    blocked: flag('only list the blocked words'),
  },
  notes: `${ENGINE_HELP}. With EVENTS off, searches are not suggested.`,
  exits: { done: 'done', interrupted: 'interrupted; suggestions are as they were' },
  onInterrupt: { message: 'Interrupted; suggestions are as they were.', graceMs: GRACE_MS },
  async run({ options: { block, unblock, blocked } }, env, io) {
    const wordless = [...block, ...unblock].find((one) => foldWords(one) === '');
    if (wordless !== undefined) throw new UsageError(`${JSON.stringify(wordless)} contains no word.`);
    await withEngine(env, async (engine) => {
      const { es, indexPrefix } = engine;
      if (block.length + unblock.length > 0) await changeBlocked(es, indexPrefix, { block, unblock });
      if (blocked)
        io.out.write((await readBlocked(es, indexPrefix)).map((one) => `${one}\n`).join('') || 'none\n');
      else await rebuild(engine, io);
    });
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

export async function suggestAfterLoad(
  { created, changed, price_moved, price_cleared }: Summary,
  env: NodeJS.ProcessEnv,
  io: Io,
): Promise<void> {
  const isChanged = created + changed + price_moved + price_cleared > 0;
  await afterLoad(
    env,
    io,
    async (engine) => {
      const { es, indexPrefix } = engine;
      if (isChanged || !(await hasSuggestions(es, suggestionsAlias(indexPrefix)))) await rebuild(engine, io);
    },
    (reason) => `Suggestions are as they were before the load (${reason}); npm run suggest rebuilds them.`,
  );
}

async function rebuild(engine: CommandEngine, { out, err, signal }: Io): Promise<void> {
  const { es, indexPrefix, events } = engine;
  const products = await catalogueOf(engine);
  const started = performance.now();
  const { count: all } = await es.count({ index: products });
  const { listings, types } = await withProgress('suggestions', err, (display) =>
    buildSuggestions({
      es,
      indexPrefix,
      products,
      signal,
      now: new Date(),
      requests: events === null ? null : eventStream('requests', { indexPrefix, ...events }).name,
      onWait: display.line,
      onProgress(soFar) {
        const share = all === 0 ? null : Math.min(1, soFar.listings / all);
        const note = `${formatCount(soFar.listings)} listings read, ${formatCount(soFar.suggestions)} suggestions`;
        display.update({ share, note });
      },
    }),
  );
  const counts = Object.entries(types).map(([type, count]) => `${formatCount(count)} ${type}`);
  out.write(
    `suggestions: ${counts.join(', ') || 'none'}, from ${formatCount(listings)} listings in ${formatDuration(performance.now() - started)}\n`,
  );
}

await start(import.meta.url, main);
