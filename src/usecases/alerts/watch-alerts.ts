import type { Client } from '@elastic/elasticsearch';
import { Lease } from '../../engine/lease.js';
import type { LinkSettings } from '../../listing/product.js';
import { AlertStore } from './store.js';
import type { ChangePage } from '../../products/changes/change.js';
import { ChangeFeed, PositionError } from '../../products/changes/change-feed.js';
import { readCursor, toCursor } from '../../products/changes/cursor.js';
import { followChanges } from '../../products/changes/follow-changes.js';
import type { ChangePosition } from '../../products/changes/position.js';
import { type AlertProgress, ALERTS, type AlertWork, type AttemptOutcome } from './alert-progress.js';
import { deliverEvents, type DeliverOptions } from './deliver-events.js';
import { EventBudget } from './event-budget.js';
import { keepUp, type KeepUpOptions } from './keep-up.js';
import { WaitingChecks } from './waiting-checks.js';

/** The longest time between two reports of what is checked, in milliseconds. */
const REPORT_MS = 10_000;

const PAGE = 500;

/** The options of the steps that callers do not pass, because `watchAlerts` sets them itself. */
type OwnOptions = 'store' | 'budget' | 'onAttempt';

interface WatchOptions extends LinkSettings, Omit<DeliverOptions & KeepUpOptions, OwnOptions> {
  es: Client;
  indexPrefix: string;
  products: string;
  /** Called when no alert waits for its check, and at least every ten seconds. `lagMs`: how far the checks are behind. */
  onChecked: (since: { changes: number; events: number; lagMs: number }) => void;
}

/** Checks the alerts on all changes since the last run, and sends their events. @throws LeaseHeldError if another process does. */
export async function watchAlerts(options: WatchOptions): Promise<void> {
  const { es, indexPrefix, report } = options;
  const store = new AlertStore(es, indexPrefix);
  await store.ensureIndices();
  const lease = await Lease.acquire(es, indexPrefix, ALERTS, report);
  await lease.hold(options.signal, (signal) => watchWith(lease, { ...options, store, signal }));
}

async function watchWith(lease: Lease<AlertProgress>, options: WatchOptions & AlertWork): Promise<void> {
  const { es, indexPrefix, signal, follow, now, report } = options;
  const feed = new ChangeFeed(es, indexPrefix, now);
  const budget = new EventBudget(new Set(lease.state.throttled));
  const checks = new WaitingChecks({ ...options, budget }, lease.state);
  // If one kind of work ends because Elasticsearch is unavailable for long, the other kinds end as well.
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
        await checkChanges(feed, position, checks, { ...options, lease });
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

/** Checks the alerts on the changes after a position. The next changes are read meanwhile, so that no alert waits for those of others. */
async function checkChanges(
  feed: ChangeFeed,
  position: ChangePosition,
  checks: WaitingChecks,
  { lease, signal, follow, now, report, onChecked }: WatchOptions & { lease: Lease<AlertProgress> },
): Promise<void> {
  const ended = new AbortController();
  const following = { signal: AbortSignal.any([signal, ended.signal]), follow, onWait: report };
  const pages = followChanges(feed, position, { ...following, read: { limit: PAGE } });
  const counts = { changes: 0, events: 0 };
  /** The next page, once it is read, or why it could not be read. */
  const read: { next: IteratorResult<ChangePage> | null; failures: unknown[] } = { next: null, failures: [] };
  const readNext = (): Promise<void> =>
    pages.next().then(
      (next) => void (read.next = next),
      (error: unknown) => void read.failures.push(error),
    );
  let reading = readNext();
  let reportAt = 0;
  try {
    while (!signal.aborted) {
      const { next, failures } = read;
      if (failures.length > 0) throw failures[0];
      if (next !== null && next.done !== true) {
        const { changes, position: after } = next.value;
        await checks.notice(changes, after.time);
        // If a process continues from an earlier position, the state of each alert prevents that it fires twice.
        lease.note({ cursor: toCursor(after), ...checks.state });
        counts.changes += changes.length;
        read.next = null;
        reading = readNext();
      } else if (checks.size > 0) counts.events += await checks.step();
      else if (next === null) await reading;
      else break;
      if (checks.size > 0 && performance.now() < reportAt) continue;
      reportAt = performance.now() + REPORT_MS;
      onChecked({ ...counts, lagMs: Math.max(0, now().getTime() - checks.state.checked_at) });
      Object.assign(counts, { changes: 0, events: 0 });
    }
    lease.note(checks.state);
  } finally {
    ended.abort();
    await reading;
  }
}
