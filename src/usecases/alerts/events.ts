import { randomBytes } from 'node:crypto';
import { formatInstant } from '../../listing/instant.js';
import type { StoredAlert, StoredEvent } from './store.js';

/** Where a new event is sent, and its delivery, which is null without a URL. */
export const firstDelivery = (
  url: string | null,
  now: string,
): Pick<StoredEvent, 'url' | 'host' | 'delivery'> => ({
  url,
  host: url === null || !URL.canParse(url) ? '' : new URL(url).host,
  delivery: url === null ? null : { state: 'pending', attempts: 0, next_at: now, error: null },
});

/** Returns an alert with its next event, stored together, so that each firing has exactly one event even if the process is killed. */
export function withEvent(
  alert: StoredAlert,
  event: Pick<StoredEvent, 'type' | 'timestamp' | 'product' | 'previous_price'>,
  now: Date,
): StoredAlert & { open_event: StoredEvent } {
  const { alert_id, developer_id, when, url, events } = alert;
  const event_id = `ev_${randomBytes(12).toString('hex')}`;
  const about = { event_id, number: events + 1, alert_id, developer_id, when };
  const open_event = { ...about, ...event, ...firstDelivery(url, formatInstant(now.getTime())) };
  return { ...alert, events: events + 1, open_event };
}

/** An event as clients receive it. */
export function eventBody(event: StoredEvent) {
  const { event_id, alert_id, type, timestamp, when, product, previous_price } = event;
  return { event_id, type, timestamp, data: { alert_id, when, product, previous_price } };
}
