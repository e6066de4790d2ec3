// Chaos only (oracles, sampled): it validates the results of every tool for many arguments.
import { Ajv2020 } from 'ajv/dist/2020.js';
import { assert } from 'chai';
import { tools } from '../../../../src/http/agents/mcp/tools/index.js';
import { type Agent, connectAgent } from '../../../support/agent.js';
import { useApi } from '../../../support/api.js';
import { groupListings, offer, pluck } from '../../../support/listings.js';
import { until } from '../../../support/until.js';

const GTIN = '4006381333931';
const VIEWS = ['compact', 'full'];

type Arguments = Record<string, unknown>;

/** A schema in which no object may have members that it does not name. */
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return schema.type === 'object' && schema.properties !== undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}

describe('the output schema of each tool', () => {
  const kettle = (sku: string, price: string, more: Arguments = {}) =>
    offer(sku, `Sonvara SK-200 kettle 1.7 l, ${sku === 'c' ? 'red' : 'black'}`, price, {
      source: `shop_${sku}`,
      brand: 'Sonvara',
      category_path: ['Kitchen', 'Kettles'],
      is_available: true,
      rating: 4.5,
      description: 'A kettle with a long description. '.repeat(200),
      metadata: { colour: 'black', lists: Array.from({ length: 300 }, (_, i) => `value ${i}`) },
      ...more,
    });
  const api = useApi([
    kettle('a', '30.00', { gtin: GTIN, list_price: '60.00', delivery: { price: '5.00' } }),
    kettle('b', '28.00', { gtin: GTIN }),
    kettle('c', '29.00'),
    offer('none', 'Borealis lamp', null),
    offer('case', 'Bag for Sonvara SK-200 kettle', '5.00', { category_path: ['Kitchen', 'Bags'] }),
  ]);
  let agent: Agent;
  let calls: Record<string, Arguments[]>;
  before(async () => {
    await groupListings(api, ['a', 'b']);
    agent = await connectAgent(api.url, `Bearer ${await api.key()}`, 'each request');
    const [a, b, c, none] = await Promise.all(['a', 'b', 'c', 'none'].map((sku) => api.id(sku)));
    const ofEach = [a, none].flatMap((product_id) => VIEWS.map((view) => ({ product_id, view })));
    calls = {
      search_products: [
        ...VIEWS.map((view) => ({
          q: 'kettle',
          facets: ['brand', 'price', 'attributes', 'category_path'],
          view,
        })),
        { q: 'kettle under 20', interpret: true },
        { q: 'no such thing' },
        { sort: 'price_asc', q: 'Sonvara kettle', limit: 1, include: ['unit_price', 'delivery'] },
      ],
      get_product: ofEach,
      find_best_price: VIEWS.flatMap((view) => [
        { q: 'Sonvara SK-200', view },
        { q: 'Sonvara SK-999', view },
        { q: 'Sonvara SK-200', rank_by: 'total', include: ['unit_price'], limit: 1, view },
      ]),
      compare_products: [...ofEach, ...VIEWS.map((view) => ({ product_ids: [a, b, none], view }))],
      diff_products: VIEWS.map((view) => ({ product_ids: [a, b, none], explain: view === 'full', view })),
      get_offers: [
        ...ofEach,
        { product_id: a, rank_by: 'total', include: ['unit_price'], limit: 1 },
        { product_id: a, currency: ['EUR'] },
      ],
      get_price_history: [...ofEach, { product_id: a, view: 'full', interval: 'day' }],
      get_deals: [...VIEWS.map((view) => ({ view })), { q: 'lamp' }],
      lookup: [...VIEWS.map((view) => ({ gtin: GTIN, view })), { sku: 'nothing' }],
      list_categories: [{}, { contains: 'kett' }, { contains: 'nothing' }],
      search: [{ query: 'kettle' }, { query: 'nothing at all' }],
      fetch: [{ id: String(a) }, { id: String(none) }],
      get_changes: [{}],
      manage_alerts: [
        { action: 'create', product_id: a, price_below: '1.00', currency: 'SGD' },
        { action: 'create', product_id: b, new_low: '90d' },
        { action: 'list' },
      ],
      find_similar: [{ product_id: a }, { product_id: c, sort: 'price_asc' }, { product_id: none }],
      find_compatible: [{ product_id: a }, { product_id: a, q: 'bag' }, { product_id: none }],
    };
  });
  after(() => agent.close());

  const ajv = new Ajv2020({ strict: false, allErrors: true });
  /** Calls a tool, and asserts that the structured content of its result is what the schema says, and has nothing else. */
  const check = async (name: string, args: Arguments): Promise<any> => {
    const schema = tools.find((tool) => tool.name === name)?.output;
    let answered = await agent.call(name, args);
    // On a busy machine, the engine may not answer in time.
    const isBusy = () => answered.isError && answered.text.includes('Service temporarily unavailable');
    if (isBusy())
      await until(async () => {
        answered = await agent.call(name, args);
        return !isBusy();
      });
    const { isError, text, structured } = answered;
    // An error of find_best_price has the listings that are nearest.
    assert.isTrue(!isError || structured !== undefined, text);
    for (const strict of [schema, closed(schema)]) {
      const isValid = ajv.compile(strict as object);
      assert.isTrue(
        isValid(structured),
        `${name} ${JSON.stringify(args)}: ${ajv.errorsText(isValid.errors)}`,
      );
    }
    return structured;
  };

  for (const { name } of tools) {
    it(`describes every result of ${name}`, async () => {
      assert.isNotEmpty(calls[name], `this test has no calls of ${name}`);
      for (const args of calls[name] ?? []) await check(name, args);
    });
  }

  it('describes the results of calls that follow others', async () => {
    const { cursor } = await check('get_changes', {});
    await api.load([kettle('c', '27.00')]);
    const { items } = await check('get_changes', { cursor });
    assert.lengthOf(items, 1);
    const { alerts } = await check('manage_alerts', { action: 'list' });
    const [alert_id, other] = pluck(alerts, 'alert_id');
    await check('manage_alerts', { action: 'events', alert_id });
    await check('manage_alerts', { action: 'remove', alert_id: other });
  });
});
