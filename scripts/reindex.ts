/** npm run reindex: copies the catalogue to a new index with the current mappings; see --help. */
import { productsAlias } from '../src/engine/indices.js';
import { clean, reindex, rollback } from '../src/usecases/reindex/reindex.js';
import { describeStatus } from '../src/usecases/reindex/status.js';
import { command } from './shared/command.js';
import { withAliasMove } from './shared/alias-move.js';
import { ENGINE_HELP, explainForbidden, isEngineError, withEngine } from './shared/engine.js';
import { CommandError, EXIT, UsageError } from './shared/exit.js';
import { checkFloors, compareJudged, readFloors } from './shared/judged-relevance.js';
import { flag, kebabCase, parsed, text, type Values } from './shared/options.js';
import { readRatings } from './shared/ratings.js';
import { start } from './shared/start.js';

const MAX_LOSS = 0.02;

const ACTIONS = { reindex, rollback, clean } as const;
type ReindexAction = keyof typeof ACTIONS;

const OPTIONS = {
  rollback: flag('go back to the previous index, including everything that was written since'),
  clean: flag('delete the indices that the alias does not point to'),
  acceptDifferences: flag('move the alias even if the new index answers golden queries differently'),
  judgements: text(
    'FILE',
    'move the alias only if the new index is about as good as the old one by human judgements (CSV query,source,sku,rating, as for npm run evaluate)',
  ),
  floor: text(
    'FILE',
    'JSON {"judgements.csv": 0.8}: move the alias only if the new index reaches this NDCG@10 on each file of judgements; the files are relative to this one',
  ),
  maxLoss: parsed('SHARE', `with --judgements, how much NDCG@10 the new index may lose (${MAX_LOSS})`, share),
};

export const main = command({
  name: 'reindex',
  about: `Creates a product index with the current mappings (mappings/products.json), has Elasticsearch copy all listings from
the old index, verifies the new index (counts, sampled listings field by field, golden queries), and moves the alias to it in
one step. Readers notice nothing. Loads continue meanwhile; at the end they wait, usually for seconds, and no write is lost.
It is safe to stop or kill it at any time; run it again to continue.`,
  options: OPTIONS,
  notes: `INDEX_SHARDS and INDEX_REPLICAS are applied to the new index. The old index is kept, but blocks writes. Indices that do not belong to this service are never touched.

It needs a user with the role of the data team (catalog-data, which npm run engine-users creates), also for --rollback and
--clean.

${ENGINE_HELP}.`,
  exits: {
    failed: 'failed',
    stopped: 'the alias was not moved, because the new index would have changed answers',
    interrupted: 'interrupted; run it again in any case',
  },
  onInterrupt: { message: 'Interrupted; the alias is where it was. Run it again to continue.', graceMs: 0 },
  async run({ options }, env, io) {
    const action = actionOf(options);
    const { floor, judgements: file, acceptDifferences, maxLoss = MAX_LOSS } = options;
    const judgements = file === undefined ? null : { file, maxLoss, queries: await readRatings(file) };
    const floors = floor === undefined ? [] : await readFloors(floor);
    await withEngine(
      env,
      async (engine) => {
        const { es, indexPrefix } = engine;
        const { out, phrase = (line) => line } = io;
        out.write(`${phrase(await describeStatus(es, indexPrefix, productsAlias(indexPrefix)))}\n`);
        await withAliasMove('reindex', engine, io, (context) =>
          ACTIONS[action]({
            ...context,
            acceptDifferences,
            checkRelevance: async (from, to) => [
              ...(judgements === null ? [] : [await compareJudged(context.firstPage, judgements, from, to)]),
              ...(await checkFloors(context.firstPage, floors, to)),
            ],
            layout: engine.indexLayout,
            now: () => new Date(),
            filled: new Map(),
          }),
        );
      },
      (error, { indexPrefix }) => explainForbidden(error, `${indexPrefix}-data`) ?? explain(error),
    );
    return EXIT.done;
  },
});

function actionOf(options: Values<typeof OPTIONS>): ReindexAction {
  const actions = (['rollback', 'clean'] as const).filter((name) => options[name]);
  const [action = 'reindex'] = actions;
  if (actions.length > 1) throw new UsageError(`Choose one of --${actions.join(' and --')}.`);
  const meaningless = (['acceptDifferences', 'floor', 'judgements', 'maxLoss'] as const).find(
    (name) => options[name] !== undefined && options[name] !== false,
  );
  if (meaningless !== undefined && action !== 'reindex')
    throw new UsageError(`--${kebabCase(meaningless)} has no meaning with --${action}.`);
  if (options.maxLoss !== undefined && options.judgements === undefined)
    throw new UsageError('--max-loss needs --judgements.');
  return action;
}

function share(given: string, option: string): number {
  if (/^(?:0(?:\.\d{1,6})?|1)$/.test(given)) return Number(given);
  throw new UsageError(`${option} must be a number from 0 to 1, not "${given}".`);
}

function explain(error: unknown): unknown {
  if (!isEngineError(error)) return error;
  const message = `Elasticsearch: ${error.message}\nRun this again: it continues where it stopped.`;
  return new CommandError(message, { cause: error });
}

await start(import.meta.url, main);
