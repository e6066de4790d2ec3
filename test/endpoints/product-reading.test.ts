import { assert } from 'chai';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';

describe('GET /v1/products/{id} with explain=true', () => {
  let api: Api;
  before(async () => {
    api = await startApi();
    await api.load([
      record({
        sku: 'phone',
        name: 'Quillon Larch S9 Ultra 256GB Smartphone, Black',
        brand: 'Quillon',
        price: '900.00',
      }),
    ]);
  });
  after(() => api.stop());

  it('adds the reading of the name to the listing, which is otherwise the same', async () => {
    const [{ id }] = (await api.get('/v1/search?q=quillon')).body.items;
    const plain = (await api.get(`/v1/products/${id}`)).body;
    const { reading, ...listing } = (await api.get(`/v1/products/${id}?explain=true`)).body;
    assert.deepEqual(listing, plain);
    assert.deepEqual(reading, {
      maker: 'Quillon',
      line: 'larch',
      model: 's9',
      variant: 'ultra',
      kind: 'smartphone',
      sizes: ['256 GB'],
      count: null,
      colour: 'black',
      edition: null,
      compatible_with: [],
      specification: ['black'],
    });
    assert.deepEqual((await api.get(`/v1/products/${id}?explain=false`)).body, plain);
  });

  it('answers 404 for an id that no listing has, and 422 for a value that is no boolean', async () => {
    assert.equal((await api.get('/v1/products/1?explain=true')).status, 404);
    assert.equal((await api.get('/v1/products/99999999999999999999?explain=true')).status, 404);
    assert.equal((await api.get('/v1/products/1?explain=perhaps')).status, 422);
  });
});
