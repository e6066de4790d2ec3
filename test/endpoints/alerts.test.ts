import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { main as alerts } from '../../scripts/alerts.js';
import { main as keys } from '../../scripts/keys.js';
import { EventBudget } from '../../src/usecases/alerts/event-budget.js';
import { keepUp } from '../../src/usecases/alerts/keep-up.js';
import { AlertStore } from '../../src/usecases/alerts/store.js';
import { type Api, useApi } from '../support/api.js';
import { type Outcome, outputOf, run } from '../support/command.js';
import { groupListings, pluck, record } from '../support/listings.js';
import { until } from '../support/until.js';

describe('alerts', () => {
  const api = useApi([
    record({ sku: 'a', price: '30.00', is_available: true }),
    record({ sku: 'b', price: '28.00', source: 'shop_b', is_available: true }),
    record({ sku: 'c', price: '30.00', is_available: true }),
    record({ sku: 'none', price: null }),
    record({ sku: 'd', price: '22.500', currency: 'KWD', is_available: true }),
    record({ sku: 'e', price: '21.000', currency: 'KWD', source: 'shop_b', is_available: true }),
  ]);
  let [a, c] = [0, 0];
  const check = () => outputOf(alerts, api.prefix);
  const create = async (body: Record<string, unknown>) => api.post('/v1/alerts', { product_id: a, ...body });
  const change = (id: string, body: unknown) =>
    api.get(`/v1/alerts/${id}`, { method: 'PATCH', body: JSON.stringify(body) });
  const created = async (body: Record<string, unknown>): Promise<string> => {
    const { status, text, body: alert } = await create(body);
    assert.strictEqual(status, 201, text);
    return alert.alert_id as string;
  };
  const prices = async (id: string): Promise<unknown[]> => {
    const { items } = await api.ok(`/v1/alerts/${id}/events`);
    return items.map(({ data }: any) => [data.previous_price, data.product?.price]);
  };
  const load = async (sku: string, price: string | null, more: Record<string, unknown> = {}) => {
    await api.load([record({ sku, price, is_available: true, ...more })]);
    await check();
  };
  before(async () => {
    [a, c] = [await api.id('a'), await api.id('c')];
    await groupListings(api, ['a', 'b']);
    await groupListings(api, ['d', 'e']);
    await check();
  });

  it('fires once below a price, with the listing and the price before', async () => {
    const id = await created({ when: { price_below: '20', currency: 'SGD' } });
    await load('a', '25.00');
    assert.deepEqual(await prices(id), []);
    await load('a', '15.00');
    await load('a', '14.00');
    assert.deepEqual(await prices(id), [['25.00', '15.00']]);
    const { last_fired_at, state } = await api.ok(`/v1/alerts/${id}`);
    assert.isString(last_fired_at);
    assert.strictEqual(state, 'active');
    await load('a', '30.00');
  });

  it('fires for each change without a cooldown, and lists events after an event', async () => {
    const id = await created({ when: { any_price_change: true }, cooldown_s: 0 });
    await load('a', '31.00');
    await load('a', '31.00');
    await load('a', '30.00');
    assert.deepEqual(await prices(id), [
      ['30.00', '31.00'],
      ['31.00', '30.00'],
    ]);
    const { items, has_more } = await api.ok(`/v1/alerts/${id}/events?limit=1`);
    assert.isTrue(has_more);
    const later = await api.ok(`/v1/alerts/${id}/events?after=${items[0].event_id}`);
    assert.deepEqual(pluck(later.items, 'type'), ['alert.fired']);
    assert.strictEqual((await api.get(`/v1/alerts/${id}/events?after=none`)).status, 422);
  });

  it('fires at once if the price is low enough already, and again only after it was not', async () => {
    const when = { price_below: '30.01', currency: 'SGD' };
    const id = await created({ product_id: c, when, cooldown_s: 0 });
    assert.deepEqual(await prices(id), [[null, '30.00']]);
    assert.isString((await api.ok(`/v1/alerts/${id}`)).last_fired_at);
    await load('c', '29.00');
    await load('c', '31.00');
    await load('c', '30.00');
    assert.deepEqual(await prices(id), [
      [null, '30.00'],
      ['31.00', '30.00'],
    ]);
    await change(id, { state: 'paused' });
    await load('c', '31.00');
    assert.deepInclude((await change(id, { state: 'active' })).body, { state: 'active', cooldown_s: 0 });
    assert.lengthOf(await prices(id), 2);
    await load('c', '32.00');
    await change(id, { state: 'paused' });
    await load('c', '30.00');
    await change(id, { state: 'active' });
    assert.deepEqual((await prices(id)).slice(2), [[null, '30.00']]);
    for (const event of [{ new_low: '30d' }, { back_in_stock: true }])
      assert.deepEqual(
        await prices(await created({ product_id: c, when: event })),
        [],
        JSON.stringify(event),
      );
  });

  it('does not count what happened while it was paused as an event', async () => {
    const id = await created({ product_id: c, when: { new_low: 'ever' }, cooldown_s: 0 });
    await change(id, { state: 'paused' });
    await load('c', '9.00');
    await change(id, { state: 'active' });
    await load('c', '9.00', { description: 'the same price' });
    assert.deepEqual(await prices(id), []);
    await load('c', '8.90');
    assert.deepEqual(await prices(id), [['9.00', '8.90']]);
    await load('c', '30.00');
  });

  it('watches the lowest price of all listings of a product', async () => {
    const id = await created({ scope: 'product', when: { price_below: '20.00', currency: 'SGD' } });
    await load('b', '19.00', { source: 'shop_b' });
    assert.deepEqual(await prices(id), [['28.00', '19.00']]);
    await load('b', '28.00', { source: 'shop_b' });
  });

  it('fires when the product is back in stock, at a new low, and for a drop', async () => {
    const stock = await created({ when: { back_in_stock: true } });
    const low = await created({ when: { new_low: '30d' } });
    const drop = await created({ when: { drop_pct: 50 } });
    await load('a', '30.00', { is_available: false });
    await load('a', '30.00');
    assert.lengthOf(await prices(stock), 1);
    await load('a', '16.00');
    assert.deepEqual([await prices(low), await prices(drop)], [[], []]);
    await load('a', '13.00');
    assert.deepEqual([await prices(low), await prices(drop)], [[['16.00', '13.00']], [['16.00', '13.00']]]);
    await load('a', '30.00');
  });

  it('does not check a paused alert, and forgets earlier events with a new condition', async () => {
    const id = await created({ when: { price_below: '12.00', currency: 'SGD' } });
    assert.strictEqual((await change(id, { state: 'paused' })).body.state, 'paused');
    await load('a', '11.00');
    assert.deepEqual(await prices(id), []);
    const when = { price_below: '11.50', currency: 'SGD' };
    const { body } = await change(id, { state: 'active', when, cooldown_s: 60 });
    assert.deepInclude(body, { state: 'active', when, cooldown_s: 60 });
    assert.deepEqual(await prices(id), [[null, '11.00']]);
    await load('a', '30.00');
  });

  it('keeps its cooldown if its condition is changed', async () => {
    const below = (price_below: string) => ({ when: { price_below, currency: 'SGD' } });
    const id = await created({ product_id: c, ...below('31.00'), cooldown_s: 3_600 });
    assert.lengthOf(await prices(id), 1);
    assert.strictEqual((await change(id, below('32.00'))).status, 200);
    await load('c', '29.00');
    assert.lengthOf(await prices(id), 1);
    assert.strictEqual((await change(id, { ...below('33.00'), cooldown_s: 0 })).status, 200);
    assert.lengthOf(await prices(id), 2);
    await load('c', '30.00');
  });

  it('does not fire for changed conditions once the events of a developer in a minute are used up', async () => {
    const headers = { authorization: `Bearer ${await api.key('free', 'changing')}` };
    const below = (i: number) => ({ when: { price_below: String(100 + i), currency: 'SGD' }, cooldown_s: 0 });
    const sent = (path: string, method: string, body: unknown) =>
      api.get(path, { method, headers, body: JSON.stringify(body) });
    const { alert_id } = (await sent('/v1/alerts', 'POST', { product_id: c, ...below(0) })).body;
    const answers = [];
    for (let i = 1; i <= 65; i += 1) answers.push(await sent(`/v1/alerts/${alert_id}`, 'PATCH', below(i)));
    assert.deepEqual(pluck(answers, 'status'), [...Array(59).fill(200), ...Array(6).fill(429)]);
    assert.strictEqual(answers.at(-1)?.headers.get('retry-after'), '60');
    const { items } = (await api.get(`/v1/alerts/${alert_id}/events?limit=100`, { headers })).body;
    assert.lengthOf(items, 60);
    assert.strictEqual((await sent(`/v1/alerts/${alert_id}`, 'PATCH', { cooldown_s: 60 })).status, 200);
  });

  it('shows the cheapest offer of a product in a currency with three decimals', async () => {
    const when = { price_below: '22', currency: 'KWD' };
    const id = await created({ product_id: await api.id('d'), scope: 'product', when });
    assert.deepEqual(await prices(id), [[null, '21.000']]);
  });

  it('answers the same alert again with the first one, lists and deletes alerts', async () => {
    const when = { price_below: '5.00', currency: 'SGD' };
    const id = await created({ when });
    const again = await create({ when, cooldown_s: 5 });
    assert.deepEqual([again.status, again.body.alert_id], [200, id]);
    for (const price_below of ['5', '5.0']) {
      const written = await create({ when: { ...when, price_below } });
      assert.deepEqual([written.status, written.body.alert_id], [200, id]);
      await change(id, { when: { ...when, price_below: '5.000' } });
    }
    const other = { when: { price_below: '3.75', currency: 'SGD' } };
    const atOnce = await Promise.all(Array.from({ length: 5 }, () => create(other)));
    assert.deepEqual(pluck(atOnce, 'status').toSorted(), [200, 200, 200, 200, 201]);
    assert.lengthOf(new Set(atOnce.map(({ body }) => body.alert_id)), 1);
    const { items, total } = await api.ok('/v1/alerts?limit=1000');
    assert.lengthOf(items, total);
    assert.include(pluck(items, 'alert_id'), id);
    assert.strictEqual((await api.get(`/v1/alerts/${id}`, { method: 'DELETE' })).status, 204);
    assert.strictEqual((await api.get(`/v1/alerts/${id}`)).status, 404);
    assert.strictEqual((await create({ when })).status, 201);
  });

  it('is checked by one of several processes, and by another one when that one ends', async () => {
    const id = await created({
      product_id: await api.id('b'),
      when: { any_price_change: true },
      cooldown_s: 0,
    });
    const alive = path.join(mkdtempSync(path.join(tmpdir(), 'alive-')), 'alive');
    const env = { INDEX_PREFIX: api.prefix };
    const ends = [new AbortController(), new AbortController()] as const;
    const first = run(alerts, ['--watch', '--alive', alive], { env, signal: ends[0].signal });
    await until(() => existsSync(alive));
    await api.load([record({ sku: 'b', price: '27.50', source: 'shop_b' })]);
    await until(async () => (await prices(id)).length === 1);
    let reported = '';
    const onError = (text: string) => (reported += text);
    const second = run(alerts, ['--watch'], { env, signal: ends[1].signal, onError });
    await until(() => /Another alerts is at work.* Waiting\.$/m.test(reported));
    await interrupt(first, ends[0]);
    await api.load([record({ sku: 'b', price: '28.00', source: 'shop_b' })]);
    await until(async () => (await prices(id)).length === 2);
    await interrupt(second, ends[1]);
    rmSync(path.dirname(alive), { recursive: true });
  });

  it('keeps the alerts of a key from all others', async () => {
    const id = await created({ when: { price_below: '4.00', currency: 'SGD' } });
    const headers = { authorization: `Bearer ${await api.key('premium', 'other')}` };
    for (const [path, method] of [
      ['', 'GET'],
      ['', 'DELETE'],
      ['/events', 'GET'],
    ] as const)
      assert.strictEqual((await api.open(`/v1/alerts/${id}${path}`, { method, headers })).status, 404);
    const patched = await api.open(`/v1/alerts/${id}`, {
      method: 'PATCH',
      headers,
      body: '{"state":"paused"}',
    });
    assert.strictEqual(patched.status, 404);
    assert.strictEqual((await api.open('/v1/alerts', { headers })).body.total, 0);
  });

  it('removes the URL and the time of expiry if a change sets them to null', async () => {
    const url = 'https://hooks.example.com/prices';
    const expires_at = '2099-01-01T00:00:00Z';
    const id = await created({ when: { price_below: '2.00', currency: 'SGD' }, url, expires_at });
    const { body: same } = await change(id, { state: null, when: null, cooldown_s: null });
    assert.deepInclude(same, { url, expires_at, state: 'active', cooldown_s: 86_400 });
    const { body: cleared } = await change(id, { url: null, expires_at: null });
    assert.deepInclude(cleared, { url: null, expires_at: null });
    assert.deepEqual(await api.ok(`/v1/alerts/${id}`), cleared);
    assert.strictEqual((await api.post(`/v1/alerts/${id}/test`, '')).status, 409);
  });

  it('sends nothing without a URL', async () => {
    const id = await created({ product_id: c, when: { price_below: '30.02', currency: 'SGD' } });
    const [{ event_id: eventId }] = (await api.ok(`/v1/alerts/${id}/events`)).items;
    for (const path of ['test', `events/${eventId}/redeliver`]) {
      const { status, body } = await api.post(`/v1/alerts/${id}/${path}`, '');
      assert.deepEqual(
        [status, body.detail],
        [409, 'The alert has no URL: set one with PATCH /v1/alerts/{alert_id}'],
        path,
      );
    }
    assert.lengthOf(await prices(id), 1);
  });

  it('refuses what cannot be watched', async () => {
    const status = async (body: Record<string, unknown>) => (await create(body)).status;
    const when = { price_below: '5.00', currency: 'SGD' };
    for (const product_id of [1, 0, -1]) assert.strictEqual(await status({ when, product_id }), 404);
    for (const wrong of [
      {},
      { ...when, drop_pct: 5 },
      { price_below: '5.00' },
      { drop_pct: 10, currency: 'SGD' },
      { price_below: '-5', currency: 'SGD' },
      { price_below: '5.00', currency: 'MYR' },
      { drop_pct: 91 },
      { drop_pct: 1.5 },
      { new_low: '7d' },
      { back_in_stock: false },
      { unknown: true },
    ])
      assert.strictEqual(await status({ when: wrong }), 422, JSON.stringify(wrong));
    assert.strictEqual(await status({ when: { drop_pct: 10 }, product_id: await api.id('none') }), 422);
    assert.strictEqual(await status({ when, expires_at: '2020-01-01T00:00:00Z' }), 422);
    assert.strictEqual(await status({ when, expires_at: 'soon' }), 422);
    assert.strictEqual(await status({ when, cooldown_s: -1 }), 422);
    assert.strictEqual(await status({ when, cooldown: 5 }), 422);
    assert.strictEqual(await status({ when: { price_below: '0.00', currency: 'SGD' } }), 422);
    const id = await created({ when: { price_below: '3.00', currency: 'SGD' } });
    const { body: refused } = await change(id, { scope: 'product' });
    assert.deepEqual(refused.detail, [
      { loc: ['body', 'scope'], type: 'extra_forbidden', msg: 'Extra inputs are not permitted' },
    ]);
    // A change is refused as a new alert is.
    const usd = { when: { price_below: '3.00', currency: 'USD' } };
    assert.strictEqual((await change(id, usd)).status, 422);
    const free = await created({ when: { back_in_stock: true }, product_id: await api.id('none') });
    assert.strictEqual((await change(free, { when: { drop_pct: 10 } })).status, 422);
  });

  it('stay if a key is replaced, and are paused if it is revoked, until another key resumes them', async () => {
    const keysCommand = (...args: string[]) => outputOf(keys, api.prefix, args);
    const asKey = async (raw: string, path: string, init: RequestInit = {}) =>
      (await api.open(path, { ...init, headers: { authorization: `Bearer ${raw}` } })).body;
    const first = await api.key('free', 'rotating');
    const body = JSON.stringify({ product_id: c, when: { any_price_change: true } });
    const { alert_id: id } = await asKey(first, '/v1/alerts', { method: 'POST', body });
    const { key_id: firstId } = await asKey(first, '/v1/usage');
    const rotated = await keysCommand('rotate', firstId, '--grace', '0');
    const [second = ''] = /svc_test_\S+/.exec(rotated) ?? [];
    const third = await api.key('free', 'rotating');
    await check();
    for (const raw of [second, third])
      assert.deepEqual(pluck((await asKey(raw, '/v1/alerts')).items, 'alert_id', 'state'), [[id, 'active']]);
    const resume = { method: 'PATCH', body: '{"state":"active"}' };
    await asKey(second, `/v1/alerts/${id}`, resume);
    await keysCommand('revoke', (await asKey(second, '/v1/usage')).key_id);
    await check();
    assert.strictEqual((await asKey(third, `/v1/alerts/${id}`)).state, 'paused');
    await asKey(third, `/v1/alerts/${id}`, resume);
    await check();
    assert.strictEqual((await asKey(third, `/v1/alerts/${id}`)).state, 'active');
    assert.strictEqual((await api.ok('/v1/alerts')).items[0].state, 'active');
  });

  it('deletes events that can no longer be read', async () => {
    const id = await created({ product_id: c, when: { drop_pct: 1 } });
    const index = `${api.prefix}-alert-events`;
    const count = async () => (await api.es.count({ index, query: { term: { alert_id: id } } })).count;
    const old = { alert_id: id, timestamp: new Date(Date.now() - 31 * 86_400_000).toISOString() };
    for (const document of [old, { ...old, timestamp: new Date().toISOString() }])
      await api.es.index({ index, document, refresh: true });
    assert.strictEqual(await count(), 2);
    await check();
    await api.es.indices.refresh({ index });
    assert.strictEqual(await count(), 1);
  });

  it('keeps a limited number of events of a developer, the latest ones', async () => {
    const index = `${api.prefix}-alert-events`;
    const timestamps = [3, 1, 2].map((minute) => `2026-01-01T00:0${minute}:00Z`);
    for (const timestamp of timestamps)
      await api.es.index({ index, document: { developer_id: 'busy', timestamp }, refresh: true });
    const reported: string[] = [];
    await keepUp({
      store: new AlertStore(api.es, api.prefix),
      cipher: null,
      changesRetentionDays: 30,
      maxEvents: 2,
      listKeys: null,
      budget: new EventBudget(),
      now: () => new Date('2026-01-02T00:00:00Z'),
      signal: new AbortController().signal,
      follow: false,
      report: (line) => reported.push(line),
    });
    await api.es.indices.refresh({ index });
    const query = { term: { developer_id: 'busy' } };
    const { hits } = await api.es.search<{ timestamp: string }>({ index, query, sort: ['timestamp'] });
    assert.deepEqual(
      hits.hits.map(({ _source }) => _source?.timestamp),
      ['2026-01-01T00:02:00Z', '2026-01-01T00:03:00Z'],
    );
    assert.include(reported.join(), 'The 1 oldest events of busy are deleted');
  });

  it('limits the alerts of a developer also if many are created at once', async () => {
    const headers = { authorization: `Bearer ${await api.key('free', 'eager')}` };
    await fillUp(api, headers, a, 95);
    const create = async (price: number) => {
      const body = JSON.stringify({ product_id: a, when: { price_below: `${price}.00`, currency: 'SGD' } });
      return (await api.open('/v1/alerts', { method: 'POST', headers, body })).status;
    };
    const statuses = await Promise.all(Array.from({ length: 20 }, (_, i) => create(i + 1)));
    // A request that waits too long for the others is answered with 503.
    assert.includeMembers([201, 422, 503], [...new Set(statuses)]);
    assert.isAtMost(statuses.filter((status) => status === 201).length, 5);
    const { total } = (await api.open('/v1/alerts', { headers })).body;
    assert.strictEqual(total, 95 + statuses.filter((status) => status === 201).length);
  });

  it('limits the alerts of a key by its tier', async () => {
    const headers = { authorization: `Bearer ${await api.key('free')}` };
    await fillUp(api, headers, a, 100);
    const body = { product_id: a, when: { price_below: '7.77', currency: 'SGD' } };
    const refused = await api.open('/v1/alerts', { method: 'POST', headers, body: JSON.stringify(body) });
    assert.strictEqual(refused.status, 422);
    assert.strictEqual(refused.body.detail[0].type, 'too_many_alerts');
  });
});

async function interrupt(command: Promise<Outcome>, end: AbortController): Promise<void> {
  end.abort();
  assert.strictEqual((await command).code, 130);
}

/** Stores alerts of a key, copies of its first one. */
async function fillUp(
  api: Api,
  headers: Record<string, string>,
  product_id: number,
  count: number,
): Promise<void> {
  const body = JSON.stringify({ product_id, when: { back_in_stock: true } });
  const { alert_id } = (await api.open('/v1/alerts', { method: 'POST', headers, body })).body;
  const index = `${api.prefix}-alerts`;
  const { _source: first } = await api.es.get<object>({ index, id: alert_id });
  const copies = Array.from({ length: count - 1 }, (_, i) => [
    { create: { _id: `copy-${count}-${i}` } },
    { ...first, alert_id: `copy-${count}-${i}`, fingerprint: '' },
  ]);
  assert.isFalse((await api.es.bulk({ index, operations: copies.flat(), refresh: true })).errors);
}
