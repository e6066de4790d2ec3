import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { firstDelivery } from '../../src/usecases/alerts/events.js';
import { AlertStore, type StoredAlert, type StoredEvent } from '../../src/usecases/alerts/store.js';
import { storedIndex } from '../../src/platform/stored.js';

/** A receiver of webhooks, and what it has received: the body of each event by its id. */
export interface Receiver {
  url: string;
  received: Map<string, string>;
  requests: number;
  server: Server | null;
}

/** Starts a receiver. @param answer what it does with a request once it has received it. */
export async function startReceiver(
  answer: (response: ServerResponse, request: IncomingMessage) => void,
): Promise<Receiver> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      receiver.requests += 1;
      const before = receiver.received.get(id);
      assert.isTrue(before === undefined || before === body, 'the same id has the same content');
      receiver.received.set(id, body);
      answer(response, request);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = { url: `http://127.0.0.1:${port}/`, received: new Map(), requests: 0, server };
  return receiver;
}

/** An active alert with a webhook, whose id is its name. */
export const alertOf = (name: string, more: Partial<StoredAlert> = {}): StoredAlert => ({
  alert_id: name,
  developer_id: name,
  key_id: name,
  product_id: 1,
  scope: 'listing',
  group_id: 1,
  offer_ids: [1],
  currency: 'SGD',
  when: { any_price_change: true },
  cooldown_s: 0,
  baseline_units: null,
  state: 'active',
  url: null,
  secrets: [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', until: null }],
  failures: 0,
  expires_at: null,
  created_at: '2026-01-01T00:00:00Z',
  fingerprint: name,
  memory: { units: null, in_stock: false, fired_at: null, was_false: true },
  events: 0,
  open_event: null,
  ...more,
});

/** Stores an alert and `count` events, `ev_NAME_0` and so on, which are due since a time. */
export async function storeDueEvents(
  es: Client,
  prefix: string,
  { name, url, since, count, developer = name }: DueEvents,
): Promise<void> {
  const alert = alertOf(name, { url, developer_id: developer });
  await new AlertStore(es, prefix).create(alert);
  const operations = Array.from({ length: count }, (_, i): [object, StoredEvent] => [
    { create: { _id: `ev_${name}_${i}` } },
    {
      event_id: `ev_${name}_${i}`,
      number: i + 1,
      alert_id: name,
      developer_id: developer,
      type: 'alert.fired',
      ...firstDelivery(url, since),
      timestamp: since,
      when: alert.when,
      product: null,
      previous_price: `${i}.00`,
    },
  ]);
  const { errors } = await es.bulk({
    index: storedIndex(prefix, 'alert-events'),
    operations: operations.flat(),
  });
  assert.isFalse(errors);
}

interface DueEvents {
  name: string;
  url: string;
  /** Since when the events are due, ISO 8601. */
  since: string;
  count: number;
  developer?: string;
}

/** Reads all events of an alert. */
export async function eventsOf(es: Client, prefix: string, alert_id: string): Promise<StoredEvent[]> {
  const index = storedIndex(prefix, 'alert-events');
  await es.indices.refresh({ index });
  const { hits } = await es.search<StoredEvent>({ index, query: { term: { alert_id } }, size: 10_000 });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}

/** The number of events that are still to be sent. */
export async function countPending(es: Client, prefix: string): Promise<number> {
  const index = storedIndex(prefix, 'alert-events');
  await es.indices.refresh({ index });
  return (await es.count({ index, query: { term: { 'delivery.state': 'pending' } } })).count;
}
