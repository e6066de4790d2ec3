import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { groupListings, offer, pastPrices } from '../support/listings.js';

describe('include=position', () => {
  const api = useApi([
    offer('low', 'Marden grill pan', '40.00', { price_history: pastPrices(['60.00', 80], ['50.00', 30]) }),
    offer('flat', 'Marden grill pan', '55.00', { source: 'shop_b', list_price: '90.00' }),
    offer('none', 'Marden grill pan', null, { source: 'shop_c' }),
  ]);
  const positionOf = async (id: number) => (await api.ok(`/v1/products/${id}/price-history`)).position;

  it('adds to listings, searches, deals and offers what the price history says', async () => {
    await groupListings(api, ['low', 'flat', 'none']);
    const id = await api.id('low');
    for (const path of [
      `/v1/products/${id}`,
      '/v1/search?q=grill',
      '/v1/products?sort=updated',
      '/v1/search?q=grill&fields=name',
      '/v1/deals?min_discount_pct=0',
      `/v1/products/${id}/offers`,
    ]) {
      const body = await api.ok(`${path}${path.includes('?') ? '&' : '?'}include=position`);
      const listings: any[] = body.items ?? body.offers ?? [body];
      assert.isNotEmpty(listings, path);
      for (const listing of listings) {
        const expected = await positionOf(listing.id);
        assert.deepEqual(listing.position, expected, path);
        assert.hasAllKeys(expected, ['percentile', 'verdict', 'basis_days']);
      }
      const plain = await api.ok(path);
      for (const listing of plain.items ?? plain.offers ?? [plain])
        assert.notProperty(listing, 'position', path);
    }
  });

  it('is refused where the contract does not have it, and is not cached', async () => {
    const id = await api.id('low');
    for (const path of [
      `/v1/products/${id}/price-history`,
      '/v1/products/export',
      '/v1/products/best-price?q=pan',
    ]) {
      const { status } = await api.get(`${path}${path.includes('?') ? '&' : '?'}include=position`);
      assert.equal(status, 422, path);
    }
  });
});
