/** npm run suggest: makes what GET /v1/suggest suggests; see --help. */
import { command, GRACE_MS } from './shared/command.js';
import { EXIT } from './shared/exit.js';
import { start } from './shared/start.js';
import { makeSuggestions } from './jobs/suggestions.js';

export const main = command({
  name: 'suggest',
  about: `Makes the suggestions of GET /v1/suggest anew: brands, categories, models, words that three listings or more have in
their names, and what three developers or more have searched for with results. They stand in a small index of their own, which
takes the place of the one before in one step. npm run ingest does this after each load; of what people search for,
this is to run every night or so. Stop or kill it at any time: suggestions stay as they were.`,
  options: {},
  notes: `Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service. With EVENTS off, nothing of what people search for is suggested.`,
  exits: { done: 'done', interrupted: 'interrupted; suggestions are as they were' },
  onInterrupt: { message: 'Interrupted; suggestions are as they were.', graceMs: GRACE_MS },
  async run(_given, env, io) {
    await makeSuggestions(env, io);
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

await start(import.meta.url, main);
