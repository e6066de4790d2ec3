import { assert } from 'chai';
import { getStoredListing } from '../../src/engine/documents.js';
import type { Change } from '../../src/products/changes/change.js';
import { EventBudget } from '../../src/usecases/alerts/event-budget.js';
import { AlertStore, type StoredEvent } from '../../src/usecases/alerts/store.js';
import { WaitingChecks } from '../../src/usecases/alerts/waiting-checks.js';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { alertOf, eventsOf } from '../support/webhook-receivers.js';
import { storedIndex } from '../../src/platform/stored.js';

/** More alerts than are checked at once, and more than a developer may have events within a minute. */
const FLOOD = 250;
const PER_MINUTE = 60;

describe('alerts of a developer that always fire', () => {
  const api = useApi(['a', 'b'].map((sku) => record({ sku, price: '30.00' })));
  let budget = new EventBudget();
  let clock = Date.now();
  let checks: WaitingChecks;
  const options = () => ({
    store: new AlertStore(api.es, api.prefix),
    products: api.products,
    now: () => new Date(clock),
    publicUrl: 'http://catalogue.example',
    affiliateTemplates: {},
    budget,
  });
  /** Checks the alerts on changes, and those of developers whose minute is over. @returns the number of new events. */
  const checked = async (...changes: Change[]): Promise<number> => {
    await checks.notice(changes, clock);
    let events = 0;
    while (checks.size > 0) events += await checks.step();
    return events;
  };
  const priced = async (price: string, sku = 'a'): Promise<Change> => {
    await api.load([record({ sku, price })]);
    const id = await api.id(sku);
    const listing = await getStoredListing(api.es, api.products, id);
    return { id, kinds: ['price'], at: new Date(clock).toISOString(), listing };
  };
  const storedEvents = async () => {
    const index = storedIndex(api.prefix, 'alert-events');
    await api.es.indices.refresh({ index });
    const sort = ['number', 'event_id'];
    const { hits } = await api.es.search<StoredEvent>({
      index,
      size: 1_000,
      seq_no_primary_term: true,
      sort,
    });
    return hits.hits.flatMap(({ _source, _seq_no = 0 }) => (_source ? [{ ..._source, seq: _seq_no }] : []));
  };

  before(async () => {
    await new AlertStore(api.es, api.prefix).ensureIndices();
    const product_id = await api.id('a');
    const memory = { units: 300_000, in_stock: true, fired_at: null, was_false: true };
    const watching = { product_id, group_id: product_id, offer_ids: [product_id], memory };
    const flood = Array.from({ length: FLOOD }, (_, i) =>
      alertOf(`al_${String(i).padStart(3, '0')}`, { ...watching, developer_id: 'flood' }),
    );
    const b = await api.id('b');
    const alerts = [
      ...flood,
      alertOf('al_other', { ...watching, developer_id: 'other' }),
      alertOf('al_late', { ...watching, product_id: b, group_id: b, offer_ids: [b] }),
    ];
    const operations = alerts.flatMap((alert) => [{ create: { _id: alert.alert_id } }, alert]);
    const { errors } = await api.es.bulk({ index: storedIndex(api.prefix, 'alerts'), operations });
    assert.isFalse(errors);
    checks = new WaitingChecks(options());
  });

  it('do not delay the alerts of others, which are checked in turns', async () => {
    assert.strictEqual(await checked(await priced('29.00')), PER_MINUTE + 1);
    const events = await storedEvents();
    const other = events.find(({ developer_id }) => developer_id === 'other');
    const first = Math.min(...events.map(({ seq }) => seq));
    assert.isAtMost((other?.seq ?? Infinity) - first, 1, 'the place of the event among all');
    assert.strictEqual(other?.previous_price, '30.00');
  });

  it('fire only as often as its tier allows within a minute, while the alerts of others go on', async () => {
    clock += 30_000;
    assert.strictEqual(await checked(await priced('28.00')), 1);
    assert.deepEqual(budget.waiting, ['flood']);
    assert.strictEqual(await checked(), 0);
  });

  it('merge what has changed meanwhile into one event after the minute', async () => {
    clock += 31_000;
    // Within a minute, Elasticsearch does this itself.
    await api.es.indices.refresh({ index: storedIndex(api.prefix, 'alerts') });
    assert.strictEqual(await checked(), PER_MINUTE);
    const events = (await storedEvents()).filter(({ developer_id }) => developer_id === 'flood');
    assert.lengthOf(events, 2 * PER_MINUTE);
    const prices = events.map((event) => `${event.previous_price} ${event.product?.price}`);
    assert.deepEqual(
      new Set(prices),
      new Set(['30.00 29.00', '30.00 28.00']),
      'other alerts than in the first minute',
    );
  });

  it('are limited by the highest tier of the keys', async () => {
    clock += 61_000;
    budget.setKeys([
      { developerId: 'flood', tier: 'free' },
      { developerId: 'flood', tier: 'standard' },
    ]);
    assert.strictEqual(await checked(), FLOOD - PER_MINUTE);
    assert.deepEqual(budget.waiting, []);
    const last = (await eventsOf(api.es, api.prefix, 'al_249')).map(({ previous_price }) => previous_price);
    assert.deepEqual(last, ['30.00']);
  });

  it('are checked in small steps, between which the alerts of others are', async () => {
    clock += 61_000;
    budget.setKeys([{ developerId: 'flood', tier: 'premium' }]);
    checks = new WaitingChecks(options());
    await checks.notice([await priced('27.00')], clock);
    await checks.step();
    await checks.notice([await priced('29.00', 'b')], clock);
    await checks.step();
    assert.lengthOf(await eventsOf(api.es, api.prefix, 'al_late'), 1);
    assert.isAbove(checks.size, FLOOD / 2);
  });

  it('are checked by the next process if one is killed, and fire once for each change', async () => {
    const { state } = checks;
    assert.deepEqual(state.throttled, ['flood']);
    clock += 1_000;
    budget = new EventBudget(new Set(state.throttled));
    budget.setKeys([{ developerId: 'flood', tier: 'premium' }]);
    checks = new WaitingChecks(options(), state);
    assert.isAtMost(checks.state.checked_at, clock - 1_000);
    assert.isAbove(await checked(), FLOOD / 2);
    const events = (await storedEvents()).filter(({ product }) => product?.price === '27.00');
    assert.lengthOf(events, FLOOD + 1);
    assert.strictEqual(new Set(events.map(({ alert_id }) => alert_id)).size, FLOOD + 1);
  });
});
