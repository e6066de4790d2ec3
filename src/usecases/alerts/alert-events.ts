import { rejectionStatus } from '../../engine/errors.js';
import { formatInstant, DAY_MS } from '../../listing/instant.js';
import { ApiError, invalidValue, notFound, unavailable } from '../../platform/errors.js';
import type { Context } from '../context.js';
import { eventBody, firstDelivery, withEvent } from './events.js';
import { ownAlert, storeOf, type WithKey } from './manage-alerts.js';
import type { StoredAlert, StoredEvent } from './store.js';

const MAX_CONFLICTS = 5;

type EventsContext = Pick<Context, 'es' | 'config' | 'now'>;

/** Returns the events of an alert after the given one. @throws ApiError 404 without such an alert, 422 if it has no such event. */
export async function listAlertEvents(
  context: EventsContext,
  id: string,
  { after, limit = 100 }: { after?: string; limit?: number },
  caller: WithKey,
) {
  const { config, now } = context;
  const { alert_id } = (await ownAlert(context, id, caller)).alert;
  const { es, events: index } = storeOf(context);
  const since = formatInstant(now().getTime() - config.changesRetentionDays * DAY_MS);
  const last =
    after === undefined ? null : await es.get<StoredEvent>({ index, id: after }, { ignore: [404] });
  if (last !== null && last._source?.alert_id !== alert_id)
    throw invalidValue(['query', 'after'], 'not an event of this alert');
  const { hits } = await es.search<StoredEvent>({
    index,
    ignore_unavailable: true,
    query: { bool: { filter: [{ term: { alert_id } }, { range: { timestamp: { gte: since } } }] } },
    // Changes are checked out of the order of their times, so events are sorted by the order in which they were stored.
    sort: [{ number: 'asc' }, { event_id: 'asc' }],
    ...(last?._source && { search_after: [last._source.number, last._source.event_id] }),
    size: limit + 1,
    track_total_hits: false,
  });
  const events = hits.hits.flatMap(({ _source }) => _source ?? []);
  return {
    body: {
      items: events.slice(0, limit).map((event) => ({ ...eventBody(event), delivery: event.delivery })),
      has_more: events.length > limit,
    },
  };
}

/** Stores a test event. @throws ApiError 404 without such an alert, 409 without a URL, 429 after too many, 503 while others change it. */
export async function testAlert(context: EventsContext, id: string, caller: WithKey) {
  const { now } = context;
  const store = storeOf(context);
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const found = await ownAlert(context, id, caller);
    urlOf(found.alert);
    if (conflicts === 0) await checkTests(context, found.alert.developer_id);
    const [open = null] = await store.storeOpenEvents([found], true);
    if (open === null) continue;
    const test = { type: 'alert.test' as const, timestamp: formatInstant(now().getTime()) };
    const alert = withEvent(open.alert, { ...test, product: null, previous_price: null }, now());
    const stored = await store.replace({ alert, version: open.version }, false);
    if (stored === null) continue;
    await store.storeOpenEvents([stored], true);
    const { open_event: event } = alert;
    return { status: 202, body: { ...eventBody(event), delivery: event.delivery } };
  }
  throw unavailable();
}

/** Sends an event again. @throws ApiError 404 without such an alert or event, 409 without a URL, 503 if others keep changing the event. */
export async function redeliverEvent(
  context: EventsContext,
  { alert_id, event_id }: { alert_id: string; event_id: string },
  caller: WithKey,
) {
  const { alert } = await ownAlert(context, alert_id, caller);
  const url = urlOf(alert);
  const { es, events: index } = storeOf(context);
  const { _source: event } = await es.get<StoredEvent>({ index, id: event_id }, { ignore: [404] });
  if (event?.alert_id !== alert_id) throw notFound('Event not found');
  const sent = firstDelivery(url, formatInstant(context.now().getTime()));
  await es
    .update({ index, id: event_id, doc: sent, refresh: true, retry_on_conflict: MAX_CONFLICTS })
    .catch((error: unknown) => {
      throw rejectionStatus(error) === 409 ? unavailable() : error;
    });
  return { status: 202, body: { ...eventBody(event), delivery: sent.delivery } };
}

/** The maximum number of test events of a developer within a day. They are limited, because each is stored like other events. */
const TESTS_PER_DAY = 1_000;

/** @throws ApiError 429 if the developer has requested too many tests. */
async function checkTests(context: EventsContext, developer_id: string): Promise<void> {
  const { es, events: index } = storeOf(context);
  const timestamp = { gte: formatInstant(context.now().getTime() - DAY_MS) };
  const filter = [{ term: { developer_id } }, { term: { type: 'alert.test' } }, { range: { timestamp } }];
  const { count } = await es.count({ index, query: { bool: { filter } } });
  if (count >= TESTS_PER_DAY)
    throw new ApiError(429, `A developer may test alerts ${TESTS_PER_DAY} times a day`, {
      'Retry-After': '3600',
    });
}

function urlOf({ url }: StoredAlert): string {
  if (url !== null) return url;
  throw new ApiError(409, 'The alert has no URL: set one with PATCH /v1/alerts/{alert_id}');
}
