import { hash } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { getStoredListings } from '../../engine/documents.js';
import { rejectionStatus } from '../../engine/errors.js';
import { Lease } from '../../engine/lease.js';
import { checkAlert, observeOffers } from '../../listing/alerts.js';
import { formatInstant } from '../../listing/instant.js';
import { groupOf, type StoredListing } from '../../listing/listing.js';
import { formatUnits } from '../../listing/price.js';
import { type LinkSettings, toProduct } from '../../listing/product.js';
import {
  alertEventsIndex,
  alertsIndex,
  ensureAlertIndices,
  firstDelivery,
  readAlert,
  replaceAlert,
  type StoredAlert,
  type StoredEvent,
  type VersionedAlert,
} from '../shared/alerts/store.js';
import { OFFER_FIELDS, offersOf } from '../shared/alerts/watched-offers.js';
import type { Change } from '../shared/changes/change.js';
import { ChangeFeed, PositionError } from '../shared/changes/change-feed.js';
import { readCursor, toCursor } from '../shared/changes/cursor.js';
import { followChanges } from '../shared/changes/follow-changes.js';
import { ALERTS } from './alert-progress.js';
import { deliverEvents } from './deliver-events.js';
import type { SendWebhook } from './send-webhook.js';

/** The number of changes of a page, and of alerts that are read at once. */
const PAGE = 500;
const MAX_CONFLICTS = 20;

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
  // If the lease is lost or the engine is unavailable for long, the deliveries end as well.
  const ended = new AbortController();
  const deliver = () =>
    deliverEvents({
      ...options,
      signal: AbortSignal.any([signal, ended.signal]),
      onAttempt(outcome) {
        const { attempts } = lease.state;
        lease.note({ attempts: { ...attempts, [outcome]: attempts[outcome] + 1 } });
      },
    });
  const delivering = follow ? deliver().catch((error: unknown) => report(String(error))) : null;
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
        if (!follow) await deliver();
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
    await delivering;
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
    for (const one of alerts) {
      const { product_id, group_id } = one.alert;
      const at = Math.max(times.get(product_id) ?? 0, groups.get(group_id) ?? 0);
      events += (await checkOne(one, at, offers, options)) ? 1 : 0;
    }
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

/** Checks an alert, and stores its event and what it remembers. @returns whether it fired. */
async function checkOne(
  first: VersionedAlert,
  at: number,
  { listings, groups }: OffersOfAlerts,
  options: WatchOptions,
): Promise<boolean> {
  const { es, indexPrefix } = options;
  let current: VersionedAlert | null = first;
  for (let conflicts = 0; current !== null && conflicts < MAX_CONFLICTS; conflicts += 1) {
    const { alert, version }: VersionedAlert = current;
    if (alert.state !== 'active') return false;
    const group_id = groupOfAlert(alert, listings);
    const listing = listings.get(alert.product_id);
    const offers =
      alert.scope === 'product' ? (groups.get(group_id) ?? []) : listing === undefined ? [] : [listing];
    const observed = observeOffers(offers, alert, at);
    const { memory, fires } = checkAlert(alert, alert.memory, observed);
    // The event is stored first: if this process is killed in between, the next one finds the same event again.
    if (fires) await storeEvent(eventOf(alert, offers, { at, units: observed.units }, options), options);
    const isSame = JSON.stringify([memory, group_id]) === JSON.stringify([alert.memory, alert.group_id]);
    if (isSame || (await replaceAlert(es, indexPrefix, { alert: { ...alert, memory, group_id }, version })))
      return fires;
    current = await readAlert(es, indexPrefix, alert.alert_id);
  }
  return false;
}

function eventOf(
  alert: StoredAlert,
  offers: readonly StoredListing[],
  { at, units }: { at: number; units: number | null },
  { now, ...links }: LinkSettings & Pick<WatchOptions, 'now'>,
): StoredEvent {
  const { alert_id, key_id, when, memory, product_id, url } = alert;
  const best =
    offers.find(
      ({ price, currency }) => units !== null && currency === alert.currency && price === formatUnits(units),
    ) ??
    offers.find(({ id }) => id === product_id) ??
    offers[0];
  const timestamp = formatInstant(at);
  return {
    event_id: `ev_${hash('sha256', JSON.stringify([alert_id, timestamp, units]), 'hex').slice(0, 24)}`,
    alert_id,
    key_id,
    type: 'alert.fired',
    url,
    delivery: firstDelivery(url, formatInstant(now().getTime())),
    timestamp,
    when,
    product: best === undefined ? null : toProduct(best, links),
    previous_price: memory.units === null ? null : formatUnits(memory.units),
  };
}

async function storeEvent(event: StoredEvent, { es, indexPrefix }: WatchOptions): Promise<void> {
  const index = alertEventsIndex(indexPrefix);
  try {
    await es.create({ index, id: event.event_id, document: event, refresh: true });
  } catch (error) {
    // Status 409: an earlier run that was killed has stored the event already.
    if (rejectionStatus(error) !== 409) throw error;
  }
}
