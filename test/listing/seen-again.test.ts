import { assert } from 'chai';
import { seededRandom } from '../../src/text/statistics.js';
import type { FeedRecord, StoredListing } from '../../src/listing/listing.js';
import { applyRecord } from '../../src/listing/merge.js';

const DAY_MS = 86_400_000;
const START = Date.UTC(2026, 5, 1);
const atDay = (day: number): Date => new Date(START + day * DAY_MS);

const apply = (existing: StoredListing | null, record: FeedRecord, now: Date, more: object = {}) =>
  applyRecord(existing, record, {
    id: 7,
    now,
    place: { run: `run of ${now.toISOString()}`, line: 3 },
    ...more,
  });

/** A listing as the index returns it. */
const stored = (listing: StoredListing): StoredListing =>
  JSON.parse(JSON.stringify(listing)) as StoredListing;

/** A listing that lacks a derived field, as an earlier version stored it, so that all fields are derived again. */
function incomplete(listing: StoredListing): StoredListing {
  const { quantity: _, ...internal } = listing.internal;
  return { ...listing, internal };
}

/** Whether the fields were not derived again: then the result has the very objects of the stored listing. */
const isRepeat = (before: StoredListing, after: StoredListing): boolean =>
  before.internal.kinds === after.internal.kinds && before.metadata === after.metadata;

const delivery = { price: '4.90', currency: null, to: 'DE', free_from: '30.00' };
const FULL: FeedRecord = {
  sku: 'A1',
  source: 'shop',
  name: 'Bolt Tea 6 x 250 g',
  price: '50.00',
  currency: 'EUR',
  list_price: '60.00',
  gtin: ['4006381333931'],
  category_path: ['Food', 'Tea'],
  metadata: { model: 'X-1', attributes: { colour: 'Green' } },
  delivery,
};

describe('a record that repeats its listing', () => {
  it('changes only when the listing was last seen, and derives nothing again', () => {
    for (const fields of [{}, { price: null }, { brand: 'Bolt' }, { delivery: null }]) {
      const record = { ...FULL, ...fields };
      const before = stored(apply(null, record, atDay(0)).listing);
      const { outcome, listing } = apply(before, record, atDay(1));
      assert.strictEqual(outcome, 'unchanged');
      assert.isTrue(isRepeat(before, listing), JSON.stringify(fields));
      assert.strictEqual(listing.internal.observed_at, '2026-06-02T00:00:00Z');
      assert.deepEqual(
        listing.internal.lineage?.map(({ set }) => set),
        [['*'], []],
      );
      assert.strictEqual(apply(listing, record, new Date(atDay(1).getTime() + 60_000)).listing, listing);
    }
  });

  it('is one only if it repeats every field', () => {
    const before = stored(apply(null, FULL, atDay(0)).listing);
    for (const fields of [
      { name: 'Bolt Tea 6 x 500 g' },
      { price: '49.00' },
      { currency: 'USD' },
      { list_price: '61.00' },
      { list_price: null },
      { gtin: null },
      { gtin: '4006381333931', metadata: null },
      { delivery: null },
      { delivery: { ...delivery, to: 'AT' } },
      { category_path: ['Food'] },
      { metadata: { model: 'X-2', attributes: { colour: 'Green' } } },
      { is_available: false },
      { last_checked: '2026-06-02T00:00:00Z' },
      { price_history: [{ price: '70.00', at: '2026-01-01T00:00:00Z' }] },
    ]) {
      const { listing } = apply(before, { ...FULL, ...fields }, atDay(1));
      assert.isFalse(isRepeat(before, listing), JSON.stringify(fields));
    }
    const maker = (name: string | null) => () => ({ maker: name, brand: name?.toLowerCase() ?? null });
    const inferred = stored(apply(null, FULL, atDay(0), { makerOf: maker('Bolt') }).listing);
    assert.isTrue(isRepeat(inferred, apply(inferred, FULL, atDay(1), { makerOf: maker('Bolt') }).listing));
    const renamed = apply(inferred, FULL, atDay(1), { makerOf: maker('Nut') }).listing;
    assert.deepInclude(renamed.internal, { maker: 'Nut', brand: 'nut' });
  });

  it('gives the listing that deriving all fields gives', () => {
    const random = seededRandom(32);
    const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
    const draw = (): Partial<FeedRecord> => ({
      ...(random() < 0.3 ? { price: one(['50.00', '45.00', null]) } : {}),
      ...(random() < 0.1 ? { name: one(['Bolt Tea 6 x 250 g', 'Bolt Tea 1 kg']) } : {}),
      ...(random() < 0.1 ? { list_price: one(['60.00', null]) } : {}),
      ...(random() < 0.1 ? { gtin: one(['4006381333931', null]) } : {}),
      ...(random() < 0.1 ? { delivery: one([delivery, null]) } : {}),
      ...(random() < 0.1 ? { brand: one(['Bolt', null]) } : {}),
      ...(random() < 0.05 ? { last_checked: atDay(-1).toISOString() } : {}),
    });
    let repeats = 0;
    for (let series = 0; series < 20; series += 1) {
      let record = { ...FULL, ...draw() };
      let day = 0;
      let listing = stored(apply(null, record, atDay(day)).listing);
      for (let load = 0; load < 15; load += 1) {
        day += one([0, 0.25, 1, 1, 1, 13, 14, 15, 40]);
        record = { ...record, last_checked: null, ...draw() };
        const observedAt = one([null, null, null, atDay(day - 1)]);
        const result = apply(listing, record, atDay(day), { observedAt });
        if (result.listing !== listing) {
          const derived = apply(incomplete(listing), record, atDay(day), { observedAt });
          assert.deepEqual(stored(result.listing), stored(derived.listing), `${series}, ${load}`);
          if (isRepeat(listing, result.listing)) repeats += 1;
        }
        listing = stored(result.listing);
      }
    }
    assert.isAbove(repeats, 30);
  });
});
