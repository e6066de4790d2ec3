/** npm run quality: flags listings whose data contradict other listings; see --help. */
import { judgeCatalogue } from './jobs/quality.js';
import { command, GRACE_MS } from './shared/command.js';
import { EXIT } from './shared/exit.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'quality',
  about: `Compares every listing with others and updates the quality flags of GET /v1/quality: placeholder prices, which differ
extremely from other offers of the product or occur across a whole shop, outlier prices, GTINs that another brand uses, and
duplicate listings of a source. Flags that need no comparison are set when a listing is loaded. npm run ingest runs this
after each load, npm run link after it has formed groups. Stop or kill it at any time and run it again.`,
  options: {},
  notes: `Elasticsearch is the one at ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service, and so must EXCHANGE_RATES_FILE.`,
  exits: { done: 'done', interrupted: 'interrupted; what was judged until then is kept' },
  onInterrupt: { message: 'Interrupted; what was judged until then is kept.', graceMs: GRACE_MS },
  async run(_given, env, io) {
    await judgeCatalogue(env, io);
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

await start(import.meta.url, main);
