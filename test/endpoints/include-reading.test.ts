import { assert } from 'chai';
import { type Api, startApi } from '../support/api.js';
import { record } from '../support/listings.js';

const NAME = 'Quillon Larch S9 Ultra 256GB Smartphone – Refurbished';

describe('include=reading', () => {
  let api: Api;
  let id: number;
  before(async () => {
    api = await startApi();
    const phone = record({ sku: 'phone', name: NAME, brand: 'Quillon', price: '500.00' });
    const pouch = record({ sku: 'pouch', name: 'Leather pouch for Quillon Larch S9', price: '9.00' });
    await api.load([phone, pouch]);
    id = (await api.ok('/v1/search?q=ultra')).items[0].id;
  });
  after(() => api.stop());

  it('adds the words of the name with their roles to a listing, searches, offers and the best price', async () => {
    const [product, search, list, offers, best] = await Promise.all([
      api.ok(`/v1/products/${id}?include=reading`),
      api.ok('/v1/search?q=ultra&include=reading'),
      api.ok('/v1/products?q=ultra&fields=name&include=reading'),
      api.ok(`/v1/products/${id}/offers?include=reading`),
      api.ok('/v1/products/best-price?q=quillon+larch+s9+ultra&condition=refurbished&include=reading'),
    ]);
    const { reading } = product;
    for (const listing of [search.items[0], list.items[0], offers.offers[0], best])
      assert.deepEqual(listing.reading, reading);
    assert.deepInclude(reading, { line: 'larch', model: 's9', variant: 'ultra', kind: 'smartphone' });
    assert.deepEqual(reading.condition, { value: 'refurbished', basis: 'name' });
    assert.deepEqual(
      reading.tokens.map(({ text, role, scope }: Record<string, string>) => `${text} ${role} ${scope}`),
      [
        ...['Quillon maker item', 'Larch line item', 'S9 model item', 'Ultra tier item', '256GB size item'],
        ...['Smartphone kind item', 'Refurbished condition item'],
      ],
    );
    for (const { text, from, to } of reading.tokens) assert.equal(NAME.slice(from, to), text);
  });

  it('tells what is sold from what it is for', async () => {
    const [{ reading }] = (await api.ok('/v1/search?q=pouch&include=reading')).items;
    const of = (scope: string) =>
      reading.tokens.flatMap((token: Record<string, string>) =>
        token['scope'] === scope ? token['text'] : [],
      );
    assert.deepEqual(of('item'), ['Leather', 'pouch']);
    assert.deepEqual(of('target'), ['for', 'Quillon', 'Larch', 'S9']);
  });

  it('is for pages of at most 20 listings', async () => {
    assert.equal((await api.ok(`/v1/products/${id}/offers?include=reading`)).limit, 20);
    for (const path of ['/v1/search?q=ultra', `/v1/products/${id}/offers?in_stock=true`]) {
      assert.equal((await api.get(`${path}&include=reading&limit=20`)).status, 200, path);
      const { status, body } = await api.get(`${path}&include=reading&limit=21`);
      assert.equal(status, 422, path);
      assert.deepEqual(body.detail[0].loc, ['query', 'limit']);
    }
  });

  it('is refused by other endpoints', async () => {
    for (const path of ['/v1/deals', '/v1/products/export', `/v1/products/${id}/similar`])
      assert.equal((await api.get(`${path}?include=reading`)).status, 422, path);
  });
});
