// Chaos only (faults, 2 min): it sends thousands of webhooks to receivers that fail, and lets two days pass.
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { seededRandom } from '../../src/text/statistics.js';
import { deliverEvents } from '../../src/usecases/alerts/deliver-events.js';
import { createWebhookSender } from '../../src/usecases/alerts/send-webhook.js';
import { AlertStore, type StoredAlert } from '../../src/usecases/alerts/store.js';
import { connectEngine } from '../support/engine.js';
import { indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';
import {
  countPending,
  eventsOf,
  type Receiver,
  startReceiver,
  storeDueEvents,
} from '../support/webhook-receivers.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { storedIndex } from '../../src/platform/stored.js';

/** More events than one search for due events returns, so that those of one receiver could hide those of the others. */
const EVENTS = 300;
/** How much faster than real time passes, so that the retries of a day and a half take half a minute. */
const FASTER = 3_600;
const DEADLINE_MS = 5_000;
/** The receivers that answer late or never. */
const SLOW = ['silent', 'slow'];

describe('receivers of webhooks that fail', function () {
  this.timeout(600_000);
  const prefix = `${indexPrefix}-receivers`;
  const es = connectEngine();
  const random = seededRandom(33);
  const receivers: Record<string, Receiver> = {};
  const started = Date.now();
  const now = () => new Date(started + (Date.now() - started) * FASTER);

  before(async () => {
    await new AlertStore(es, prefix).ensureIndices();
    const good = await startReceiver((response) => void response.writeHead(204).end());
    Object.assign(receivers, {
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
    for (const [name, { url }] of Object.entries(receivers)) {
      // The events of the receivers that answer late or never have been due for longer.
      const since = new Date(started - (SLOW.includes(name) ? 60_000 : 0)).toISOString();
      await storeDueEvents(es, prefix, { name, url, since, count: EVENTS });
    }
  });
  after(async () => {
    for (const { server } of Object.values(receivers)) server?.close().closeAllConnections();
    await removeElasticsearchTraces(es, prefix);
    await es.close();
  });

  it('get every event at least once, or it is reported as given up', async () => {
    const { host } = new URL(receivers['good']?.url ?? '');
    const allowedHosts = Object.values(receivers).flatMap(({ url }) =>
      url.startsWith('http:') ? [new URL(url).host] : [],
    );
    assert.include(allowedHosts, host);
    const sender = createWebhookSender({
      targets: { webhookAllowedHosts: allowedHosts },
      resolve: (_name, _options, callback) => callback(null, [{ address: '10.0.0.1', family: 4 }]),
      deadlineMs: DEADLINE_MS,
    });
    const attempts = { delivered: 0, failed: 0, given_up: 0 };
    const run = () => {
      const end = new AbortController();
      const done = deliverEvents({
        store: new AlertStore(es, prefix),
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
    const { good, silent } = receivers as Record<'good' | 'silent', Receiver>;
    // The sending process ends in between, and another one continues.
    let stop = run();
    await until(() => good.received.size > EVENTS / 3);
    await stop();
    stop = run();
    await until(() => good.received.size === EVENTS);
    while ((await countPending(es, prefix)) > 0) await sleep(500);
    await stop();
    await sender.close();

    for (const [name, { received, requests }] of Object.entries(receivers)) {
      const outcomes = await eventsOf(es, prefix, name);
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
      const { _source: alert } = await es.get<StoredAlert>({
        index: storedIndex(prefix, 'alerts'),
        id: name,
      });
      const isLost = ['silent', 'redirecting', 'private'].includes(name);
      assert.strictEqual(alert?.state, isLost ? 'paused' : 'active', name);
      assert.strictEqual(delivered.length, isLost ? 0 : EVENTS, name);
    }
    assert.isBelow(silent.requests, 20 + 2 * 8, 'it is paused after 20 failures in a row');
    console.log(`  attempts: ${JSON.stringify(attempts)}`);
  });
});
