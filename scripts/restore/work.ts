import type { Client } from '@elastic/elasticsearch';
import { errors } from '@elastic/elasticsearch';
import { productsAlias } from '../../src/engine/indices.js';
import { REINDEX, type MoveLease } from '../reindex/lease.js';
import type { Io } from '../shared/command.js';
import { connectEngine, explainEngine, explainForbidden, reachEngine } from '../shared/engine.js';
import { CommandError } from '../shared/exit.js';
import { Lease } from '../shared/lease.js';
import { preset, text } from '../shared/options.js';

/** Options of both commands. */
export const SOURCE_OPTIONS = {
  repository: preset(text('NAME', 'the repository (backups)'), 'backups'),
  snapshot: preset(
    text('NAME', 'the snapshot; latest, unless given, is the newest that is complete'),
    'latest',
  ),
  index: text('NAME', 'which index of listings, where the snapshot holds several'),
};

export interface Work {
  es: Client;
  indexPrefix: string;
  alias: string;
  lease: MoveLease;
  say: (line: string) => void;
}

/** Connects, keeps any reindex away meanwhile, and explains what fails. */
export async function withEngine(
  env: NodeJS.ProcessEnv,
  { out, phrase = (line) => line }: Io,
  run: (work: Work) => Promise<void>,
): Promise<void> {
  const engine = connectEngine(env);
  const { es, indexPrefix } = engine;
  const say = (line: string) => {
    out.write(`${phrase(line)}\n`);
  };
  try {
    await reachEngine(engine);
    const lease = await Lease.take(es, indexPrefix, REINDEX, say);
    try {
      if (lease.state.move !== null)
        throw new CommandError('A reindex has not ended: run npm run reindex first, or --clean.');
      await run({ es, indexPrefix, alias: productsAlias(indexPrefix), lease, say });
    } finally {
      await lease.release();
    }
  } catch (error) {
    throw explainForbidden(error, `${indexPrefix}-restore`) ?? refused(error) ?? explainEngine(error, engine);
  } finally {
    await es.close();
  }
}

/** Repositories fail in many ways, and Elasticsearch says how. */
function refused(error: unknown): CommandError | null {
  if (!(error instanceof errors.ResponseError)) return null;
  const { error: cause } = (error.body ?? {}) as {
    error?: { type?: string; reason?: string; caused_by?: { reason?: string } };
  };
  const why = [cause?.type, cause?.reason, cause?.caused_by?.reason].filter(Boolean).join(': ');
  return new CommandError(`Elasticsearch refused: ${why || error.message}. The alias is where it was.`, {
    cause: error,
  });
}
