import { rejectionReasons } from '../../src/engine/errors.js';
import { productsAlias } from '../../src/engine/indices.js';
import { schemaVersionOf } from '../../src/engine/index-versions.js';
import { Lease, LeaseHeldError } from '../../src/engine/lease.js';
import { pause } from '../../src/platform/pause.js';
import type { RestoreContext } from '../../src/usecases/backups/restore-indices.js';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import { type AliasMoveLease, REINDEX } from '../../src/engine/alias-move.js';
import type { Io } from './command.js';
import { type CommandEngine, explainEngine, explainForbidden } from './engine.js';
import { CommandError, InterruptedError, StoppedError } from './exit.js';
import { showProgress } from './terminal.js';

/** The number of results of a search that are compared between two indices. */
const COMPARED_RESULTS = 10;

/** The commands of which only one at a time may run, because they move the alias or must not run while it is moved. */
type AliasTask = 'reindex' | 'restore' | 'withdraw';

/** The interval in ms in which a command that waits for another one tries again. */
const WAIT_MS = 500;

/** Runs work while holding the lease of the product alias, so that no other command moves it meanwhile. */
export async function withAliasMove<T>(
  task: AliasTask,
  { es, indexPrefix }: CommandEngine,
  { out, err, signal: interrupted, phrase = (line) => line }: Io,
  run: (context: RestoreContext) => Promise<T>,
): Promise<T> {
  const report = (line: string) => void out.write(`${phrase(line)}\n`);
  const lease = await leaseFor(task, { es, indexPrefix, signal: interrupted, report });
  return lease.hold(interrupted, (signal) =>
    run({
      es,
      indexPrefix,
      alias: productsAlias(indexPrefix),
      lease,
      signal,
      report,
      showProgress: (title) => showProgress(title, err),
      // The first results as `GET /v1/search` ranks them, which `match: 'any'` does not change.
      async firstPage(index, query) {
        const { hits } = await findByText(es, {
          ...TEXT_ALONE,
          match: 'any',
          text: query,
          target: { index },
          schema: await schemaVersionOf(es, index),
          page: {
            slice: { limit: COMPARED_RESULTS, offset: 0 },
            request: { _source: ['id', 'source', 'sku', 'name'] },
          },
        });
        return hits.flatMap(({ _source }) => _source ?? []);
      },
    }),
  );
}

/** Acquires the lease, for which a withdrawal waits. @throws LeaseHeldError, or StoppedError for a withdrawal, if it is held. */
async function leaseFor(
  task: AliasTask,
  { es, indexPrefix, signal, report }: Pick<RestoreContext, 'es' | 'indexPrefix' | 'signal' | 'report'>,
): Promise<AliasMoveLease> {
  for (let isReported = false; ;) {
    try {
      return await Lease.acquire(es, indexPrefix, REINDEX, isReported ? () => undefined : report, task);
    } catch (error) {
      if (task !== 'withdraw' || !(error instanceof LeaseHeldError)) throw error;
      if (error.holder !== task && error.owner !== null)
        throw new StoppedError(error.message, { cause: error });
      if (!isReported && error.owner !== null) {
        report(
          `Another withdraw is at work (process ${error.owner.pid}). This one begins when it has ended.`,
        );
        isReported = true;
      }
      await pause(WAIT_MS, signal);
      if (signal.aborted) throw new InterruptedError();
    }
  }
}

export const explainSnapshots = (error: unknown, engine: CommandEngine): unknown =>
  explainForbidden(error, `${engine.indexPrefix}-restore`) ??
  explainRefusal(error) ??
  explainEngine(error, engine);

/** An error with the reasons that Elasticsearch states, because snapshot repositories fail in many ways; null without reasons. */
function explainRefusal(error: unknown): CommandError | null {
  const reasons = rejectionReasons(error);
  if (reasons.length === 0) return null;
  return new CommandError(`Elasticsearch refused: ${reasons.join(': ')}. The alias is where it was.`, {
    cause: error,
  });
}
