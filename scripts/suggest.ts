/** npm run suggest: rebuilds the suggestions of GET /v1/suggest; see --help. */
import { command, GRACE_MS } from './shared/command.js';
import { EXIT } from './shared/exit.js';
import { start } from './shared/start.js';
import { makeSuggestions } from './jobs/suggestions.js';

export const main = command({
  name: 'suggest',
  about: `Rebuilds the suggestions of GET /v1/suggest: brands, categories, models, words in the names of at least three listings,
and successful searches of at least three developers. They are stored in a small index, which replaces the previous one in one
step. npm run ingest runs this after each load; run it every night as well, so that recent searches are included. Stop or
kill it at any time: the suggestions stay as they were.`,
  options: {},
  notes: `Elasticsearch is the one at ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service. With EVENTS off, searches are not suggested.`,
  exits: { done: 'done', interrupted: 'interrupted; suggestions are as they were' },
  onInterrupt: { message: 'Interrupted; suggestions are as they were.', graceMs: GRACE_MS },
  async run(_given, env, io) {
    await makeSuggestions(env, io);
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

await start(import.meta.url, main);
