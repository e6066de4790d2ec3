// Chaos only (faults, 2 min): it sends thousands of webhooks to receivers that fail, and lets two days pass.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { seededRandom } from '../../scripts/evaluation/statistics.js';
import { deliverEvents } from '../../src/usecases/alerts/deliver-events.js';
import { createWebhookSender } from '../../src/usecases/alerts/send-webhook.js';
import {
  alertEventsIndex,
  alertsIndex,
  createAlertDocument,
  ensureAlertIndices,
  firstDelivery,
  type StoredAlert,
  type StoredEvent,
} from '../../src/usecases/shared/alerts/store.js';
import { connectEngine } from '../support/engine.js';
import { indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';

/** More events than one search for due events returns, so that those of one receiver could hide those of the others. */
const EVENTS = 300;
/** How much faster than real time passes, so that the retries of a day and a half take half a minute. */
const FASTER = 3_600;
const DEADLINE_MS = 1_000;

/** What a receiver does with a request, and what it has received: the body of each event by its id. */
interface Receiver {
  url: string;
  received: Map<string, string>;
  requests: number;
  server: Server | null;
}

async function startReceiver(answer: (response: ServerResponse) => void): Promise<Receiver> {
  const server = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      const id = String(request.headers['webhook-id']);
      receiver.requests += 1;
      const before = receiver.received.get(id);
      assert.isTrue(before === undefined || before === body, 'the same id has the same content');
      receiver.received.set(id, body);
      answer(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const receiver: Receiver = { url: `http://127.0.0.1:${port}/`, received: new Map(), requests: 0, server };
  return receiver;
}

describe('receivers of webhooks that fail', function () {
  this.timeout(600_000);
  const prefix = `${indexPrefix}-receivers`;
  const es = connectEngine();
  const random = seededRandom(33);
  const receivers: Record<string, Receiver> = {};
  const started = Date.now();
  const now = () => new Date(started + (Date.now() - started) * FASTER);

  before(async () => {
    await ensureAlertIndices(es, prefix);
    const good = await startReceiver((response) => void response.writeHead(204).end());
    Object.assign(receivers, {
      // The slow receivers come first, so that their events are due before those of the others.
      silent: await startReceiver(() => undefined),
      slow: await startReceiver((response) => void sleep(400).then(() => response.writeHead(204).end())),
      flaky: await startReceiver((response) => {
        // The receiver has the event, but the service cannot know it.
        if (random() < 0.15) response.destroy();
        else response.writeHead(random() < 0.18 ? 500 : 200).end();
      }),
      redirecting: await startReceiver(
        (response) => void response.writeHead(307, { location: good.url }).end(),
      ),
      private: { url: 'https://intranet.example/', received: new Map(), requests: 0, server: null },
      good,
    } satisfies Record<string, Receiver>);
    for (const [name, { url }] of Object.entries(receivers)) await store(name, url);
    await es.indices.refresh({ index: alertEventsIndex(prefix) });
  });
  after(async () => {
    for (const { server } of Object.values(receivers)) server?.close().closeAllConnections();
    await removeElasticsearchTraces(es, prefix);
    await es.close();
  });

  const store = async (name: string, url: string): Promise<void> => {
    const when = { any_price_change: true } as const;
    const at = new Date(started).toISOString();
    await createAlertDocument(es, prefix, alertOf(name, url, at));
    const operations = Array.from({ length: EVENTS }, (_, i): [object, StoredEvent] => [
      { create: { _id: `ev_${name}_${i}` } },
      {
        event_id: `ev_${name}_${i}`,
        alert_id: name,
        developer_id: name,
        type: 'alert.fired',
        ...firstDelivery(url, at),
        timestamp: at,
        when,
        product: null,
        previous_price: `${i}.00`,
      },
    ]);
    const { errors } = await es.bulk({ index: alertEventsIndex(prefix), operations: operations.flat() });
    assert.isFalse(errors);
  };

  const outcomesOf = async (name: string): Promise<StoredEvent[]> => {
    await es.indices.refresh({ index: alertEventsIndex(prefix) });
    const query = { term: { alert_id: name } };
    const { hits } = await es.search<StoredEvent>({
      index: alertEventsIndex(prefix),
      query,
      size: EVENTS + 1,
    });
    return hits.hits.flatMap(({ _source }) => _source ?? []);
  };

  const pending = async (): Promise<number> => {
    await es.indices.refresh({ index: alertEventsIndex(prefix) });
    const query = { term: { 'delivery.state': 'pending' } };
    return (await es.count({ index: alertEventsIndex(prefix), query })).count;
  };

  it('delay no other receiver, and every event is delivered or reported as given up', async () => {
    const { host } = new URL(receivers['good']?.url ?? '');
    const allowedHosts = Object.values(receivers).flatMap(({ url }) =>
      url.startsWith('http:') ? [new URL(url).host] : [],
    );
    assert.include(allowedHosts, host);
    const sender = createWebhookSender({
      allowedHosts,
      resolve: (_name, _options, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]),
      deadlineMs: DEADLINE_MS,
    });
    const attempts = { delivered: 0, failed: 0, given_up: 0 };
    const run = () => {
      const end = new AbortController();
      const done = deliverEvents({
        es,
        indexPrefix: prefix,
        signal: end.signal,
        follow: true,
        now,
        send: sender.send,
        cipher: null,
        onAttempt: (outcome) => (attempts[outcome] += 1),
      });
      return async () => {
        end.abort();
        await done;
      };
    };
    const { good, slow, silent } = receivers as Record<'good' | 'slow' | 'silent', Receiver>;
    // The sending process ends in between, and another one continues.
    let stop = run();
    await until(() => good.received.size > EVENTS / 3);
    await stop();
    stop = run();
    await until(() => good.received.size === EVENTS);
    const slowThen = slow.received.size;
    while ((await pending()) > 0) await sleep(500);
    await stop();
    await sender.close();

    assert.isBelow(slowThen, EVENTS, 'the slow receiver was not awaited');
    for (const [name, { received, requests }] of Object.entries(receivers)) {
      const outcomes = await outcomesOf(name);
      assert.lengthOf(outcomes, EVENTS, name);
      const delivered = outcomes.filter(({ delivery }) => delivery?.state === 'delivered');
      const givenUp = outcomes.filter(({ delivery }) => delivery?.state === 'given_up');
      console.log(
        `  ${name}: ${delivered.length} delivered, ${givenUp.length} given up, ${requests} requests, ${received.size} events received`,
      );
      assert.strictEqual(delivered.length + givenUp.length, EVENTS, name);
      for (const { event_id } of delivered) assert.isTrue(received.has(event_id), `${event_id} was received`);
      for (const { delivery } of givenUp) assert.isString(delivery?.error, 'why it was given up');
      for (const id of received.keys()) assert.match(id, new RegExp(`^ev_${name}_`), 'only its own events');
      const { _source: alert } = await es.get<StoredAlert>({ index: alertsIndex(prefix), id: name });
      const isLost = ['silent', 'redirecting', 'private'].includes(name);
      assert.strictEqual(alert?.state, isLost ? 'paused' : 'active', name);
      assert.strictEqual(delivered.length, isLost ? 0 : EVENTS, name);
    }
    assert.isBelow(silent.requests, 20 + 2 * 8, 'it is paused after 20 failures in a row');
    console.log(`  attempts: ${JSON.stringify(attempts)}`);
  });
});

const alertOf = (name: string, url: string, at: string): StoredAlert => ({
  alert_id: name,
  developer_id: name,
  key_id: name,
  product_id: 1,
  scope: 'listing',
  group_id: 1,
  currency: 'SGD',
  when: { any_price_change: true },
  cooldown_s: 0,
  baseline_units: null,
  state: 'active',
  url,
  secrets: [{ secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', until: null }],
  failures: 0,
  expires_at: null,
  created_at: at,
  fingerprint: name,
  memory: { units: null, in_stock: false, fired_at: null, was_false: true },
});
