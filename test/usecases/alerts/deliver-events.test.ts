// Chaos only (oracles, sampled): it delivers to hundreds of receivers.
import type { ServerResponse } from 'node:http';
import { assert } from 'chai';
import { deliverEvents } from '../../../src/usecases/alerts/deliver-events.js';
import { createWebhookSender } from '../../../src/usecases/alerts/send-webhook.js';
import { AlertStore } from '../../../src/usecases/alerts/store.js';
import { connectEngine } from '../../support/engine.js';
import { indexPrefix } from '../../support/services.js';
import { until } from '../../support/until.js';
import {
  countPending,
  eventsOf,
  type Receiver,
  startReceiver,
  storeDueEvents,
} from '../../support/webhook-receivers.js';
import { removeElasticsearchTraces } from '../../../tools/local-services/traces.js';

/** The receivers that answer nothing until the others have everything, and the number of events of each. */
const HELD = { developers: 70, urlsOfOne: 12, urlsOfFlood: 40, events: 12 };
const EVENTS = 60;

describe('sending events', () => {
  const prefix = `${indexPrefix}-deliver`;
  const es = connectEngine();
  const held: ServerResponse[] = [];
  const receivers: Receiver[] = [];
  let isHeld = true;
  before(() => new AlertStore(es, prefix).ensureIndices());
  after(async () => {
    for (const { server } of receivers) server?.close().closeAllConnections();
    await removeElasticsearchTraces(es, prefix);
    await es.close();
  });

  /** Starts a receiver that answers nothing at the paths `/held-N` as long as `isHeld` is set. */
  const start = async (): Promise<Receiver> => {
    const receiver = await startReceiver((response, { url = '' }) => {
      if (isHeld && url.startsWith('/held')) held.push(response);
      else response.writeHead(204).end();
    });
    receivers.push(receiver);
    return receiver;
  };

  it('is not delayed by receivers that do not answer, whosever they are and whatever their number', async () => {
    const at = Date.now();
    // What is not answered has been due for longer, and fills several pages of the search for due events.
    const due = { held: new Date(at - 60_000).toISOString(), others: new Date(at).toISOString() };
    const names: string[] = [];
    const store = (name: string, receiver: Receiver, path: string, developer = name) => {
      const [since, count] = path.startsWith('held') ? [due.held, HELD.events] : [due.others, EVENTS];
      names.push(name);
      return storeDueEvents(es, prefix, { name, url: `${receiver.url}${path}`, since, count, developer });
    };
    const [shared, own] = [await start(), await start()];
    for (let i = 0; i < HELD.developers; i += 1) await store(`held-${i}`, await start(), 'held');
    for (let i = 0; i < HELD.urlsOfOne; i += 1) await store(`busy-${i}`, shared, `held-${i}`, 'busy');
    for (let i = 0; i < HELD.urlsOfFlood; i += 1) await store(`flood-${i}`, shared, `held-f${i}`, 'flood');
    await store('other', own, '');
    await store('same-host', shared, 'other');
    await store('same-developer', own, 'of-busy', 'busy');

    const sender = createWebhookSender({
      targets: { webhookAllowedHosts: ['127.0.0.1'] },
      deadlineMs: 600_000,
    });
    const end = new AbortController();
    const attempts = { delivered: 0, failed: 0, given_up: 0 };
    const done = deliverEvents({
      store: new AlertStore(es, prefix),
      signal: end.signal,
      follow: true,
      now: () => new Date(),
      send: sender.send,
      cipher: null,
      onAttempt: (outcome) => (attempts[outcome] += 1),
    });
    const received = (receiver: Receiver, name: string) =>
      [...receiver.received.keys()].filter((id) => id.startsWith(`ev_${name}_`)).length;
    for (const [receiver, name] of [
      [own, 'other'],
      [shared, 'same-host'],
      [own, 'same-developer'],
    ] as const)
      await until(() => received(receiver, name) === EVENTS);
    assert.isAbove(held.length, HELD.developers, 'the receivers do not answer');
    assert.strictEqual(attempts.delivered, 3 * EVENTS);

    isHeld = false;
    for (const response of held) response.writeHead(204).end();
    await until(async () => (await countPending(es, prefix)) === 0);
    end.abort();
    await done;
    await sender.close();
    for (const name of names)
      for (const { event_id, delivery } of await eventsOf(es, prefix, name))
        assert.deepInclude(delivery, { state: 'delivered', attempts: 1 }, event_id);
    const total = HELD.events * (HELD.developers + HELD.urlsOfOne + HELD.urlsOfFlood) + 3 * EVENTS;
    assert.deepEqual(attempts, { delivered: total, failed: 0, given_up: 0 });
    assert.strictEqual(
      receivers.reduce((sum, { requests }) => sum + requests, 0),
      total,
      'each event is sent once',
    );
  });

  it('serves each developer in turn, although another one has many more events, and earlier ones', async () => {
    const since = (ms: number) => new Date(Date.now() - ms).toISOString();
    for (let i = 0; i < 10; i += 1)
      await storeDueEvents(es, prefix, {
        name: `many-${i}`,
        url: `https://hooks.example/${i}`,
        since: since(60_000),
        count: 60,
        developer: 'many',
      });
    const url = 'https://shop.example/';
    await storeDueEvents(es, prefix, { name: 'few', url, since: since(1_000), count: 1, developer: 'few' });
    const sent: string[] = [];
    await deliverEvents({
      store: new AlertStore(es, prefix),
      signal: new AbortController().signal,
      follow: false,
      now: () => new Date(),
      send: ({ id }) => {
        sent.push(id);
        return Promise.resolve(null);
      },
      cipher: null,
      onAttempt: () => undefined,
    });
    assert.lengthOf(sent, 601);
    assert.isBelow(sent.indexOf('ev_few_0'), 100);
  });

  it('ends with an error of the program, and does not repeat the event for ever', async () => {
    const url = (await start()).url;
    await storeDueEvents(es, prefix, {
      name: 'fault',
      url,
      since: new Date().toISOString(),
      count: 1,
      developer: 'f',
    });
    const faulty = deliverEvents({
      store: new AlertStore(es, prefix),
      signal: new AbortController().signal,
      follow: true,
      now: () => new Date(),
      send: () => Promise.reject(new TypeError('a fault of the program')),
      cipher: null,
      onAttempt: () => undefined,
    });
    const thrown = await faulty.then(
      () => null,
      (error: unknown) => error,
    );
    assert.instanceOf(thrown, TypeError);
  });

  it('sends one host only so many events within a minute, whosever they are', async () => {
    isHeld = false;
    const [flooded, other] = [await start(), await start()];
    let clock = Date.now();
    const since = new Date(clock).toISOString();
    for (const [name, receiver, developer] of [
      ['flood-a', flooded, 'a'],
      ['flood-b', flooded, 'b'],
      ['later', flooded, 'd'],
      ['calm', other, 'c'],
    ] as const) {
      const count = name === 'later' ? 1 : 6;
      await storeDueEvents(es, prefix, { name, url: receiver.url, since, count, developer });
    }
    const sender = createWebhookSender({ targets: { webhookAllowedHosts: ['127.0.0.1'] } });
    const sendDue = () =>
      deliverEvents({
        store: new AlertStore(es, prefix),
        signal: new AbortController().signal,
        follow: false,
        now: () => new Date(clock),
        send: sender.send,
        cipher: null,
        onAttempt: () => undefined,
        perHostAndMinute: 8,
      });
    await sendDue();
    assert.deepEqual([flooded.requests, other.requests], [7, 4]);
    const of = (name: string) => [...flooded.received.keys()].filter((id) => id.startsWith(`ev_${name}_`));
    // Each sends at most as many as are left after that, so that two cannot keep a third one out.
    assert.deepEqual(
      ['flood-a', 'flood-b', 'later'].map((name) => of(name).length),
      [4, 2, 1],
    );
    clock += 60_000;
    await sendDue();
    assert.deepEqual([flooded.requests, other.requests], [12, 6]);
    await sender.close();
  });
});
