/** npm run reindex: a new index behind the alias, without a lost write or a gap; see --help. */
import { errors } from '@elastic/elasticsearch';
import { EngineUnavailableError } from '../src/engine/unavailable.js';
import { schemaVersionOf } from '../src/engine/schema-version.js';
import { TODAYS_SCHEMA } from '../src/listing/derived.js';
import { productsAlias } from '../src/engine/indices.js';
import { readFloors, readJudgements } from './reindex/judgements.js';
import { REINDEX } from './reindex/lease.js';
import { clean, reindex, rollback } from './reindex/run.js';
import { describeStatus } from './reindex/status.js';
import type { Work } from './reindex/work.js';
import { command, type Io } from './shared/command.js';
import { connectEngine, explainForbidden, reachEngine } from './shared/engine.js';
import { CommandError, EXIT, UsageError } from './shared/exit.js';
import { Lease } from './shared/lease.js';
import { flag, parsed, text, type Values } from './shared/options.js';
import { start } from './shared/start.js';

const MAX_LOSS = 0.02;

const ACTIONS = { reindex, rollback, clean } as const;
type Action = keyof typeof ACTIONS | 'status';

const OPTIONS = {
  rollback: flag('back to the index before, with everything that was written since'),
  clean: flag('delete the indices that the alias does not lead to'),
  status: flag('show the indices and whether a reindex is to follow, and change nothing'),
  'accept-differences': flag('swap even if golden queries are answered otherwise than before'),
  judgements: text(
    'FILE',
    'ask both indices what people have judged (CSV query,source,sku,rating, as npm run evaluate takes it), and swap only if the new one is about as good',
  ),
  floor: text(
    'FILE',
    'JSON {"judgements.csv": 0.8}: swap only if the new index has at least this NDCG@10 for each file of judgements, which lie beside it',
  ),
  'max-loss': parsed('SHARE', `how much of NDCG@10 it may lose (${MAX_LOSS})`, share),
};

export const main = command({
  name: 'reindex',
  about: `Makes a new product index with today's mappings (mappings/products.json), has Elasticsearch fill it from the old one,
verifies it (counts, sampled listings field by field, golden queries), and puts it behind the alias in one step. Readers
notice nothing. Loads go on meanwhile; for the last moments they are held, for seconds as a rule, and none of their
writes is lost. Safe to stop or kill at any time: run again, it goes on from there.`,
  options: OPTIONS,
  notes: `The old index is kept, and takes no writes any more. Indices that are not this service's are never touched.

It needs a user with the role of the data team (catalog-data, as npm run engine-users makes it); --rollback and --clean, too.
Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.`,
  exits: {
    failed: 'failed',
    stopped: 'not swapped, for what the new index would have changed',
    due: 'with --status: the index has an earlier schema than this version, so a reindex is to follow',
    interrupted: 'interrupted; run it again in any case',
  },
  ending: { said: 'Interrupted; the alias is where it was. Run it again to go on.', graceMs: 0 },
  async run({ options }, env, io) {
    const action = actionOf(options);
    const { floor, judgements: file, 'accept-differences': acceptDifferences, 'max-loss': maxLoss } = options;
    const judgements = file === undefined ? null : await readJudgements(file, maxLoss ?? MAX_LOSS);
    const floors = floor === undefined ? [] : await readFloors(floor);
    return work(action, { acceptDifferences, floors, judgements }, env, io);
  },
});

/** @throws UsageError where some do not go together. */
function actionOf(options: Values<typeof OPTIONS>): Action {
  const asked = (['rollback', 'clean', 'status'] as const).filter((name) => options[name]);
  const [action = 'reindex'] = asked;
  if (asked.length > 1) throw new UsageError(`Choose one of --${asked.join(' and --')}.`);
  const meaningless = (['accept-differences', 'floor', 'judgements', 'max-loss'] as const).find(
    (name) => options[name] !== undefined && options[name] !== false,
  );
  if (meaningless !== undefined && action !== 'reindex')
    throw new UsageError(`--${meaningless} has no meaning with --${action}.`);
  if (options['max-loss'] !== undefined && options.judgements === undefined)
    throw new UsageError('--max-loss needs --judgements.');
  return action;
}

function share(given: string, option: string): number {
  if (/^(?:0(?:\.\d{1,6})?|1)$/.test(given)) return Number(given);
  throw new UsageError(`${option} must be a number from 0 to 1, not "${given}".`);
}

async function work(
  action: Action,
  settings: Pick<Work, 'acceptDifferences' | 'floors' | 'judgements'>,
  env: NodeJS.ProcessEnv,
  { out, err, signal, phrase = (text) => text }: Io,
): Promise<number> {
  const say = (line: string) => {
    out.write(`${phrase(line)}\n`);
  };
  const engine = connectEngine(env);
  const { es, indexPrefix } = engine;
  const alias = productsAlias(indexPrefix);
  try {
    await reachEngine(engine);
    const status = await describeStatus(es, indexPrefix, alias).catch((error: unknown) => {
      throw explainForbidden(error, `${indexPrefix}-data`) ?? error;
    });
    if (action === 'status') {
      say(status);
      const schema = await schemaVersionOf(es, alias);
      if (schema === TODAYS_SCHEMA) return EXIT.done;
      say(`The index has schema ${schema} of ${TODAYS_SCHEMA}. Run: npm run reindex`);
      return EXIT.due;
    }
    const lease = await Lease.take(es, indexPrefix, REINDEX, say).catch((error: unknown) => {
      throw explainForbidden(error, `${indexPrefix}-data`) ?? error;
    });
    try {
      await ACTIONS[action]({
        es,
        alias,
        lease,
        say,
        err,
        signal,
        now: () => new Date(),
        filled: new Map(),
        ...settings,
      });
    } catch (error) {
      throw explainForbidden(error, `${indexPrefix}-data`) ?? explain(error);
    } finally {
      await lease.release();
    }
    return EXIT.done;
  } finally {
    await es.close();
  }
}

/** An engine that fails on the way is no bug of this command. */
function explain(error: unknown): unknown {
  if (!(error instanceof errors.ElasticsearchClientError || error instanceof EngineUnavailableError))
    return error;
  const message = `Elasticsearch: ${error.message}\nRun this again: it goes on from where it is.`;
  return new CommandError(message, { cause: error });
}

await start(import.meta.url, main);
