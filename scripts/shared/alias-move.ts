import { errors } from '@elastic/elasticsearch';
import { productsAlias } from '../../src/engine/indices.js';
import { schemaVersionOf } from '../../src/engine/index-versions.js';
import { Lease } from '../../src/engine/lease.js';
import type { RestoreContext } from '../../src/usecases/restore/restore.js';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import { REINDEX } from '../../src/usecases/shared/alias-move.js';
import type { Io } from './command.js';
import { type CommandEngine, explainEngine, explainForbidden, withEngine } from './engine.js';
import { CommandError } from './exit.js';
import { preset, text } from './options.js';
import { showProgress } from './terminal.js';

/** The number of results of a search that are compared between two indices. */
const COMPARED_RESULTS = 10;

/** Runs work while holding the lease of the product alias, so that no other command moves it meanwhile. */
export async function withAliasMove<T>(
  { es, indexPrefix }: CommandEngine,
  { out, err, signal, phrase = (line) => line }: Io,
  run: (context: RestoreContext) => Promise<T>,
): Promise<T> {
  const report = (line: string) => void out.write(`${phrase(line)}\n`);
  const lease = await Lease.acquire(es, indexPrefix, REINDEX, report);
  try {
    return await run({
      es,
      indexPrefix,
      alias: productsAlias(indexPrefix),
      lease,
      signal,
      report,
      showProgress: (title) => showProgress(title, err),
      // Returns the first results of a search as `GET /v1/search` ranks them. The option `match: 'any'` does
      // not change these results.
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
    });
  } finally {
    await lease.release();
  }
}

export const SNAPSHOT_OPTIONS = {
  repository: preset(text('NAME', 'the snapshot repository'), 'backups'),
  snapshot: preset(text('NAME', 'the snapshot; latest is the newest complete one'), 'latest'),
  index: text('NAME', 'the index of listings to restore, if the snapshot contains several'),
};

/** Runs a restore of a snapshot, or its rehearsal, while holding the lease of the product alias. */
export const restoring = (
  env: NodeJS.ProcessEnv,
  io: Io,
  run: (context: RestoreContext) => Promise<void>,
): Promise<void> =>
  withEngine(
    env,
    (engine) =>
      withAliasMove(engine, io, async (context) => {
        if (context.lease.state.move !== null)
          throw new CommandError('A reindex has not ended: run npm run reindex first, or --clean.');
        await run(context);
      }),
    (error, engine) =>
      explainForbidden(error, `${engine.indexPrefix}-restore`) ??
      explainRefusal(error) ??
      explainEngine(error, engine),
  );

/**
 * Converts an error of Elasticsearch to a message with its reasons, because snapshot repositories fail in
 * many ways.
 */
function explainRefusal(error: unknown): CommandError | null {
  if (!(error instanceof errors.ResponseError)) return null;
  const { error: cause } = (error.body ?? {}) as {
    error?: { type?: string; reason?: string; caused_by?: { reason?: string } };
  };
  const why = [cause?.type, cause?.reason, cause?.caused_by?.reason].filter(Boolean).join(': ');
  const message = `Elasticsearch refused: ${why || error.message}. The alias is where it was.`;
  return new CommandError(message, { cause: error });
}
