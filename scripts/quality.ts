/** npm run quality: flags listings whose data contradict other listings; see --help. */
import { runSteps } from './jobs/follow-up.js';
import { command, GRACE_MS } from './shared/command.js';
import { ENGINE_HELP, withEngine } from './shared/engine.js';
import { start } from './shared/start.js';

export const main = command({
  name: 'quality',
  about: `Compares every listing with others and updates the quality flags of GET /v1/quality: placeholder prices, which differ
extremely from other offers of the product or occur across a whole shop, outlier prices, GTINs that another brand uses, and
duplicate listings of a source. Flags that need no comparison are set when a listing is loaded. npm run ingest updates the
flags that depend on the loaded listings, npm run link those of the groups that it has formed, and npm run follow-up runs this
once a day. Stop or kill it at any time and run it again.`,
  options: {},
  notes: `${ENGINE_HELP}, and so must EXCHANGE_RATES_FILE.`,
  exits: { done: 'done', interrupted: 'interrupted; the flags that were updated until then are kept' },
  onInterrupt: {
    message: 'Interrupted; the flags that were updated until then are kept.',
    graceMs: GRACE_MS,
  },
  async run(_given, env, io) {
    await withEngine(env, (engine) => runSteps(['quality'], engine, io));
  },
});

await start(import.meta.url, main);
