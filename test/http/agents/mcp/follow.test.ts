import { assert } from 'chai';
import { main as alerts } from '../../../../scripts/alerts.js';
import { type Agent, connectAgent } from '../../../support/agent.js';
import { useApi } from '../../../support/api.js';
import { outputOf } from '../../../support/command.js';
import { pluck, record } from '../../../support/listings.js';

describe('the tools of agents that follow the catalogue', () => {
  const api = useApi([record({ sku: 'a', price: '30.00', is_available: true }), record({ sku: 'b' })]);
  let agent: Agent;
  let a = 0;
  const manage = (action: string, args: Record<string, unknown> = {}) =>
    agent.call('manage_alerts', { action, ...args });
  const check = () => outputOf(alerts, api.prefix);
  before(async () => {
    a = await api.id('a');
    agent = await connectAgent(api.url, `Bearer ${await api.key()}`, 'each request');
    await check();
  });
  after(() => agent.close());

  it('return what has changed since a cursor, and the next cursor in the text', async () => {
    const first = await agent.call('get_changes');
    assert.deepEqual(first.structured.items, []);
    assert.include(first.text, `cursor=${first.structured.cursor}`);
    await api.load([record({ sku: 'a', price: '29.00', is_available: true })]);
    const { cursor } = first.structured;
    const { structured, text, links } = await agent.call('get_changes', {
      cursor,
      kinds: ['price', 'stock'],
    });
    assert.deepInclude(structured.items[0], { id: a, kinds: ['price'] });
    assert.equal(structured.items[0].product.price, '29.00');
    assert.match(text, /^1 changed; the next call: cursor=\S+\n\d+ ".*" SGD 29\.00, .*, price$/);
    assert.deepEqual(links, [`catalog://products/${a}`]);
    const none = await agent.call('get_changes', { cursor, kinds: 'withdrawn' });
    assert.deepEqual(none.structured.items, []);
    assert.match((await agent.call('get_changes', { cursor: 'x' })).text, /- cursor: .*not a cursor/);
  });

  it('return each change, also if those of a page do not fit into one result', async () => {
    let { cursor } = (await agent.call('get_changes')).structured as { cursor: string };
    const skus = Array.from({ length: 40 }, (_, at) => `many-${at}`);
    await api.load(skus.map((sku) => record({ sku, name: `${'A very long name '.repeat(15)}${sku}` })));
    const seen: number[] = [];
    for (let hasMore = true; hasMore;) {
      const { structured } = await agent.call('get_changes', { cursor, limit: 100 });
      seen.push(...structured.items.map(({ id }: { id: number }) => id));
      ({ cursor, has_more: hasMore } = structured as { cursor: string; has_more: boolean });
    }
    assert.sameMembers(seen, await Promise.all(skus.map((sku) => api.id(sku))));
  });

  it('create an alert, list it, return its events and remove it', async () => {
    const created = await manage('create', {
      product_id: a,
      price_below: '20',
      currency: 'SGD',
      drop_pct: null,
    });
    assert.isFalse(created.isError, created.text);
    const [alert] = created.structured.alerts;
    assert.deepInclude(alert, { product_id: a, when: { price_below: '20', currency: 'SGD' }, url: null });
    assert.notProperty(alert, 'secret');
    const { alert_id } = alert;
    assert.deepEqual(pluck((await manage('list')).structured.alerts, 'alert_id'), [alert_id]);
    assert.equal((await manage('events', { alert_id })).text, 'no events');
    await api.load([record({ sku: 'a', price: '15.00', is_available: true })]);
    await check();
    const { structured, text } = await manage('events', { alert_id });
    assert.match(text, /^events: 1, the earliest first\n\S+: \d+ .* SGD 15\.00, .*before 29\.00$/);
    const [event] = structured.events;
    assert.deepInclude(event, { type: 'alert.fired', previous_price: '29.00' });
    assert.deepEqual((await manage('events', { alert_id, after: event.event_id })).structured.events, []);
    assert.isFalse((await manage('remove', { alert_id })).isError);
    assert.equal((await manage('list')).text, 'no alerts');
  });

  it('never change anything with arguments that were corrected', async () => {
    const price = { product_id: a, price_below: '20', currency: 'SGD' };
    const wrong: [args: Record<string, unknown>, said: RegExp][] = [
      [{ ...price, action: 'create', colour: 'red' }, /- colour: no such argument/],
      [{ ...price, action: 'create', currency: undefined }, /- currency: Field required/],
      [{ ...price, action: 'create', drop_pct: 5 }, /- price_below \| .*exactly one/],
      [{ ...price, action: 'create', product_id: 12 }, /- Product not found/],
      [{ ...price, action: 'create', price_below: 'cheap' }, /- price_below: /],
      [{ action: 'remove' }, /- alert_id: Field required/],
      [{ action: 'events', alert_id: 'al_none' }, /- Alert not found/],
      [{ action: 'drop' }, /- action: .*create, list/],
      [{}, /- action: Field required/],
    ];
    for (const [args, said] of wrong) {
      const { isError, text } = await agent.call('manage_alerts', args);
      assert.isTrue(isError, JSON.stringify(args));
      assert.match(text, said);
      assert.match(text, /\nThis call works: manage_alerts \{"action":"list"\}$/);
    }
    assert.equal((await manage('list')).text, 'no alerts');
  });

  it('keep the alerts of a key from all others', async () => {
    const { structured } = await manage('create', { product_id: a, any_price_change: true });
    const other = await connectAgent(api.url, `Bearer ${await api.key('premium', 'other')}`, 'each request');
    const [{ alert_id }] = structured.alerts;
    assert.match((await other.call('manage_alerts', { action: 'remove', alert_id })).text, /Alert not found/);
    assert.equal((await other.call('manage_alerts', { action: 'list' })).text, 'no alerts');
    await other.close();
    assert.isFalse((await manage('remove', { alert_id })).isError);
  });
});
