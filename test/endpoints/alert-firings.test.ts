import { Readable } from 'node:stream';
import { assert } from 'chai';
import { main as alerts } from '../../scripts/alerts.js';
import { checkStoredAlerts } from '../../src/usecases/alerts/check-alert.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { withEvent } from '../../src/usecases/alerts/events.js';
import { AlertStore } from '../../src/usecases/alerts/store.js';
import { readWatchedOf } from '../../src/usecases/alerts/watched-offers.js';
import { useApi } from '../support/api.js';
import { outputOf, run } from '../support/command.js';
import { groupListings, pluck, record } from '../support/listings.js';
import { until } from '../support/until.js';

/** The number of alerts that are created while the price of their listing falls. */
const RACES = 36;
const AT_ONCE = 6;

describe('each firing of an alert', () => {
  const raced = Array.from({ length: RACES }, (_, i) => record({ sku: `race-${i}`, price: '30.00' }));
  const others = ['a', 'b', 'c'].map((sku) => record({ sku, price: '30.00' }));
  const api = useApi([...others, ...raced]);
  const check = () => outputOf(alerts, api.prefix);
  /** Creates an alert, and repeats the request while the service is busy, which is answered with the same alert. */
  const created = async (body: Record<string, unknown>): Promise<string> => {
    const {
      status,
      text,
      body: alert,
    } = await until(async () => {
      const reply = await api.post('/v1/alerts', body);
      return reply.status === 503 ? null : reply;
    });
    assert.oneOf(status, [200, 201], text);
    return alert.alert_id as string;
  };
  const events = async (id: string, query = ''): Promise<any[]> =>
    (await api.ok(`/v1/alerts/${id}/events${query}`)).items;
  const store = () => new AlertStore(api.es, api.prefix);
  const stored = async (id: string) => {
    const found = await store().read(id);
    assert(found);
    return found;
  };
  const options = () => ({
    store: store(),
    products: api.products,
    now: () => new Date(),
    publicUrl: 'http://catalogue.example',
    affiliateTemplates: {},
  });
  before(check);

  it('does not count an offer that was renamed since it was linked', async () => {
    const names = { 'lamp-1': 'Solna desk lamp SL-20', 'lamp-2': 'SL-20 Solna lamp for desks' };
    await api.load(Object.entries(names).map(([sku, name]) => record({ sku, name, price: '30.00' })));
    await groupListings(api, Object.keys(names));
    const when = { price_below: '20', currency: 'SGD' };
    const product_id = await api.id('lamp-1');
    const id = await created({ product_id, when, scope: 'product', cooldown_s: 0 });
    const renamed = record({ sku: 'lamp-2', name: 'Solna shade for lamps', price: '9.00' });
    await api.load([renamed]);
    await check();
    assert.isEmpty(await events(id));
    await api.load([record({ sku: 'lamp-1', name: names['lamp-1'], price: '19.00' })]);
    await check();
    const [event, ...none] = await events(id);
    assert.isEmpty(none);
    assert.strictEqual(event.data.product.price, '19.00');
  });

  it('waits until a price below half of the usual one is seen again', async () => {
    const shops = ['shop_a', 'shop_b', 'shop_c', 'shop_d'];
    const heater = (source: string, price: string, more: Record<string, unknown> = {}) =>
      record({ sku: `heater-${source}`, source, name: 'Varmedal heater VH-90', price, ...more });
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    await api.load(shops.map((source, at) => heater(source, `${100 + at}.00`, { last_checked: ago(300) })));
    await groupListings(
      api,
      shops.map((source) => `heater-${source}`),
    );
    const when = { price_below: '60', currency: 'SGD' };
    const alerted = async (scope: string, sku: string) =>
      created({ product_id: await api.id(sku), when, scope, cooldown_s: 0 });
    const ids = [await alerted('product', 'heater-shop_a'), await alerted('listing', 'heater-shop_d')];
    /** Moves all loads of a listing but the last one into the past. */
    const earlierLoads = async (sku: string, minutes: number) => {
      const at = { index: api.products, id: String(await api.id(sku)) };
      const { _source } = await api.es.get<StoredListing>(at);
      const lineage = (_source?.internal.lineage ?? []).map((load, n, all) =>
        n === all.length - 1
          ? load
          : { ...load, at: new Date(Date.parse(load.at) - minutes * 60_000).toISOString() },
      );
      await api.es.update({ ...at, doc: { internal: { lineage } }, refresh: true });
    };
    const prices = async () =>
      Promise.all(ids.map(async (id) => pluck(await events(id), 'data').map(({ product }) => product.price)));
    const loadAs = async (run: string, one: Record<string, unknown>) => {
      const records = readFeed(Readable.from([Buffer.from(JSON.stringify(one))]));
      await loadRecords({ es: api.es, indexPrefix: api.prefix, records, run });
    };
    await loadAs('first', heater('shop_d', '27.00', { last_checked: ago(120) }));
    for (let times = 0; times < 2; times += 1) await check();
    assert.deepEqual(await prices(), [[], []]);
    await api.load([heater('shop_b', '55.00', { last_checked: ago(60) })]);
    await check();
    assert.deepEqual(await prices(), [['55.00'], []], 'other offers count meanwhile');
    await api.load([heater('shop_b', '90.00', { last_checked: ago(50) })]);
    await check();
    // Being seen again is no change, so the alert checks it of its own accord.
    await loadAs('second', heater('shop_d', '27.00', { last_checked: ago(30) }));
    await check();
    assert.deepEqual(await prices(), [['55.00'], []], 'the loads followed each other at once');
    await earlierLoads('heater-shop_d', 20);
    await check();
    assert.deepEqual(await prices(), [['55.00', '27.00'], ['27.00']]);
  });

  it('has one event, also if several processes check the alert at the same time', async () => {
    const when = { price_below: '20', currency: 'SGD' };
    const id = await created({ product_id: await api.id('a'), when, cooldown_s: 0 });
    await api.load([record({ sku: 'a', price: '15.00' })]);
    const first = await stored(id);
    const watched = await readWatchedOf(api.es, api.products, first.alert);
    const times = [1, 2, 3, 4].map((ms) => Date.now() + ms);
    const checks = times.map((at) => checkStoredAlerts([{ first, at, isFirst: false, watched }], options()));
    const fired = (await Promise.all(checks)).flat().filter(({ fires }) => fires);
    assert.lengthOf(fired, 1);
    assert.lengthOf(await events(id), 1);
  });

  it('has its event also if the process is killed before it has stored the event', async () => {
    const when = { any_price_change: true };
    const id = await created({ product_id: await api.id('b'), when, cooldown_s: 0 });
    const { alert, version } = await stored(id);
    const timestamp = new Date().toISOString();
    const event = { type: 'alert.fired', timestamp, product: null, previous_price: '15.00' } as const;
    const fired = withEvent(alert, event, new Date());
    assert(await store().replace({ alert: fired, version }, true));
    assert.deepEqual(await events(id), []);
    for (let i = 0; i < 2; i += 1) {
      await check();
      await api.es.indices.refresh({ index: `${api.prefix}-alert-events` });
      assert.deepEqual(pluck(await events(id), 'event_id'), [fired.open_event.event_id]);
    }
    assert.isNull((await stored(id)).alert.open_event);
  });

  it('follows the former one for a client that reads events after an event, whatever the times of the changes', async () => {
    const when = { any_price_change: true };
    const id = await created({ product_id: await api.id('c'), when, cooldown_s: 0 });
    const now = Date.now();
    for (const [price, at] of [
      ['16.00', now],
      ['17.00', now - 1_000],
      ['18.00', now - 1_000],
    ] as const) {
      const found = await stored(id);
      const { offers, group_id } = await readWatchedOf(api.es, api.products, found.alert);
      const watched = { offers: offers.map((offer) => ({ ...offer, price })), group_id };
      await checkStoredAlerts([{ first: found, at, isFirst: false, watched }], options());
    }
    const prices: string[] = [];
    for (let last = await events(id, '?limit=1'); last.length > 0;) {
      prices.push(last[0].data.product.price);
      last = await events(id, `?limit=1&after=${last[0].event_id}`);
    }
    assert.deepEqual(prices, ['16.00', '17.00', '18.00']);
  });

  it('has exactly one event if the price falls while the alert is being created', async () => {
    const end = new AbortController();
    const worker = run(alerts, ['--watch'], { env: { INDEX_PREFIX: api.prefix }, signal: end.signal });
    const when = { price_below: '20', currency: 'SGD' };
    const ids: string[] = [];
    for (let at = 0; at < RACES; at += AT_ONCE) {
      const now = raced.slice(at, at + AT_ONCE);
      const products = await Promise.all(now.map(({ sku }) => api.id(String(sku))));
      const [, ...alertIds] = await Promise.all([
        api.load(now.map((one) => ({ ...one, price: '15.00' }))),
        ...products.map((product_id) => created({ product_id, when })),
      ]);
      ids.push(...alertIds);
    }
    const index = `${api.prefix}-alert-events`;
    const eventIds = async (): Promise<string[]> => {
      await api.es.indices.refresh({ index });
      const query = { terms: { alert_id: ids } };
      const { hits } = await api.es.search<{ alert_id: string }>({ index, query, size: 1_000 });
      return hits.hits.map(({ _source }) => _source?.alert_id ?? '');
    };
    await until(async () => new Set(await eventIds()).size === RACES);
    end.abort();
    assert.strictEqual((await worker).code, 130);
    await check();
    assert.sameMembers(await eventIds(), ids);
  });
});
