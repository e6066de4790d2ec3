import { errors } from '@elastic/elasticsearch';
import { productsAlias } from '../../src/engine/indices.js';
import { Lease } from '../../src/engine/lease.js';
import type { RestoreContext } from '../../src/usecases/restore/restore.js';
import { REINDEX } from '../../src/usecases/shared/alias-move.js';
import type { Io } from './command.js';
import { connectEngine, explainEngine, explainForbidden, reachEngine } from './engine.js';
import { CommandError } from './exit.js';
import { firstPageOf } from './first-page.js';
import { preset, text } from './options.js';
import { showProgress } from './terminal.js';

export const SNAPSHOT_OPTIONS = {
  repository: preset(text('NAME', 'the snapshot repository'), 'backups'),
  snapshot: preset(text('NAME', 'the snapshot; latest is the newest complete one'), 'latest'),
  index: text('NAME', 'the index of listings to restore, if the snapshot contains several'),
};

/** Holds the lease of the product alias during the restore, so that no reindex runs at the same time. */
export async function withRestoreContext(
  env: NodeJS.ProcessEnv,
  { out, err, signal, phrase = (line) => line }: Io,
  run: (context: RestoreContext) => Promise<void>,
): Promise<void> {
  const engine = connectEngine(env);
  const { es, indexPrefix } = engine;
  const report = (line: string) => {
    out.write(`${phrase(line)}\n`);
  };
  try {
    await reachEngine(engine);
    const lease = await Lease.acquire(es, indexPrefix, REINDEX, report);
    try {
      if (lease.state.move !== null)
        throw new CommandError('A reindex has not ended: run npm run reindex first, or --clean.');
      await run({
        es,
        indexPrefix,
        alias: productsAlias(indexPrefix),
        lease,
        firstPage: firstPageOf(es),
        signal,
        report,
        showProgress: (title) => showProgress(title, err),
      });
    } finally {
      await lease.release();
    }
  } catch (error) {
    throw explainForbidden(error, `${indexPrefix}-restore`) ?? refusal(error) ?? explainEngine(error, engine);
  } finally {
    await es.close();
  }
}

/** Repeats the reason that Elasticsearch gives, because snapshot repositories fail in many ways. */
function refusal(error: unknown): CommandError | null {
  if (!(error instanceof errors.ResponseError)) return null;
  const { error: cause } = (error.body ?? {}) as {
    error?: { type?: string; reason?: string; caused_by?: { reason?: string } };
  };
  const why = [cause?.type, cause?.reason, cause?.caused_by?.reason].filter(Boolean).join(': ');
  return new CommandError(`Elasticsearch refused: ${why || error.message}. The alias is where it was.`, {
    cause: error,
  });
}
