/** npm run alert-delay: measures how a developer's flood delays the alert of another; see --help. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { loadavg } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '@elastic/elasticsearch';
import { command } from '../scripts/shared/command.js';
import { catalogueOf, withEngine } from '../scripts/shared/engine.js';
import { needed, oneOf, preset, webUrl, wholeNumber } from '../scripts/shared/options.js';
import { start } from '../scripts/shared/start.js';
import { redisUrlOf, useKeys } from '../scripts/shared/use-keys.js';
import { listingId } from '../src/listing/identify.js';
import { createWebhookSender } from '../src/usecases/alerts/send-webhook.js';
import { AlertStore } from '../src/usecases/alerts/store.js';
import { watchAlerts } from '../src/usecases/alerts/watch-alerts.js';
import { alternately } from './benchmark/comparison.js';
import { createKeys } from './api-keys.js';
import { Random } from './sample-catalogue/random.js';

/** The conditions of the flood: one that fires at every write, and one that is checked at every write but never fires. */
const CONDITIONS = { fires: { any_price_change: true }, never: { price_below: '0.01', currency: 'SGD' } };

/** The number of listings that the flood watches. Each write of the flood changes all of them. */
const WATCHED = 10;
/** The pause for each write of a burst: a key may send thirty writes per minute. */
const PAUSE_MS = 1_500;
const GIVE_UP_MS = 60_000;

interface Events {
  items: { event_id: string }[];
}

/** The time, in ms, of each step between a change and the arrival of its event at the receiver. */
type Parts = Record<'read' | 'queue' | 'check' | 'write' | 'event' | 'webhook', number>;

export const main = command({
  name: 'alert-delay',
  about: `Measures how long after a price write the event of an alert can be read and its webhook arrives, with and without
a developer whose alerts are all touched by bursts of three to ten writes at once, thirty a minute, in alternation. It checks the alerts
itself, so npm run alerts must not run; the service at --url must share ELASTICSEARCH_URL, REDIS_URL and INDEX_PREFIX, and
have WEBHOOK_ALLOWED_HOSTS=127.0.0.1. It leaves its listings and alerts behind: use a catalogue that can be deleted.`,
  options: {
    url: needed(webUrl('the address of the service')),
    alerts: preset(wholeNumber('the number of alerts of the flood', { min: 1, max: 2_000 }), 2_000),
    condition: preset(oneOf(['fires', 'never'] as const, 'whether the alerts of the flood fire'), 'fires'),
    samples: preset(wholeNumber('the number of samples of each kind', { min: 1, max: 1_000 }), 15),
    seed: preset(wholeNumber('the seed of the random numbers', { min: 0, max: 2 ** 32 - 1 }), 1),
  },
  async run({ options: { url, alerts, condition, samples, seed } }, env, { out, signal }) {
    const random = new Random(seed);
    const run = `${Date.now()}`;
    await withEngine(env, async (engine) => {
      const { es, indexPrefix } = engine;
      const redisUrl = redisUrlOf(env) ?? '';
      const keyOf = async (owner: string) => {
        const [key] = await createKeys(redisUrl, indexPrefix, {
          count: 1,
          owner,
          scopes: [`write:${owner}`],
        });
        return key?.raw ?? '';
      };
      const client = (key: string) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        return async (path: string, body?: unknown): Promise<unknown> => {
          const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
          for (;;) {
            const response = await fetch(new URL(path, url), { headers, ...sent });
            const answer = await response.text();
            if (response.ok) return JSON.parse(answer);
            if (response.status !== 503) throw new Error(`${path}: ${response.status} ${answer}`);
            await sleep(1_000);
          }
        };
      };
      const [victimName, floodName] = [`victim_${run}`, `flood_${run}`];
      const victim = client(await keyOf(victimName));
      const flood = client(await keyOf(floodName));
      const received = new Map<string, number>();
      const receiver = createServer((request, response) => {
        received.set(String(request.headers['webhook-id']), performance.now());
        request.resume().on('end', () => response.writeHead(204).end());
      })
        .listen(0, '127.0.0.1')
        .unref();
      await once(receiver, 'listening');
      const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;

      let writes = 0;
      /** Writes listings with other prices than before. @returns their ids. */
      const write = async (as: typeof victim, source: string, count: number): Promise<number[]> => {
        const skus = Array.from({ length: count }, (_, sku) => String(sku));
        const listings = skus.map((sku) => ({
          source,
          sku,
          name: `Alert delay ${source} ${sku}`,
          price: `${10 + random.below(90)}.${String((writes += 1) % 100).padStart(2, '0')}`,
          currency: 'SGD',
        }));
        await as('/v1/listings', listings);
        return skus.map((sku) => listingId(source, sku, 0));
      };
      const watch = async (as: typeof victim, product_id: number, when: object): Promise<string> => {
        const wanted = { product_id, when, cooldown_s: 0, url: `${hook}/${product_id}` };
        return ((await as('/v1/alerts', wanted)) as { alert_id: string }).alert_id;
      };
      const [own = 0] = await write(victim, victimName, 1);
      const alert_id = await watch(victim, own, CONDITIONS.fires);
      // The alerts of the flood are copies of one, because creating them would exceed a rate limit.
      const store = new AlertStore(es, indexPrefix);
      const operations: object[] = [];
      for (const listing of await write(flood, floodName, WATCHED)) {
        const id = await watch(flood, listing, CONDITIONS[condition]);
        const alert = (await store.read(id))?.alert;
        for (let copy = 1; copy < alerts / WATCHED; copy += 1)
          operations.push(
            { create: { _id: `${id}_${copy}` } },
            { ...alert, alert_id: `${id}_${copy}`, url: `${hook}/${id}/${copy}` },
          );
      }
      if (operations.length > 0) await es.bulk({ index: store.alerts, operations, refresh: true });

      const ended = new AbortController();
      const webhooks = createWebhookSender({ targets: engine });
      let [events, refused] = [0, 0];
      const watching = watchAlerts({
        ...engine,
        cipher: null,
        listKeys: () => useKeys(env, (keys) => keys.list(new Date())),
        products: await catalogueOf(engine),
        signal: AbortSignal.any([signal, ended.signal]),
        follow: true,
        now: () => new Date(),
        send: webhooks.send,
        report: (line) => out.write(`${line}\n`),
        onChecked: (page) => (events += page.events),
      });
      watching.catch((error: unknown) => out.write(`${String(error)}\n`));
      await sleep(5_000);

      const times = timesOf(es, { own: String(own), alert_id });
      let last = '';
      const sample = async (): Promise<Parts> => {
        times.clear();
        const began = performance.now();
        await write(victim, victimName, 1);
        let id: string | undefined;
        while (id === undefined) {
          const query = last === '' ? '' : `?after=${last}`;
          const { items } = (await victim(`/v1/alerts/${alert_id}/events${query}`)) as Events;
          id = items.at(-1)?.event_id;
          if (performance.now() > began + GIVE_UP_MS) throw new Error('no event');
          if (id === undefined) await sleep(50);
        }
        const event = performance.now() - began;
        last = id;
        while (!received.has(id)) await sleep(5);
        const at = (name: string) => (times.get(name) ?? NaN) - began;
        const parts = {
          read: at('read'),
          queue: at('check') - at('read'),
          check: at('write') - at('check'),
          write: at('written') - at('write'),
          event,
          webhook: (received.get(id) ?? NaN) - began,
        };
        out.write(`${JSON.stringify(parts)}\n`);
        return parts;
      };
      const { alone, flooded } = await alternately(samples, {
        alone: async () => {
          await sleep(1_000 + random.below(1_000));
          return sample();
        },
        flooded: async () => {
          const count = 3 + random.below(8);
          const until = performance.now() + count * PAUSE_MS;
          const burst = Array.from({ length: count }, () =>
            write(flood, floodName, WATCHED).catch(() => (refused += 1)),
          );
          await sleep(random.below(1_500));
          const parts = await sample();
          await Promise.all(burst);
          await sleep(until - performance.now());
          return parts;
        },
      });
      ended.abort();
      await watching;
      await webhooks.close();
      receiver.close().closeAllConnections();
      out.write(
        `${alerts} alerts of the flood (${condition}), ${events} events, ${refused} writes refused, load ${loadavg()[0]?.toFixed(1)}\n`,
      );
      for (const [name, all] of Object.entries({ alone, flooded }))
        for (const part of ['read', 'queue', 'check', 'write', 'event', 'webhook'] as const) {
          const values = all.map((one) => one[part]).sort((a, b) => a - b);
          const quantile = (share: number) =>
            (values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN).toFixed(0);
          out.write(`  ${name} ${part}: ${[0.5, 0.95, 1].map(quantile).join(' / ')} ms\n`);
        }
    });
  },
});

/**
 * Notes the times of the requests to Elasticsearch that mark the steps of checking an alert: the change was read (`read`), the
 * alert was read (`check`), its event is being stored (`write`), and is stored (`written`).
 */
function timesOf(es: Client, { own, alert_id }: { own: string; alert_id: string }): Map<string, number> {
  const times = new Map<string, number>();
  const note = (name: string) => {
    if (!times.has(name)) times.set(name, performance.now());
  };
  es.diagnostic.on('request', (_error, result) => {
    const { path = '', body } = (result?.meta.request.params ?? {}) as { path?: string; body?: unknown };
    const text = typeof body === 'string' ? body : '';
    if (path.includes('-alerts/_search') && text.includes(own)) note('read');
    if (path.includes('-alerts/_mget') && text.includes(alert_id)) note('check');
    if (path.includes('-alerts/_bulk') && text.includes(alert_id)) note('write');
  });
  es.diagnostic.on('response', (_error, result) => {
    const { path = '', body } = (result?.meta.request.params ?? {}) as { path?: string; body?: unknown };
    if (path.includes('-alert-events/_bulk') && typeof body === 'string' && body.includes(alert_id))
      note('written');
  });
  return times;
}

await start(import.meta.url, main);
