import { assert } from 'chai';
import type { StoredListing } from '../../src/listing/listing.js';
import type { ExchangeRates } from '../../src/listing/rates.js';
import { unlikelyOffers } from '../../src/products/unlikely-offers.js';

describe('unlikelyOffers', () => {
  const rates: ExchangeRates = { base: 'EUR', date: '2026-06-01', perBase: new Map([['EUR', 10_000n]]) };
  const listing = (id: number, source: string, name: string, price: string): StoredListing =>
    ({ id, source, name, price, currency: 'EUR', category: 'Smartphones', internal: {} }) as StoredListing;
  const raffle = listing(1, 'a', 'Kestrel 15 - Black - 128 GB', '4.55');
  const phone = listing(2, 'b', 'KESTREL 15 128GB - BLACK', '917.84');
  const idsOf = (offers: StoredListing[], others: StoredListing[], isOneProduct = true) => [
    ...unlikelyOffers(offers, others, { rates, isOneProduct }),
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

  it('finds a price of one product to which no other owner comes near', () => {
    const dear = ['899.00', '917.84', '950.00'].map((price, n) =>
      listing(n + 2, `s${n}`, 'Kestrel 15', price),
    );
    const bait = listing(9, 'a', 'Kestrel 15 - Green', '199.00');
    const decoy = listing(10, 'a', 'Kestrel 15 - Red', '300.00');
    assert.deepEqual(idsOf([bait, ...dear], []), [9]);
    assert.deepEqual(idsOf([bait, decoy, ...dear], []), [9], 'its owner cannot vouch for it');
    assert.deepEqual(idsOf([bait, ...dear], [], false), [], 'goods of a kind have many prices');
    assert.deepEqual(idsOf([bait, listing(8, 'd', 'Kestrel 15', '400.00'), ...dear], []), []);
    assert.deepEqual(idsOf([bait, ...dear.slice(0, 1)], []), [], 'two owners do not show who is wrong');
  });
});
