/** npm run reindex: a new index behind the alias, without a lost write or a gap; see --help. */
import { parseArgs } from 'node:util';
import { errors } from '@elastic/elasticsearch';
import { EngineUnavailableError } from '../src/elasticsearch/unavailable.js';
import { productsAlias } from '../src/catalogue/indices.js';
import { connectEngine, reachEngine } from './shared/engine.js';
import { readJudgements } from './reindex/judgements.js';
import { Lease } from './reindex/lease.js';
import { clean, reindex, rollback } from './reindex/run.js';
import { describeStatus } from './reindex/status.js';
import type { Work } from './reindex/work.js';
import { endBy, onFirstSignal } from './shared/signals.js';
import { CommandError, fail } from './shared/terminal.js';

const HELP = `npm run reindex

Makes a new product index with today's mappings (mappings/products.json), has Elasticsearch fill it from the old one,
verifies it (counts, sampled listings field by field, golden queries), and puts it behind the alias in one step. Readers
notice nothing. Loads go on meanwhile; for the last moments they are held, for seconds as a rule, and none of their
writes is lost. Safe to stop or kill at any time: run again, it goes on from there.

  --rollback            back to the index before, with everything that was written since
  --clean               delete the indices that the alias does not lead to
  --status              show the indices, and change nothing
  --accept-differences  swap even if golden queries are answered otherwise than before
  --judgements FILE     ask both indices what people have judged (CSV query,source,sku,rating, as npm run evaluate
                        takes it), and swap only if the new one is about as good
  --max-loss SHARE      how much of NDCG@10 it may lose (0.02)
  --help

The old index is kept, and takes no writes any more. Indices that are not this service's are never touched.

Elasticsearch is the one of ELASTICSEARCH_URL, else that of a running demo, else http://localhost:9200.
INDEX_PREFIX (catalog) must be that of the service.
Exit code: 0 done, 1 failed, 130 interrupted; run it again in either case.
`;

const MAX_LOSS = '0.02';

const ACTIONS = { reindex, rollback, clean } as const;
type Action = keyof typeof ACTIONS | 'status' | 'help';

interface Options {
  action: Action;
  acceptDifferences: boolean;
  /** null: nothing was judged. */
  judged: { file: string; maxLoss: number } | null;
}

/** @throws CommandError when the command line makes no sense. */
function parse(args: string[]): Options {
  const values = parseCommandLine(args);
  const asked = (['help', 'rollback', 'clean', 'status'] as const).filter((name) => values[name] === true);
  const [action = 'reindex'] = asked;
  if (asked.length > 1 && action !== 'help') {
    throw new CommandError(`Choose one of --${asked.join(' and --')}.`);
  }
  const { 'accept-differences': acceptDifferences = false, judgements: file, 'max-loss': loss } = values;
  const meaningless = (['accept-differences', 'judgements', 'max-loss'] as const).find(
    (name) => values[name],
  );
  if (meaningless !== undefined && asked.length > 0) {
    throw new CommandError(`--${meaningless} has no meaning with --${action}.`);
  }
  if (loss !== undefined && file === undefined) throw new CommandError('--max-loss needs --judgements.');
  const maxLoss = /^(0(\.\d{1,6})?|1)$/.test(loss ?? MAX_LOSS) ? Number(loss ?? MAX_LOSS) : NaN;
  if (Number.isNaN(maxLoss))
    throw new CommandError(`--max-loss must be a number from 0 to 1, not "${loss}".`);
  return { action, acceptDifferences, judged: file === undefined ? null : { file, maxLoss } };
}

function parseCommandLine(args: string[]) {
  try {
    return parseArgs({
      args,
      options: {
        rollback: { type: 'boolean' },
        clean: { type: 'boolean' },
        status: { type: 'boolean' },
        'accept-differences': { type: 'boolean' },
        judgements: { type: 'string' },
        'max-loss': { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values;
  } catch (error) {
    throw new CommandError(`${(error as Error).message} See --help.`);
  }
}

async function run(
  action: Exclude<Action, 'help'>,
  settings: Pick<Work, 'acceptDifferences' | 'judgements' | 'signal'>,
): Promise<void> {
  const engine = connectEngine();
  const { es, indexPrefix } = engine;
  const alias = productsAlias(indexPrefix);
  try {
    await reachEngine(engine);
    const status = await describeStatus(es, indexPrefix, alias);
    if (action === 'status') {
      console.log(status);
      return;
    }
    const say = (line: string) => {
      console.log(line);
    };
    const lease = await Lease.take(es, indexPrefix, say);
    try {
      await ACTIONS[action]({ es, alias, lease, say, now: () => new Date(), filled: new Map(), ...settings });
    } catch (error) {
      throw explain(error);
    } finally {
      await lease.release();
    }
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

const abort = new AbortController();
let ending: NodeJS.Signals | undefined;
try {
  const { action, acceptDifferences, judged } = parse(process.argv.slice(2));
  if (action === 'help') console.log(HELP.trimEnd());
  else {
    onFirstSignal((signal) => {
      ending = signal;
      abort.abort();
    });
    const judgements = judged === null ? null : await readJudgements(judged.file, judged.maxLoss);
    await run(action, { acceptDifferences, judgements, signal: abort.signal });
    if (ending !== undefined) endBy(ending);
  }
} catch (error) {
  if (ending === undefined || !abort.signal.aborted) fail(error);
  else {
    console.log('Interrupted; the alias is where it was. Run it again to go on.');
    endBy(ending);
  }
}
