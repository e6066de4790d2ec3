/** npm run quality: finds what may be wrong with listings by looking at others; see --help. */
import { judgeCatalogue } from './jobs/quality.js';
import { command, GRACE_MS } from './shared/command.js';
import { EXIT } from './shared/exit.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'quality',
  about: `Judges every listing by what others say, for GET /v1/quality: prices that are none beside the other offers of the
product or that a shop has all over, prices far from those, GTINs that another brand has, and listings that a source has
twice. What a listing shows by itself is found as it is loaded. npm run ingest does this after each load, npm run link
after it has formed groups. Stop or kill it at any time and run it again.`,
  options: {},
  notes: `Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service, and so must EXCHANGE_RATES_FILE.`,
  exits: { done: 'done', interrupted: 'interrupted; what was judged until then is kept' },
  onInterrupt: { message: 'Interrupted; what was judged until then is kept.', graceMs: GRACE_MS },
  async run(_given, env, io) {
    await judgeCatalogue(env, io);
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

await start(import.meta.url, main);
