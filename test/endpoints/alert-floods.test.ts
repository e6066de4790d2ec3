import { assert } from 'chai';
import { getStoredListing } from '../../src/engine/documents.js';
import { checkChanges, checkReleased } from '../../src/usecases/alerts/check-changes.js';
import { EventBudget } from '../../src/usecases/alerts/event-budget.js';
import { AlertStore, type StoredEvent } from '../../src/usecases/alerts/store.js';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { alertOf, eventsOf } from '../support/webhook-receivers.js';
import { storedIndex } from '../../src/platform/stored.js';

/** More alerts than are checked at once, and more than a developer may have events within a minute. */
const FLOOD = 250;
const PER_MINUTE = 60;

describe('alerts of a developer that always fire', () => {
  const api = useApi([record({ sku: 'a', price: '30.00' })]);
  const budget = new EventBudget();
  let clock = Date.now();
  const options = () => ({
    store: new AlertStore(api.es, api.prefix),
    products: api.products,
    now: () => new Date(clock),
    publicUrl: 'http://catalogue.example',
    affiliateTemplates: {},
    budget,
  });
  const pricedAt = async (price: string): Promise<number> => {
    await api.load([record({ sku: 'a', price })]);
    const id = await api.id('a');
    const listing = await getStoredListing(api.es, api.products, id);
    return checkChanges([{ id, kinds: ['price'], at: new Date(clock).toISOString(), listing }], options());
  };
  const storedEvents = async () => {
    const index = storedIndex(api.prefix, 'alert-events');
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
    const alerts = [...flood, alertOf('al_other', { ...watching, developer_id: 'other' })];
    const operations = alerts.flatMap((alert) => [{ create: { _id: alert.alert_id } }, alert]);
    const { errors } = await api.es.bulk({ index: storedIndex(api.prefix, 'alerts'), operations });
    assert.isFalse(errors);
  });

  it('do not delay the alerts of others, which are checked in turns', async () => {
    assert.strictEqual(await pricedAt('29.00'), PER_MINUTE + 1);
    const events = await storedEvents();
    const other = events.find(({ developer_id }) => developer_id === 'other');
    const first = Math.min(...events.map(({ seq }) => seq));
    assert.isAtMost((other?.seq ?? Infinity) - first, 1, 'the place of the event among all');
    assert.strictEqual(other?.previous_price, '30.00');
  });

  it('fire only as often as its tier allows within a minute, while the alerts of others go on', async () => {
    clock += 30_000;
    assert.strictEqual(await pricedAt('28.00'), 1);
    assert.deepEqual(budget.waiting, ['flood']);
    assert.strictEqual(await checkReleased(options()), 0);
  });

  it('merge what has changed meanwhile into one event after the minute', async () => {
    clock += 31_000;
    assert.strictEqual(await checkReleased(options()), PER_MINUTE);
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
    assert.strictEqual(await checkReleased(options()), FLOOD - PER_MINUTE);
    assert.deepEqual(budget.waiting, []);
    const last = (await eventsOf(api.es, api.prefix, 'al_249')).map(({ previous_price }) => previous_price);
    assert.deepEqual(last, ['30.00']);
  });
});
