import { setTimeout as sleep } from 'node:timers/promises';
import { engineFailure } from '../../engine/errors.js';
import { formatInstant } from '../../listing/instant.js';
import type { AlertWork, AttemptOutcome } from './alert-progress.js';
import { eventBody } from './events.js';
import { MinuteCounts } from './event-budget.js';
import type { SendWebhook } from './send-webhook.js';
import type { StoredAlert, StoredEvent, WebhookDelivery } from './store.js';
import { openSecret } from './webhook-secrets.js';

/** The pauses in seconds before an event is sent again. After the last one it is given up. */
const RETRIES_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

/** The number of failures in a row, of all events of an alert, after which the alert is paused. */
const MAX_FAILURES = 20;

const POLL_MS = 1_000;
/** The pause after a request has ended, so that one search finds the next events for several requests that ended together. */
const SETTLE_MS = 50;
const PAGE = 200;
/**
 * The maximum number of concurrent requests to a URL, to a host, of a developer and in all. Half of each of the last three is for URLs
 * to which nothing is being sent, and half of a host for other developers, so that silent receivers delay no others.
 */
const LIMITS = { url: 4, host: 64, developer: 32, total: 512 };
/** The requests to one host within a minute, so that nobody floods it. A developer gets at most as many as are left after that. */
const PER_HOST_AND_MINUTE = 1_200;
const MAX_CONFLICTS = 20;

export interface DeliverOptions extends AlertWork {
  send: SendWebhook;
  onAttempt: (outcome: AttemptOutcome) => void;
  perHostAndMinute?: number;
}

/** Sends events to the URLs of their alerts, and again later if that fails. */
export async function deliverEvents(options: DeliverOptions): Promise<void> {
  const { store, signal, follow, now, perHostAndMinute = PER_HOST_AND_MINUTE } = options;
  const running = new Map<string, RunningAttempt>();
  const sent = new MinuteCounts();
  /** Errors other than failures of Elasticsearch. They occur in attempts that nobody awaits, and are thrown by the main loop. */
  const faults: unknown[] = [];
  const throwFault = () => {
    if (faults.length > 0) throw faults[0];
  };
  const busy = () => busyOf(running, spentOf(sent, perHostAndMinute, now().getTime()));
  /** The developers whose events filled earlier pages, until a page is not full, and the number of attempts since then. */
  let [served, started]: [Held[], number] = [[], 0];
  let news = new AbortController();
  store.onEvents = () => news.abort();
  while (!signal.aborted) {
    throwFault();
    news = new AbortController();
    const { all, held } = busy();
    const due = await dueEvents(options, running, { all, held: [...held, ...served] }).catch(
      (error: unknown) => {
        if (engineFailure(error) === null) throw error;
        return [];
      },
    );
    for (const event of due) {
      if (isBusy(event, busy())) continue;
      const { host, developer_id } = event;
      for (const receiving of [{ host }, { host, developer_id }])
        sent.add(JSON.stringify(receiving), now().getTime());
      const done = deliver(event, options)
        .catch((error: unknown) => {
          // An event whose outcome could not be stored is still due, and is sent again with the same id.
          if (engineFailure(error) === null) faults.push(error);
        })
        .finally(() => running.delete(event.event_id));
      running.set(event.event_id, { event, done });
      started += 1;
    }
    if (due.length === PAGE) {
      // The page may have no room for events of other developers, so the next search leaves these developers out.
      const developers = new Set(due.map(({ developer_id }) => developer_id));
      served.push(...[...developers].map((developer_id) => ({ developer_id })));
      continue;
    }
    if (!follow && started === 0 && running.size === 0) return throwFault();
    [served, started] = [[], 0];
    await untilOneIsDone(running, AbortSignal.any([signal, news.signal]));
  }
  await Promise.all([...running.values()].map(({ done }) => done));
  throwFault();
}

/** Waits until an event was sent and another one can be sent, until there are new events, or until the next poll. */
async function untilOneIsDone(running: ReadonlyMap<string, RunningAttempt>, news: AbortSignal) {
  const awake = new AbortController();
  const pause = sleep(POLL_MS, undefined, { signal: AbortSignal.any([news, awake.signal]) });
  await Promise.race([pause.catch(() => undefined), ...[...running.values()].map(({ done }) => done)]);
  awake.abort();
  await sleep(SETTLE_MS);
}

interface RunningAttempt {
  event: StoredEvent;
  done: Promise<void>;
}

/** The URL, the host or the developer for whose events no further request may begin now. */
type Held = Partial<Pick<StoredEvent, 'url' | 'host' | 'developer_id'>>;

/** The URLs, hosts and developers that have to wait; `all`: no request at all may begin now. */
interface Busy {
  all: boolean;
  held: Held[];
}

/** The hosts that may receive nothing more within their minute, from anybody or from one developer. */
function spentOf(sent: MinuteCounts, most: number, now: number): Held[] {
  const leftOf = ({ host }: Held) => most - sent.countOf(JSON.stringify({ host }), now);
  return sent.namesWith(1, now).flatMap((name) => {
    const held = JSON.parse(name) as Held;
    const own = held.developer_id === undefined ? 0 : sent.countOf(name, now);
    return leftOf(held) <= own ? [held] : [];
  });
}

function busyOf(running: ReadonlyMap<string, RunningAttempt>, spent: readonly Held[]): Busy {
  const events = [...running.values()].map(({ event }) => event);
  const urls = countBy(events, ({ url }) => url ?? '');
  const hosts = countBy(events, ({ host }) => host);
  const developers = countBy(events, ({ developer_id }) => developer_id);
  const isHalfFull = ({ host, developer_id }: StoredEvent) =>
    events.length >= LIMITS.total / 2 ||
    (hosts.get(host) ?? 0) >= LIMITS.host / 2 ||
    (developers.get(developer_id) ?? 0) >= LIMITS.developer / 2;
  const isHeld = (event: StoredEvent) => (urls.get(event.url ?? '') ?? 0) >= LIMITS.url || isHalfFull(event);
  return {
    all: events.length >= LIMITS.total,
    held: [
      ...spent,
      ...[...new Set(events.filter(isHeld).map(({ url }) => url))].map((url) => ({ url })),
      ...atLeast(hosts, LIMITS.host).map((host) => ({ host })),
      ...atLeast(developers, LIMITS.developer).map((developer_id) => ({ developer_id })),
    ],
  };
}

const isBusy = (event: StoredEvent, { all, held }: Busy): boolean =>
  all || held.some((one) => membersOf(one).every(([member, value]) => event[member] === value));

const membersOf = (held: Held) => Object.entries(held) as [keyof Held, string][];

function countBy(events: readonly StoredEvent[], of: (event: StoredEvent) => string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const event of events) counts.set(of(event), (counts.get(of(event)) ?? 0) + 1);
  return counts;
}

const atLeast = (counts: ReadonlyMap<string, number>, least: number): string[] =>
  [...counts].flatMap(([name, count]) => (count >= least ? [name] : []));

/** The events that are due, the earliest first, except those being sent and those whose URL, host or developer must wait. */
async function dueEvents(
  { store: { es, events: index }, now }: DeliverOptions,
  running: ReadonlyMap<string, RunningAttempt>,
  { all, held }: Busy,
): Promise<StoredEvent[]> {
  // If the delivery of an event ends during this search, the search has left the event out, and the next one finds it.
  const sent = [...running.keys()];
  // Clients that read events depend on this refresh, too.
  await es.indices.refresh({ index });
  if (all) return [];
  const filter = [
    { term: { 'delivery.state': 'pending' } },
    { range: { 'delivery.next_at': { lte: now().toISOString() } } },
  ];
  const waits = held.map((one) => ({
    bool: { filter: membersOf(one).map(([member, value]) => ({ term: { [member]: value } })) },
  }));
  const { hits } = await es.search<StoredEvent>({
    index,
    query: { bool: { filter, must_not: [{ ids: { values: sent } }, ...waits] } },
    sort: [{ 'delivery.next_at': 'asc' }, { event_id: 'asc' }],
    size: PAGE,
    track_total_hits: false,
  });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}

async function deliver(event: StoredEvent, options: DeliverOptions): Promise<void> {
  const { store, now, send, cipher, onAttempt } = options;
  const found = await store.read(event.alert_id);
  const url = found?.alert.url ?? null;
  if (found === null || url === null || found.alert.state === 'paused') {
    const error = found === null ? 'the alert was deleted' : 'the alert is paused or has no URL';
    await storeDelivery(event, { ...deliveryOf(event), state: 'given_up', next_at: null, error }, options);
    return;
  }
  const valid = found.alert.secrets.filter(
    ({ until }) => until === null || Date.parse(until) > now().getTime(),
  );
  const secrets = valid.flatMap(({ secret }) => openSecret(secret, event.alert_id, cipher) ?? []);
  const { event_id: id, ...body } = eventBody(event);
  // Receivers refuse messages without a signature, so without a readable secret nothing is sent.
  const error =
    secrets.length === 0
      ? 'the secret of the alert cannot be decrypted'
      : await send({ url, id, body: JSON.stringify(body), secrets, at: now() });
  const next = nextDelivery(deliveryOf(event).attempts, error, now());
  onAttempt(next.state === 'pending' ? 'failed' : next.state);
  await storeDelivery(event, next, options);
  await countFailure(event.alert_id, error, options);
}

const deliveryOf = ({ delivery }: StoredEvent): WebhookDelivery =>
  delivery ?? { state: 'pending', attempts: 0, next_at: null, error: null };

/** The state of a delivery after an attempt. @param error why the attempt failed; null if it did not. */
export function nextDelivery(attempts: number, error: string | null, now: Date): WebhookDelivery {
  const done = { attempts: attempts + 1, next_at: null, error };
  if (error === null) return { ...done, state: 'delivered' };
  const pause = error === GONE ? undefined : RETRIES_S[attempts];
  if (pause === undefined) return { ...done, state: 'given_up' };
  return { ...done, state: 'pending', next_at: formatInstant(now.getTime() + pause * 1_000) };
}

/** The error of a receiver that wants no further events. */
const GONE = 'HTTP 410';

async function storeDelivery(
  event: StoredEvent,
  delivery: WebhookDelivery,
  { store: { es, events: index } }: DeliverOptions,
): Promise<void> {
  // If clients keep requesting the event again, the outcome is not stored, and the event stays pending.
  const ignore = [404, 409];
  await es.update({ index, id: event.event_id, doc: { delivery }, retry_on_conflict: 3 }, { ignore });
}

/** Counts failures in a row, and pauses the alert of a receiver that fails too often or is gone. */
async function countFailure(id: string, error: string | null, { store }: DeliverOptions): Promise<void> {
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const found = await store.read(id);
    if (found === null) return;
    const { alert, version } = found;
    const failures = error === null ? 0 : alert.failures + 1;
    if (failures === alert.failures) return;
    const isPaused = error === GONE || failures >= MAX_FAILURES;
    const changed: StoredAlert = { ...alert, failures, state: isPaused ? 'paused' : alert.state };
    if ((await store.replace({ alert: changed, version }, false)) !== null) return;
  }
}
