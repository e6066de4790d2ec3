import { randomBytes } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { formatInstant } from '../../listing/instant.js';
import {
  createEvents,
  firstDelivery,
  replaceAlerts,
  type StoredAlert,
  type StoredEvent,
  type VersionedAlert,
} from './store.js';

/**
 * Returns an alert with its next event, which is stored together with the alert. If the process is killed before the event
 * is stored on its own, another one finds it here, so that each firing has exactly one event.
 */
export function withEvent(
  alert: StoredAlert,
  event: Pick<StoredEvent, 'type' | 'timestamp' | 'product' | 'previous_price'>,
  now: Date,
): StoredAlert & { open_event: StoredEvent } {
  const { alert_id, developer_id, when, url, events } = alert;
  const open_event: StoredEvent = {
    event_id: `ev_${randomBytes(12).toString('hex')}`,
    number: events + 1,
    alert_id,
    developer_id,
    when,
    ...event,
    ...firstDelivery(url, formatInstant(now.getTime())),
  };
  return { ...alert, events: events + 1, open_event };
}

/**
 * Stores the events of alerts on their own, if they have one, and removes them from the alerts.
 * @param refresh whether searches must find the events and the alerts at once.
 * @returns the alerts without an event, in the same order; null where somebody else has changed or deleted the alert meanwhile.
 */
export async function storeOpenEvents(
  es: Client,
  indexPrefix: string,
  alerts: readonly VersionedAlert[],
  refresh = true,
): Promise<(VersionedAlert | null)[]> {
  const open = alerts.filter(({ alert }) => alert.open_event !== null);
  if (open.length === 0) return [...alerts];
  const events = open.flatMap(({ alert }) => alert.open_event ?? []);
  await createEvents(es, indexPrefix, events, refresh);
  const closed = open.map(({ alert, version }) => ({ alert: { ...alert, open_event: null }, version }));
  const stored = await replaceAlerts(es, indexPrefix, closed, refresh);
  const byId = new Map(open.map(({ alert }, i) => [alert.alert_id, stored[i] ?? null]));
  return alerts.map((one) => byId.get(one.alert.alert_id) ?? (one.alert.open_event === null ? one : null));
}

/** Stores the event of one alert, as `storeOpenEvents` does. */
export async function storeOpenEvent(
  es: Client,
  indexPrefix: string,
  versioned: VersionedAlert,
  refresh = true,
): Promise<VersionedAlert | null> {
  const [stored = null] = await storeOpenEvents(es, indexPrefix, [versioned], refresh);
  return stored;
}
