import { assert } from 'chai';
import { moveToSchema } from '../support/earlier-schema.js';
import { useApi } from '../support/api.js';
import { offer, pluck, skus } from '../support/listings.js';

const NAME = 'Orbit V40 portable speaker';

/** Offers of one product, in several conditions. */
const LISTINGS = [
  offer('new', NAME, '100.00', { source: 'shop_a' }),
  offer('stated', NAME, '60.00', { source: 'shop_b', condition: 'used' }),
  offer('attribute', NAME, '70.00', { source: 'shop_c', metadata: { condition: 'RefurbishedCondition' } }),
  offer('named', `${NAME} (Renewed)`, '65.00', { source: 'shop_d' }),
  offer('conflict', `${NAME}, refurbished`, '80.00', { source: 'shop_e', condition: 'new' }),
];
const CONDITIONS = {
  new: { value: 'new', basis: 'assumed' },
  stated: { value: 'used', basis: 'stated' },
  attribute: { value: 'refurbished', basis: 'stated' },
  named: { value: 'refurbished', basis: 'name' },
  conflict: { value: 'refurbished', basis: 'name' },
};

describe('condition', () => {
  const api = useApi(LISTINGS);
  const conditionsOf = (items: any[]) =>
    Object.fromEntries(items.map(({ sku, condition }) => [sku, condition]));

  it('is in listings with include=condition, and exported', async () => {
    const { items } = await api.ok('/v1/search?include=condition');
    assert.deepEqual(conditionsOf(items), CONDITIONS);
    const { body } = await api.get('/v1/products/export?include=condition');
    assert.deepEqual(conditionsOf(body as any[]), CONDITIONS);
    const plain = await api.ok('/v1/search');
    assert.notProperty(plain.items[0], 'condition');
  });

  it('filters lists, with one or several values', async () => {
    const found = async (parameters: string) => skus(await api.ok(`/v1/search?${parameters}`)).sort();
    assert.deepEqual(await found('condition=used'), ['stated']);
    assert.deepEqual(await found('condition=new&condition=used'), ['new', 'stated']);
    assert.deepEqual(await found('condition=new|used'), ['new', 'stated']);
    assert.deepEqual(await found('condition=refurbished&q=speaker'), ['attribute', 'conflict', 'named']);
    assert.lengthOf(await found('condition='), 5);
    assert.lengthOf(await found('attr.condition=RefurbishedCondition'), 1);
    assert.equal((await api.get('/v1/search?condition=mint')).status, 422);
    assert.equal((await api.get('/v1/deals?condition=mint')).status, 422);
    const { body } = await api.get('/v1/products/export?condition=new');
    assert.deepEqual(pluck(body as any[], 'sku'), ['new']);
  });

  it('is a facet, whose counts ignore the filter', async () => {
    const { facets } = await api.ok('/v1/search?facets=condition,brand&condition=used');
    assert.deepEqual(facets[0].values, [
      { value: 'refurbished', count: 3, selected: false },
      { value: 'new', count: 1, selected: false },
      { value: 'used', count: 1, selected: true },
    ]);
  });

  it('is the flag condition_conflict if name and feed contradict each other', async () => {
    const { items } = await api.ok('/v1/quality/condition_conflict');
    assert.deepEqual(pluck(items, 'sku', 'reason'), [
      ['conflict', 'the feed states new, the name says refurbished'],
    ]);
    const { all } = await api.ok('/v1/quality');
    assert.equal(all.flags.condition_conflict, 1);
  });
});

describe('condition in an index of an earlier schema', () => {
  const api = useApi();
  before(() => moveToSchema(api, 9));

  for (const query of ['condition=used', 'facets=condition', 'include=condition'])
    it(`is answered with 503 for ${query}`, async () => {
      const { status, body } = await api.get(`/v1/search?${query}`);
      assert.equal(status, 503, JSON.stringify(body));
      assert.match(JSON.stringify(body), /reindex/);
    });
});
