import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { engineFailure } from '../../engine/errors.js';
import { formatInstant } from '../../listing/instant.js';
import {
  alertEventsIndex,
  type Delivery,
  readAlert,
  replaceAlert,
  type StoredAlert,
  type StoredEvent,
} from '../shared/alerts/store.js';
import type { AttemptOutcome } from './alert-progress.js';
import { openSecret, type WebhookCipher } from '../shared/alerts/webhook-secrets.js';
import { eventBody } from './event-body.js';
import type { SendWebhook } from './send-webhook.js';

/** The pauses in seconds before an event is sent again. After the last one it is given up. */
const RETRIES_S = [5, 300, 1_800, 7_200, 18_000, 36_000, 36_000];

/** The number of failures in a row, of all events of an alert, after which the alert is paused. */
const MAX_FAILURES = 20;

const POLL_MS = 1_000;
/** The pause after an event was sent, so that one search finds the places of several. */
const SETTLE_MS = 50;
const PAGE = 200;
/** The number of requests at the same time: in all, and to one host and of one developer, so that slow hosts delay no others. */
const LIMITS = { total: 64, perHost: 4, perDeveloper: 8 };
const MAX_CONFLICTS = 20;

interface DeliverOptions {
  es: Client;
  indexPrefix: string;
  signal: AbortSignal;
  /** Whether to wait for further events. */
  follow: boolean;
  now: () => Date;
  send: SendWebhook;
  cipher: WebhookCipher;
  onAttempt: (outcome: AttemptOutcome) => void;
}

/** Sends events to the URLs of their alerts, and again later if that fails. */
export async function deliverEvents(options: DeliverOptions): Promise<void> {
  const { signal, follow } = options;
  const running = new Map<string, Running>();
  while (!signal.aborted) {
    // The search may find an event whose delivery ends meanwhile, and which must not be sent again.
    const before = new Set(running.keys());
    const due = await dueEvents(options, busyOf(running)).catch((error: unknown) => {
      if (engineFailure(error) === null) throw error;
      return [];
    });
    let started = 0;
    for (const event of due) {
      const { host, developer_id: developer } = event;
      const busy = busyOf(running);
      if (running.size >= LIMITS.total) break;
      if (before.has(event.event_id) || busy.hosts.includes(host) || busy.developers.includes(developer))
        continue;
      started += 1;
      const done = deliver(event, options)
        // An event whose outcome could not be stored is still due, and is sent again with the same id.
        .catch(() => undefined)
        .finally(() => running.delete(event.event_id));
      running.set(event.event_id, { host, developer, done });
    }
    if (!follow && started === 0 && running.size === 0) return;
    // With room for further events, the next ones are looked for at once as soon as one is done.
    const awake = new AbortController();
    const pause = sleep(POLL_MS, undefined, { signal: AbortSignal.any([signal, awake.signal]) });
    await Promise.race([pause.catch(() => undefined), ...[...running.values()].map(({ done }) => done)]);
    awake.abort();
    await sleep(SETTLE_MS);
  }
  await Promise.all([...running.values()].map(({ done }) => done));
}

/** An event that is being sent. */
interface Running {
  host: string;
  developer: string;
  done: Promise<void>;
}

/** The hosts and the developers for which no further request may begin now. */
function busyOf(running: ReadonlyMap<string, Running>): { hosts: string[]; developers: string[] } {
  const busy = (values: string[], most: number) => [
    ...new Set(values.filter((value) => values.filter((one) => one === value).length >= most)),
  ];
  const all = [...running.values()];
  return {
    hosts: busy(
      all.map(({ host }) => host),
      LIMITS.perHost,
    ),
    developers: busy(
      all.map(({ developer }) => developer),
      LIMITS.perDeveloper,
    ),
  };
}

/** The events that are due, the earliest first, without those that must wait because others are being sent. */
async function dueEvents(
  { es, indexPrefix, now }: DeliverOptions,
  { hosts, developers }: { hosts: string[]; developers: string[] },
): Promise<StoredEvent[]> {
  const index = alertEventsIndex(indexPrefix);
  await es.indices.refresh({ index });
  const { hits } = await es.search<StoredEvent>({
    index,
    query: {
      bool: {
        filter: [
          { term: { 'delivery.state': 'pending' } },
          { range: { 'delivery.next_at': { lte: now().toISOString() } } },
        ],
        must_not: [{ terms: { host: hosts } }, { terms: { developer_id: developers } }],
      },
    },
    sort: [{ 'delivery.next_at': 'asc' }, { event_id: 'asc' }],
    size: PAGE,
    track_total_hits: false,
  });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}

async function deliver(event: StoredEvent, options: DeliverOptions): Promise<void> {
  const { es, indexPrefix, now, send, cipher, onAttempt } = options;
  const found = await readAlert(es, indexPrefix, event.alert_id);
  const url = found?.alert.url ?? null;
  if (found === null || url === null || found.alert.state === 'paused') {
    const error = found === null ? 'the alert was deleted' : 'the alert is paused or has no URL';
    await store(event, { ...deliveryOf(event), state: 'given_up', next_at: null, error }, options);
    return;
  }
  const valid = found.alert.secrets.filter(
    ({ until }) => until === null || Date.parse(until) > now().getTime(),
  );
  const secrets = valid.flatMap(({ secret }) => openSecret(secret, event.alert_id, cipher) ?? []);
  const { event_id: id, ...body } = eventBody(event);
  // A receiver refuses a message without a signature, so none is sent.
  const error =
    secrets.length === 0
      ? 'the secret of the alert cannot be decrypted'
      : await send({ url, id, body: JSON.stringify(body), secrets, at: now() });
  const { attempts } = deliveryOf(event);
  const next = nextDelivery({ attempts, error, now: now() });
  onAttempt(next.state === 'pending' ? 'failed' : next.state);
  await store(event, next, options);
  await countFailure(event.alert_id, error, options);
}

const deliveryOf = ({ delivery }: StoredEvent): Delivery =>
  delivery ?? { state: 'pending', attempts: 0, next_at: null, error: null };

/** The state of a delivery after an attempt. @param error why the attempt failed; null if it did not. */
export function nextDelivery({
  attempts,
  error,
  now,
}: {
  attempts: number;
  error: string | null;
  now: Date;
}): Delivery {
  const done = { attempts: attempts + 1, next_at: null, error };
  if (error === null) return { ...done, state: 'delivered' };
  const pause = error === GONE ? undefined : RETRIES_S[attempts];
  if (pause === undefined) return { ...done, state: 'given_up' };
  return { ...done, state: 'pending', next_at: formatInstant(now.getTime() + pause * 1_000) };
}

/** The error of a receiver that wants no further events. */
const GONE = 'HTTP 410';

async function store(
  event: StoredEvent,
  delivery: Delivery,
  { es, indexPrefix }: DeliverOptions,
): Promise<void> {
  const index = alertEventsIndex(indexPrefix);
  await es.update({ index, id: event.event_id, doc: { delivery }, retry_on_conflict: 3 }, { ignore: [404] });
}

/** Counts failures in a row, and pauses the alert of a receiver that fails too often or is gone. */
async function countFailure(
  id: string,
  error: string | null,
  { es, indexPrefix }: DeliverOptions,
): Promise<void> {
  for (let conflicts = 0; conflicts < MAX_CONFLICTS; conflicts += 1) {
    const found = await readAlert(es, indexPrefix, id);
    if (found === null) return;
    const { alert, version } = found;
    const failures = error === null ? 0 : alert.failures + 1;
    if (failures === alert.failures) return;
    const isPaused = error === GONE || failures >= MAX_FAILURES;
    const changed: StoredAlert = { ...alert, failures, state: isPaused ? 'paused' : alert.state };
    if ((await replaceAlert(es, indexPrefix, { alert: changed, version }, false)) !== null) return;
  }
}
