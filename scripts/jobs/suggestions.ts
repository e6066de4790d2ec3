import type { Summary } from '../../src/usecases/ingest/summary.js';
import { eventStream } from '../../src/telemetry/events/streams.js';
import {
  buildSuggestions,
  type BuildSummary,
  hasSuggestions,
  suggestionsAlias,
} from '../../src/usecases/suggest/build-suggestions.js';
import { afterLoad, catalogueOf, withEngine } from '../shared/catalogue.js';
import type { Io } from '../shared/command.js';
import type { CommandEngine } from '../shared/engine.js';
import { formatCount, formatDuration } from '../../src/text/quantities.js';
import { showProgress } from '../shared/terminal.js';

export const makeSuggestions = (env: NodeJS.ProcessEnv, io: Io): Promise<void> =>
  withEngine(env, (engine) => make(engine, io));

/**
 * Rebuilds the suggestions after a load, unless the load changed nothing and there are suggestions already.
 */
export async function suggestAfter(
  { created, changed, price_moved }: Summary,
  env: NodeJS.ProcessEnv,
  io: Io,
): Promise<void> {
  const isChanged = created + changed + price_moved > 0;
  await afterLoad(
    env,
    io,
    async (engine) => {
      const { es, indexPrefix } = engine;
      if (isChanged || !(await hasSuggestions(es, suggestionsAlias(indexPrefix)))) await make(engine, io);
    },
    (reason) => `Suggestions are as they were before the load (${reason}); npm run suggest makes them anew.`,
  );
}

async function make(engine: CommandEngine, { out, err, signal }: Io): Promise<void> {
  const { es, indexPrefix, events } = engine;
  const products = await catalogueOf(engine);
  const started = performance.now();
  const display = showProgress('suggestions', err);
  try {
    const listings = (await es.count({ index: products })).count;
    const built = await buildSuggestions({
      es,
      indexPrefix,
      products,
      signal,
      now: new Date(),
      requests: events === null ? null : eventStream('requests', { indexPrefix, ...events }).name,
      onWait: display.line,
      onProgress(soFar) {
        const share = listings === 0 ? null : Math.min(1, soFar.listings / listings);
        const note = `${formatCount(soFar.listings)} listings read, ${formatCount(soFar.suggestions)} made`;
        display.update({ share, note });
      },
    });
    display.stop();
    out.write(`${describe(built, performance.now() - started)}\n`);
  } finally {
    display.stop();
  }
}

function describe({ listings, types }: BuildSummary, elapsedMs: number): string {
  const counts = Object.entries(types).map(([type, count]) => `${formatCount(count)} ${type}`);
  const made = counts.length === 0 ? 'none' : counts.join(', ');
  return `suggestions: ${made}, of ${formatCount(listings)} listings in ${formatDuration(elapsedMs)}`;
}
