/** npm run events: deletes events past their age or size limit, and computes trends; see --help. */
import { productsAlias } from '../src/engine/indices.js';
import type { Config } from '../src/platform/config/config.js';
import { enforceRetention } from '../src/telemetry/events/retention.js';
import { EVENT_KINDS, eventStream, isForbidden, storageOf } from '../src/telemetry/events/streams.js';
import { measureTrends } from '../src/usecases/trending/measure-trends.js';
import { command, GRACE_MS, type Io } from './shared/command.js';
import { type CommandEngine, ENGINE_HELP } from './shared/engine.js';
import { CommandError, EXIT } from './shared/exit.js';
import { repeat, WATCH_OPTIONS } from './shared/repeat.js';
import { start } from './shared/start.js';
import { formatCount } from '../src/text/quantities.js';

const INTERVAL_MS = 60 * 60_000;

export const main = command({
  name: 'events',
  about: `Deletes the events of requests and of loads that are older than EVENTS_RETENTION (30d), and the oldest events of each of
the two if they take more disk than EVENTS_MAX_SIZE (4gb). It also computes from the remaining events which listings attract
interest, for GET /v1/products/trending?basis=movement. With --watch, it does so every hour. Run it as the user of the data team. Without
security in Elasticsearch, the service deletes old events itself; with security, its user may only add events. The audit of
API keys is always kept for one year.`,
  options: WATCH_OPTIONS,
  notes: `${ENGINE_HELP}.`,
  onInterrupt: { graceMs: GRACE_MS },
  async run({ options }, env, io) {
    if (env['EVENTS'] === 'off') throw new CommandError('EVENTS is off, so there are no events to delete.');
    await repeat({ ...options, everyMs: INTERVAL_MS }, env, io, async (engine) => {
      if (engine.events !== null) await doOnce(engine, engine.events, io);
    });
    return io.signal.aborted ? EXIT.interrupted : EXIT.done;
  },
});

async function doOnce(
  engine: CommandEngine,
  { retentionDays, maxBytes }: NonNullable<Config['events']>,
  { out, signal }: Io,
): Promise<void> {
  const { es, indexPrefix } = engine;
  for (const kind of EVENT_KINDS) {
    const stream = eventStream(kind, { indexPrefix, retentionDays });
    const storage = await storageOf(es, stream, signal);
    try {
      const deleted = await enforceRetention(es, stream, storage, { maxBytes, now: new Date(), signal });
      if (deleted.length > 0) out.write(`deleted for EVENTS_MAX_SIZE: ${deleted.join(', ')}\n`);
    } catch (error) {
      // A user of the data team is not allowed to delete audit events, so this is no error. Elasticsearch or
      // `npm run engine-users` deletes them.
      if (kind !== 'audit' || !isForbidden(error)) throw error;
    }
  }
  const products = productsAlias(indexPrefix);
  if (!(await es.indices.existsAlias({ name: products }))) return;
  const { name: requests } = eventStream('requests', { indexPrefix, retentionDays });
  const where = { es, requests, products, indexPrefix };
  const moving = await measureTrends({ ...where, now: new Date(), signal });
  out.write(`trends: ${formatCount(moving)} ${moving === 1 ? 'listing' : 'listings'} with movement\n`);
}

await start(import.meta.url, main);
