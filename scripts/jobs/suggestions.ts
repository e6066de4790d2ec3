import { eventStream } from '../../src/telemetry/events/streams.js';
import { formatCount, formatDuration } from '../../src/text/quantities.js';
import { buildSuggestions } from '../../src/usecases/suggest/build-suggestions.js';
import type { Io } from '../shared/command.js';
import { catalogueOf, type CommandEngine } from '../shared/engine.js';
import { withProgress } from '../shared/terminal.js';

/** Rebuilds all suggestions of the search box. @param share the share of the time in which it works. */
export async function rebuildSuggestions(
  engine: CommandEngine,
  { out, err, signal }: Io,
  share?: number,
): Promise<void> {
  const { es, indexPrefix, events } = engine;
  const products = await catalogueOf(engine);
  const started = performance.now();
  const { count: all } = await es.count({ index: products });
  const { listings, types } = await withProgress('suggestions', err, (display) =>
    buildSuggestions({
      es,
      indexPrefix,
      products,
      signal,
      share,
      now: new Date(),
      requests: events === null ? null : eventStream('requests', { indexPrefix, ...events }).name,
      onWait: display.line,
      onProgress(soFar) {
        const share = all === 0 ? null : Math.min(1, soFar.listings / all);
        const note = `${formatCount(soFar.listings)} listings read, ${formatCount(soFar.suggestions)} suggestions`;
        display.update({ share, note });
      },
    }),
  );
  const counts = Object.entries(types).map(([type, count]) => `${formatCount(count)} ${type}`);
  out.write(
    `suggestions: ${counts.join(', ') || 'none'}, from ${formatCount(listings)} listings in ${formatDuration(performance.now() - started)}\n`,
  );
}
