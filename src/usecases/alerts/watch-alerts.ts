import type { Client } from '@elastic/elasticsearch';
import { getStoredListings } from '../../engine/documents.js';
import { Lease } from '../../engine/lease.js';
import { groupOf, type StoredListing } from '../../listing/listing.js';
import type { KeyRecord } from '../../platform/access/key.js';
import type { LinkSettings } from '../../listing/product.js';
import {
  alertEventsIndex,
  alertsIndex,
  ensureAlertIndices,
  type StoredAlert,
  type VersionedAlert,
} from '../shared/alerts/store.js';
import { OFFER_FIELDS, offersOf } from '../shared/alerts/watched-offers.js';
import type { WebhookCipher } from '../shared/alerts/webhook-secrets.js';
import type { Change } from '../shared/changes/change.js';
import { ChangeFeed, PositionError } from '../shared/changes/change-feed.js';
import { readCursor, toCursor } from '../shared/changes/cursor.js';
import { followChanges } from '../shared/changes/follow-changes.js';
import { ALERTS, type AttemptOutcome } from './alert-progress.js';
import { checkStoredAlert, type Watched } from './check-alert.js';
import { deliverEvents } from './deliver-events.js';
import { keepUp } from './keep-up.js';
import type { SendWebhook } from './send-webhook.js';

/** The number of changes of a page, and of alerts that are read at once. */
const PAGE = 500;
/** The number of alerts that are checked at the same time. */
const AT_ONCE = 16;

interface WatchOptions extends LinkSettings {
  es: Client;
  indexPrefix: string;
  products: string;
  signal: AbortSignal;
  /** Whether to wait for further changes after those that there are. */
  follow: boolean;
  now: () => Date;
  /** Sends an event to the URL of its alert. */
  send: SendWebhook;
  cipher: WebhookCipher;
  /** For how many days events can be read. */
  changesRetentionDays: number;
  /** Lists all API keys; null if Redis is not configured. */
  listKeys: (() => Promise<readonly KeyRecord[]>) | null;
  /** Receives a note for the operator. */
  report: (line: string) => void;
  /**
   * Called after each page of changes, also after the empty ones while nothing changes.
   * @param lagMs how old the last change of the page was when it was checked.
   */
  onChecked: (page: { changes: number; events: number; lagMs: number }) => void;
}

/**
 * Follows the changes of the catalogue and checks the alerts on what has changed. The first run begins with the changes
 * from then on. A run that is killed is continued by the next one; an event that both find has the same id, and is stored once.
 * The events are sent to the URLs of their alerts meanwhile.
 * @throws LeaseHeldError if another process checks the alerts.
 */
export async function watchAlerts(options: WatchOptions): Promise<void> {
  const { es, indexPrefix, signal, follow, now, report, onChecked } = options;
  await ensureAlertIndices(es, indexPrefix);
  const lease = await Lease.acquire(es, indexPrefix, ALERTS, report);
  const feed = new ChangeFeed(es, indexPrefix, now);
  // If the lease is lost or the engine is unavailable for long, the other work ends as well.
  const ended = new AbortController();
  const others = { ...options, signal: AbortSignal.any([signal, ended.signal]) };
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
        const pages = followChanges(feed, position, {
          read: { limit: PAGE },
          signal,
          follow,
          onWait: report,
        });
        for await (const page of pages) {
          const events = await checkChanges(page.changes, options);
          const progress = {
            cursor: toCursor(page.position),
            checked_at: page.position.time,
            events: lease.state.events + events,
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
    await lease.release();
  }
}

/** Checks the alerts on the changed listings and their products. @returns the number of new events. */
async function checkChanges(changes: readonly Change[], options: WatchOptions): Promise<number> {
  const { es, indexPrefix, now } = options;
  if (changes.length === 0) return 0;
  const times = new Map(changes.map(({ id, at }) => [id, Date.parse(at)]));
  const groups = new Map<number, number>();
  for (const { listing, at } of changes) {
    if (listing === null) continue;
    const group = groupOf(listing);
    groups.set(group, Math.max(groups.get(group) ?? 0, Date.parse(at)));
  }
  const query = {
    bool: {
      filter: [
        { term: { state: 'active' } },
        {
          bool: {
            should: [
              { terms: { product_id: [...times.keys()] } },
              {
                bool: {
                  filter: [{ term: { scope: 'product' } }, { terms: { group_id: [...groups.keys()] } }],
                },
              },
            ],
          },
        },
      ],
      must_not: { range: { expires_at: { lte: now().toISOString() } } },
    },
  };
  // Alerts that were created or changed just before are found as well.
  await es.indices.refresh({ index: alertsIndex(indexPrefix) });
  let events = 0;
  let after: string | undefined;
  for (;;) {
    const { hits } = (
      await es.search<StoredAlert>({
        index: alertsIndex(indexPrefix),
        query,
        sort: [{ alert_id: 'asc' }],
        ...(after === undefined ? {} : { search_after: [after] }),
        size: PAGE,
        seq_no_primary_term: true,
        track_total_hits: false,
      })
    ).hits;
    const alerts = hits.flatMap(({ _source: alert, _seq_no = 0, _primary_term = 0 }): VersionedAlert[] =>
      alert === undefined ? [] : [{ alert, version: { if_seq_no: _seq_no, if_primary_term: _primary_term } }],
    );
    const offers = await offersOfAlerts(alerts, options);
    const checkOne = async (one: VersionedAlert): Promise<void> => {
      const { product_id, group_id } = one.alert;
      const at = Math.max(times.get(product_id) ?? 0, groups.get(group_id) ?? 0);
      const watchedBy = (alert: StoredAlert) => watchedOf(alert, offers);
      const check = { at, isFirst: false, watchedBy };
      const { fires } = await checkStoredAlert(one, check, { ...options, refresh: false });
      events += fires ? 1 : 0;
    };
    for (let at = 0; at < alerts.length; at += AT_ONCE)
      await Promise.all(alerts.slice(at, at + AT_ONCE).map(checkOne));
    if (events > 0) await es.indices.refresh({ index: alertEventsIndex(indexPrefix) });
    if (hits.length < PAGE) return events;
    after = alerts.at(-1)?.alert.alert_id;
  }
}

interface OffersOfAlerts {
  listings: ReadonlyMap<number, StoredListing>;
  groups: ReadonlyMap<number, readonly StoredListing[]>;
}

/** Reads the listings and the products that alerts watch, each once. */
async function offersOfAlerts(
  alerts: readonly VersionedAlert[],
  { es, products }: WatchOptions,
): Promise<OffersOfAlerts> {
  const ids = [...new Set(alerts.map(({ alert }) => alert.product_id))];
  const found = ids.length === 0 ? [] : await getStoredListings(es, products, ids, OFFER_FIELDS);
  const listings = new Map(found.flatMap((listing) => (listing === null ? [] : [[listing.id, listing]])));
  const groups = new Map<number, readonly StoredListing[]>();
  for (const { alert } of alerts) {
    const group = groupOfAlert(alert, listings);
    if (alert.scope === 'product' && !groups.has(group))
      groups.set(group, await offersOf(es, products, group));
  }
  return { listings, groups };
}

/** The current product group of an alert; the last known one if its listing was withdrawn. */
function groupOfAlert({ product_id, group_id }: StoredAlert, listings: OffersOfAlerts['listings']): number {
  const listing = listings.get(product_id);
  return listing === undefined ? group_id : groupOf(listing);
}

function watchedOf(alert: StoredAlert, { listings, groups }: OffersOfAlerts): Watched {
  const group_id = groupOfAlert(alert, listings);
  const listing = listings.get(alert.product_id);
  if (alert.scope === 'product') return { offers: groups.get(group_id) ?? [], group_id };
  return { offers: listing === undefined ? [] : [listing], group_id };
}
