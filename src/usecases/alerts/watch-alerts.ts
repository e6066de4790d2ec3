import type { Client } from '@elastic/elasticsearch';
import { Lease } from '../../engine/lease.js';
import type { LinkSettings } from '../../listing/product.js';
import { AlertStore } from './store.js';
import { ChangeFeed, PositionError } from '../../products/changes/change-feed.js';
import { readCursor, toCursor } from '../../products/changes/cursor.js';
import { followChanges } from '../../products/changes/follow-changes.js';
import { type AlertProgress, ALERTS, type AlertWork, type AttemptOutcome } from './alert-progress.js';
import { checkChanges, checkReleased, checkUnconfirmed } from './check-changes.js';
import { deliverEvents, type DeliverOptions } from './deliver-events.js';
import { EventBudget } from './event-budget.js';
import { keepUp, type KeepUpOptions } from './keep-up.js';

/** How often alerts are checked again that wait until an unusually low price is seen again, in milliseconds. */
const UNCONFIRMED_MS = 60_000;

/** The number of changes of a page. */
const PAGE = 500;

/** The options of the steps that `watchAlerts` sets itself. */
type OwnOptions = 'store' | 'budget' | 'onAttempt';

interface WatchOptions extends LinkSettings, Omit<DeliverOptions & KeepUpOptions, OwnOptions> {
  es: Client;
  indexPrefix: string;
  /** The alias of the product index. */
  products: string;
  /** Called after each page, also an empty one. `lagMs`: how old its last change was when it was checked. */
  onChecked: (page: { changes: number; events: number; lagMs: number }) => void;
}

/**
 * Follows the changes of the catalogue and checks the alerts on what has changed. The first run begins with the changes
 * from then on. A run that is killed is continued by the next one, which finds in each alert whether it has fired.
 * The events are sent to the URLs of their alerts meanwhile.
 * @throws LeaseHeldError if another process checks the alerts.
 */
export async function watchAlerts(options: WatchOptions): Promise<void> {
  const { es, indexPrefix, report } = options;
  const store = new AlertStore(es, indexPrefix);
  await store.ensureIndices();
  const lease = await Lease.acquire(es, indexPrefix, ALERTS, report);
  await lease.hold(options.signal, (signal) => watchWith(lease, { ...options, store, signal }));
}

async function watchWith(lease: Lease<AlertProgress>, options: WatchOptions & AlertWork): Promise<void> {
  const { es, indexPrefix, signal, follow, now, report, onChecked } = options;
  const feed = new ChangeFeed(es, indexPrefix, now);
  const budget = new EventBudget(new Set(lease.state.throttled));
  const unconfirmed = new Set(lease.state.unconfirmed);
  let nextUnconfirmed = 0;
  // If the engine is unavailable for long, the other work ends as well.
  const ended = new AbortController();
  const others = { ...options, budget, signal: AbortSignal.any([signal, ended.signal]) };
  const onAttempt = (outcome: AttemptOutcome) => {
    const { attempts } = lease.state;
    lease.note({ attempts: { ...attempts, [outcome]: attempts[outcome] + 1 } });
  };
  const work = () => Promise.all([deliverEvents({ ...others, onAttempt }), keepUp(others)]);
  const working = follow ? work().catch((error: unknown) => report(String(error))) : null;
  try {
    for (;;) {
      const { cursor } = lease.state;
      const stored = cursor === null ? null : readCursor(cursor);
      const position = stored ?? (await feed.start({ isInitial: false }));
      if (stored === null) await lease.save({ cursor: toCursor(position) });
      try {
        const following = { read: { limit: PAGE }, signal, follow, onWait: report };
        const pages = followChanges(feed, position, following);
        for await (const page of pages) {
          const checked = { ...options, budget, unconfirmed };
          let events = (await checkChanges(page.changes, checked)) + (await checkReleased(checked));
          if (performance.now() >= nextUnconfirmed) {
            nextUnconfirmed = performance.now() + UNCONFIRMED_MS;
            events += await checkUnconfirmed(checked);
          }
          const progress = {
            cursor: toCursor(page.position),
            checked_at: page.position.time,
            throttled: budget.waiting,
            unconfirmed: [...unconfirmed],
          };
          // While nothing changes, the position is stored with the next renewal of the lease.
          if (page.changes.length > 0) await lease.save(progress);
          else lease.note(progress);
          const last = page.changes.at(-1);
          const lagMs = last === undefined ? 0 : Math.max(0, now().getTime() - Date.parse(last.at));
          onChecked({ changes: page.changes.length, events, lagMs });
        }
        if (!follow) await work();
        return;
      } catch (error) {
        if (!(error instanceof PositionError)) throw error;
        report('The catalogue was restored from a backup: alerts are checked from now on.');
        await lease.save({ cursor: null });
      }
    }
  } finally {
    feed.stop();
    ended.abort();
    await working;
  }
}
