import type { StoredEvent } from './store.js';

/** An event as clients receive it. */
export const eventBody = ({
  event_id,
  alert_id,
  type,
  timestamp,
  when,
  product,
  previous_price,
}: StoredEvent) => ({ event_id, type, timestamp, data: { alert_id, when, product, previous_price } });
