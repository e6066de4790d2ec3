import { assert } from 'chai';
import { dealOf } from '../../src/listing/deals.js';
import type { FeedRecord, StoredListing } from '../../src/listing/listing.js';
import { applyRecord } from '../../src/listing/merge.js';
import { priceHistory } from '../../src/listing/price-history.js';
import { validateRecord } from '../../src/listing/validate.js';

const DAY = 86_400_000;
const START = Date.parse('2026-03-01T00:00:00Z');
const day = (n: number) => new Date(START + n * DAY);

/** Applies one record a day with the given prices. */
function listingWith(prices: (Partial<FeedRecord> & { on: number })[]): StoredListing {
  let listing: StoredListing | null = null;
  for (const { on, ...fields } of prices) {
    const record = { sku: 'A', source: 'shop', name: 'Desk', currency: 'EUR', ...fields };
    listing = applyRecord(listing, record, { id: 7, now: day(on) }).listing;
  }
  if (listing === null) throw new Error('there are no prices');
  return listing;
}
const plainDays = Array.from({ length: 40 }, (_, on) => ({ on, price: '100.00' }));
const historyOf = (listing: StoredListing, now: number) =>
  priceHistory(listing, { from: START, to: day(now).getTime(), interval: 'day' }, day(now));

describe('a "from" price', () => {
  it('is a mark of the price that a record states', () => {
    const from = listingWith([{ on: 0, price: '10.00', price_from: true }]);
    assert.isTrue(from.internal.price_from);
    assert.deepEqual(from.internal.price_history, [
      { price: '10.00', at: '2026-03-01T00:00:00Z', from: true },
    ]);
    const next = (fields: Partial<FeedRecord>) =>
      applyRecord(
        from,
        { sku: 'A', source: 'shop', name: 'Desk', currency: 'EUR', ...fields },
        { id: 7, now: day(1) },
      );
    assert.equal(next({ price: '10.00', price_from: true }).outcome, 'unchanged');
    const plain = next({ price: '10.00' });
    assert.equal(plain.outcome, 'changed');
    assert.isFalse(plain.listing.internal.price_from);
    assert.isFalse(next({ price: null, price_from: true }).listing.internal.price_from);
    const patch = { name: '-', stated: ['sku', 'source', 'brand'], brand: 'Orbit' };
    assert.isTrue(next(patch).listing.internal.price_from);
    assert.isFalse(
      next({ ...patch, price: '9.00', stated: ['sku', 'source', 'price'] }).listing.internal.price_from,
    );
  });

  it('is neither a deal nor a lowest price, and proves no reduction', () => {
    const listing = listingWith([
      ...plainDays,
      { on: 40, price: '20.00', price_from: true, list_price: '100.00' },
    ]);
    assert.isNull(dealOf(listing, day(41)));
    assert.equal(listing.internal.claim?.verdict, 'unknown');
    const { statistics, position } = historyOf(listing, 50);
    assert.deepInclude(statistics, { current: '20.00', lowest_ever: '100.00', lowest_30d: '100.00' });
    assert.equal(position.verdict, 'unknown');
    const plain = listingWith([...plainDays, { on: 40, price: '20.00', list_price: '100.00' }]);
    assert.equal(dealOf(plain, day(41))?.discount_pct, 80);
  });

  it('does not count against a later plain price', () => {
    const listing = listingWith([
      ...plainDays,
      { on: 40, price: '20.00', price_from: true },
      { on: 41, price: '80.00' },
    ]);
    assert.equal(historyOf(listing, 45).statistics?.lowest_ever, '80.00');
    assert.equal(dealOf(listing, day(42))?.original_price, '100.00');
  });

  it('is the lowest price of a listing that never had another one', () => {
    const listing = listingWith([{ on: 0, price: '20.00', price_from: true }]);
    assert.equal(historyOf(listing, 2).statistics?.lowest_ever, '20.00');
  });

  it('is read from records and from the histories of dumps', () => {
    const base = { sku: 'A', source: 's', name: 'Desk', price: '1.00', currency: 'EUR' };
    const read = (fields: object, mayBeDumped = false) =>
      validateRecord({ ...base, ...fields }, { now: day(1), mayBeDumped });
    assert.deepInclude(read({ price_from: true }), {
      record: { ...(read({}) as any).record, price_from: true },
    });
    assert.deepEqual(read({ price_from: 'maybe' }), {
      reasons: ['price_from: "maybe" is not true or false'],
    });
    const price_history = [{ price: '1.00', at: '2026-02-01T00:00:00Z', from: true }];
    const times = { first_observed_at: '2026-02-01T00:00:00Z', observed_at: '2026-02-01T00:00:00Z' };
    const dumped = read({ price_history, times, updated_at: '2026-02-01T00:00:00Z' }, true) as any;
    assert.deepEqual(dumped.record.price_history, price_history);
  });
});
