import { randomBytes } from 'node:crypto';
import type { Client } from '@elastic/elasticsearch';
import { rejectionStatus } from '../../engine/errors.js';
import { formatInstant } from '../../listing/instant.js';
import {
  alertEventsIndex,
  firstDelivery,
  replaceAlert,
  type StoredAlert,
  type StoredEvent,
  type VersionedAlert,
} from '../shared/alerts/store.js';

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
 * Stores the event of an alert on its own, if it has one, and removes it from the alert.
 * @param refresh whether searches must find the event and the alert at once.
 * @returns null if somebody else has changed or deleted the alert meanwhile.
 */
export async function storeOpenEvent(
  es: Client,
  indexPrefix: string,
  versioned: VersionedAlert,
  refresh = true,
): Promise<VersionedAlert | null> {
  const { alert, version } = versioned;
  const { open_event: event } = alert;
  if (event === null) return versioned;
  try {
    await es.create({ index: alertEventsIndex(indexPrefix), id: event.event_id, document: event, refresh });
  } catch (error) {
    // Status 409: another process has stored the event.
    if (rejectionStatus(error) !== 409) throw error;
  }
  return replaceAlert(es, indexPrefix, { alert: { ...alert, open_event: null }, version }, refresh);
}
