import { assert } from 'chai';
import { moveToSchema } from '../support/earlier-schema.js';
import { useApi } from '../support/api.js';
import { groupListings, offer, pluck } from '../support/listings.js';

const NAME = 'Orbit V40 portable speaker';

describe('a "from" price', () => {
  const from = { price_from: true };
  const api = useApi([
    offer('from', NAME, '60.00', { source: 'shop_a', list_price: '120.00', ...from }),
    offer('plain', NAME, '100.00', { source: 'shop_b' }),
    offer('dear', NAME, '110.00', { source: 'shop_c', is_available: false }),
    offer('alone', 'Kestrel K9 kettle', '20.00', { source: 'shop_a', ...from }),
  ]);
  before(() => groupListings(api, ['from', 'plain', 'dear']));

  it('is marked with include=price_from, also in exports', async () => {
    const { items } = await api.ok('/v1/search?include=price_from&sort=price_asc');
    assert.deepEqual(pluck(items, 'sku', 'price_from'), [
      ['alone', true],
      ['from', true],
      ['plain', false],
      ['dear', false],
    ]);
    const { body } = await api.get('/v1/products/export?include=price_from');
    assert.lengthOf(
      (body as any[]).filter(({ price_from }) => price_from),
      2,
    );
  });

  it('never wins a best price over a plain one', async () => {
    const best = await api.ok(`/v1/products/best-price?q=${NAME}&limit=3`);
    assert.deepEqual(pluck(best.items, 'sku'), ['plain', 'dear', 'from']);
    assert.equal((await api.ok('/v1/products/best-price?q=Kestrel+K9+kettle')).sku, 'alone');
    const { considered } = await api.ok(`/v1/products/best-price?q=${NAME}&explain=true`);
    assert.deepEqual(pluck(considered, 'rejected'), [null, 'out_of_stock', 'price_from']);
  });

  it('never is the best offer or the lowest price of a product with a plain one', async () => {
    const found = await api.ok(`/v1/products/${await api.id('from')}/offers`);
    assert.deepEqual(pluck(found.offers, 'sku', 'price_rank'), [
      ['plain', 1],
      ['dear', 2],
      ['from', 3],
    ]);
    assert.equal(found.best_offer_id, await api.id('plain'));
    assert.deepEqual(found.price_range, { currency: 'SGD', min: '100.00', max: '110.00' });
    for (const sort of ['price_asc', 'price_desc']) {
      const { items } = await api.ok(`/v1/search?group=product&sort=${sort}&q=speaker`);
      assert.deepEqual(pluck(items, 'sku'), ['plain']);
      assert.equal(items[0].group.best_offer_id, await api.id('plain'));
      assert.equal(items[0].group.min_price, '100.00');
    }
  });

  it('is the cheapest in a comparison only if there is no plain one', async () => {
    const diff = async (...names: string[]) => {
      const product_ids = await Promise.all(names.map((sku) => api.id(sku)));
      return (await api.post('/v1/products/compare/diff', { product_ids })).body as any;
    };
    const mixed = await diff('from', 'plain', 'dear');
    assert.equal(mixed.cheapest_product_id, await api.id('plain'));
    assert.equal(mixed.price_spread, '10.00');
    assert.deepEqual(pluck(mixed.products, 'price_rank'), [3, 1, 2]);
    assert.equal((await diff('from', 'alone')).cheapest_product_id, await api.id('alone'));
  });

  it('is no deal', async () => {
    assert.equal((await api.ok('/v1/deals')).total, 0);
  });
});

describe('include=price_from in an index of an earlier schema', () => {
  const api = useApi();
  before(() => moveToSchema(api, 9));

  it('is answered with 503', async () => {
    assert.equal((await api.get('/v1/search?include=price_from')).status, 503);
  });
});
