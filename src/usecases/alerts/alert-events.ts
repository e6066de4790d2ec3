import { formatInstant, DAY_MS } from '../../listing/instant.js';
import { invalid } from '../../platform/errors.js';
import type { Caller, Context } from '../context.js';
import { alertEventsIndex, type StoredEvent } from '../shared/alerts/store.js';
import { ownAlert } from './manage-alerts.js';

/**
 * Returns the events of an alert after an event, the earliest first.
 * @throws ApiError 404 without such an alert, 422 if it has no such event.
 */
export async function listAlertEvents(
  context: Pick<Context, 'es' | 'config' | 'now'>,
  id: string,
  { after, limit = 100 }: { after?: string; limit?: number },
  caller: Pick<Caller, 'key'>,
) {
  const { es, config, now } = context;
  const { alert } = await ownAlert(context, id, caller);
  const index = alertEventsIndex(config.indexPrefix);
  const since = formatInstant(now().getTime() - config.changesRetentionDays * DAY_MS);
  const last =
    after === undefined ? null : await es.get<StoredEvent>({ index, id: after }, { ignore: [404] });
  if (last !== null && last._source?.alert_id !== alert.alert_id)
    throw invalid([
      { loc: ['query', 'after'], msg: 'Value error, not an event of this alert', type: 'value_error' },
    ]);
  const search_after = last?._source && [Date.parse(last._source.timestamp), last._source.event_id];
  const { hits } = await es.search<StoredEvent>({
    index,
    ignore_unavailable: true,
    query: {
      bool: { filter: [{ term: { alert_id: alert.alert_id } }, { range: { timestamp: { gte: since } } }] },
    },
    sort: [{ timestamp: 'asc' }, { event_id: 'asc' }],
    ...(search_after && { search_after }),
    size: limit + 1,
    track_total_hits: false,
  });
  const events = hits.hits.flatMap(({ _source }) => _source ?? []);
  return { body: { items: events.slice(0, limit).map(eventBody), has_more: events.length > limit } };
}

export const eventBody = ({ event_id, alert_id, timestamp, when, product, previous_price }: StoredEvent) => ({
  event_id,
  type: 'alert.fired' as const,
  timestamp,
  data: { alert_id, when, product, previous_price },
});
