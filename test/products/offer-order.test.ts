import { assert } from 'chai';
import type { StoredListing } from '../../src/listing/listing.js';
import type { ExchangeRates } from '../../src/listing/rates.js';
import { placeholderOffers } from '../../src/products/offer-order.js';

describe('placeholderOffers', () => {
  const rates: ExchangeRates = { base: 'EUR', date: '2026-06-01', perBase: new Map([['EUR', 10_000n]]) };
  const listing = (id: number, source: string, name: string, price: string): StoredListing =>
    ({ id, source, name, price, currency: 'EUR', category: 'Smartphones', internal: {} }) as StoredListing;
  const raffle = listing(1, 'a', 'Kestrel 15 - Black - 128 GB', '4.55');
  const phone = listing(2, 'b', 'KESTREL 15 128GB - BLACK', '917.84');
  const idsOf = (offers: StoredListing[], others: StoredListing[]) => [
    ...placeholderOffers(offers, others, rates),
  ];

  it('finds a price far below those of three sources', () => {
    assert.deepEqual(idsOf([raffle, phone, listing(3, 'c', 'Kestrel 15 128GB', '899.00')], []), [1]);
  });

  it('lets similar products of other sources decide between two prices', () => {
    assert.deepEqual(idsOf([raffle, phone], []), []);
    assert.deepEqual(idsOf([raffle, phone], [listing(3, 'c', 'Kestrel 15 Pro 128GB', '1166.00')]), [1]);
    assert.deepEqual(idsOf([raffle, phone], [listing(3, 'c', 'Kestrel 15 Toy Phone', '5.00')]), []);
  });

  it('lets neither accessories nor other listings of the two sources decide', () => {
    const box = { ...listing(3, 'c', 'Fridge 128 L', '1166.00'), category: 'Kitchen' };
    assert.deepEqual(idsOf([raffle, phone], [box, listing(4, 'b', 'Kestrel 15 Pro', '1200.00')]), []);
  });

  it('finds nothing if no price is far below another', () => {
    assert.deepEqual(idsOf([phone, listing(3, 'c', 'Kestrel 15', '799.00')], []), []);
  });
});
