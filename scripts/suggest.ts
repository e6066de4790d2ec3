/** npm run suggest: rebuilds the suggestions of GET /v1/suggest; see --help. */
import { foldWords } from '../src/text/fold.js';
import { changeBlocked, readBlocked } from '../src/usecases/suggest/blocked.js';
import { runSteps } from './jobs/follow-up.js';
import { command, GRACE_MS } from './shared/command.js';
import { ENGINE_HELP, withEngine } from './shared/engine.js';
import { UsageError } from './shared/exit.js';
import { flag, several, text } from './shared/options.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'suggest',
  about: `Rebuilds the suggestions of GET /v1/suggest: brands, categories, models, words in the names of at least three listings,
and successful searches of at least three developers. They are stored in a small index, which replaces the previous one in one
step. npm run ingest updates the brands, categories and models of the loaded listings, and npm run follow-up runs this once a
day, so that phrases and recent searches are included. Stop or kill it at any time: the suggestions stay as they were.`,
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
      else await runSteps(['suggestions'], engine, io);
    });
  },
});

await start(import.meta.url, main);
