import { productsAlias } from '../../src/engine/indices.js';
import { enforceRetention } from '../../src/telemetry/events/retention.js';
import { EVENT_KINDS, eventStream, isForbidden, storageOf } from '../../src/telemetry/events/streams.js';
import { formatCount } from '../../src/text/quantities.js';
import { measureTrends } from '../../src/usecases/trending/measure-trends.js';
import type { Io } from '../shared/command.js';
import { type CommandEngine, explainEngine } from '../shared/engine.js';

/**
 * Deletes events past their retention or above the maximum size, and computes trends from the others, unless events are off.
 * @throws CommandError if Elasticsearch refuses it.
 */
export async function maintainEvents(engine: CommandEngine, { out, signal }: Io): Promise<void> {
  const { es, indexPrefix, events } = engine;
  if (events === null) return;
  const { retentionDays, maxBytes } = events;
  try {
    for (const kind of EVENT_KINDS) {
      const stream = eventStream(kind, { indexPrefix, retentionDays });
      const storage = await storageOf(es, stream, signal);
      try {
        const deleted = await enforceRetention(es, stream, storage, { maxBytes, now: new Date(), signal });
        if (deleted.length > 0) out.write(`deleted for EVENTS_MAX_SIZE: ${deleted.join(', ')}\n`);
      } catch (error) {
        // The data team may not delete audit events: Elasticsearch or `npm run engine-users` does.
        if (kind !== 'audit' || !isForbidden(error)) throw error;
      }
    }
    const products = productsAlias(indexPrefix);
    if (!(await es.indices.existsAlias({ name: products }))) return;
    const { name: requests } = eventStream('requests', { indexPrefix, retentionDays });
    const moving = await measureTrends({ es, requests, products, indexPrefix, now: new Date(), signal });
    out.write(`trends: ${formatCount(moving)} ${moving === 1 ? 'listing' : 'listings'} with movement\n`);
  } catch (error) {
    throw explainEngine(error, engine);
  }
}
