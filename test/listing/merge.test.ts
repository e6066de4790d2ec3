import { assert } from 'chai';
import type { StoredListing } from '../../src/listing/listing.js';
import { PRODUCT_FIELDS } from '../../src/schemas/product.js';
import { applyRecord, SIGHTING_STEP_MS } from '../../src/listing/merge.js';
import type { MergeOutcome } from '../../src/listing/merge.js';
import type { FeedRecord } from '../../src/listing/listing.js';
import { pluck } from '../support/listings.js';

const NOW = new Date('2026-06-01T12:00:00Z');
const LATER = new Date('2026-06-02T12:00:00Z');
const base: FeedRecord = { sku: 'A1', source: 'shop', name: 'Kettle', price: '50.00', currency: 'SGD' };

const apply = (existing: StoredListing | null, fields: Partial<FeedRecord>, now = LATER) =>
  applyRecord(existing, { ...base, ...fields }, { id: 7, now });

function created(fields: Partial<FeedRecord> = {}): StoredListing {
  const { listing, outcome } = apply(null, fields, NOW);
  assert.strictEqual(outcome, 'created');
  return listing;
}
const day = (date: string): string => `2026-${date}T00:00:00Z`;

describe('applyRecord', () => {
  it('rewrites a price that an earlier version stored with more zeros, which is no move of the price', () => {
    const { listing, outcome } = apply({ ...created(), price: '50.000' }, {});
    assert.deepEqual([listing.price, outcome], ['50.00', 'changed']);
  });

  it('writes the price of a patch with the decimals of the currency that the listing has', () => {
    const listing = created({ price: '7.500', currency: 'KWD' });
    const patched = (price: string) =>
      applyRecord(
        listing,
        { sku: 'A1', source: 'shop', name: '-', price, stated: ['sku', 'source', 'price'] },
        { id: 7, now: LATER },
      );
    assert.notStrictEqual(patched('7.50').outcome, 'price_moved');
    assert.strictEqual(patched('8.50').listing.price, '8.500');
  });

  it('shows a time ahead of the clock as stated, but compares it as the time of the load', () => {
    const ahead = created({ last_checked: '2026-06-02T11:00:00Z' });
    assert.strictEqual(ahead.last_checked, '2026-06-02T11:00:00Z');
    assert.strictEqual(ahead.internal.observed_at, '2026-06-01T12:00:00Z');
    assert.deepEqual(ahead.internal.price_history, [{ price: '50.00', at: '2026-06-01T12:00:00Z' }]);
    const next = apply(ahead, { price: '45.00', last_checked: '2026-06-01T15:00:00Z' });
    assert.deepInclude(next, { outcome: 'price_moved' });
    assert.strictEqual(next.listing.internal.observed_at, '2026-06-01T15:00:00Z');
    const dumped = {
      first_observed_at: day('01-01'),
      observed_at: '2026-06-02T11:00:00Z',
      updated_at: day('05-01'),
    };
    assert.strictEqual(created({ times: dumped }).internal.observed_at, '2026-06-01T12:00:00Z');
  });

  it('creates a listing with all fields in the order of the schema', () => {
    const listing = created({ metadata: { model: 'X-1', ean: '4006381333931' }, list_price: '60.00' });
    assert.deepEqual(Object.keys(listing), [...PRODUCT_FIELDS, 'internal']);
    assert.include(listing, {
      id: 7,
      price: '50.00',
      brand: null,
      last_checked: null,
      updated_at: '2026-06-01T12:00:00Z',
    });
    assert.deepEqual(listing.category_path, []);
    assert.deepInclude(listing.internal, {
      price_units: 500_000,
      list_price: '60.00',
      gtins: ['04006381333931'],
      models: ['x1'],
      first_observed_at: '2026-06-01T12:00:00Z',
      observed_at: '2026-06-01T12:00:00Z',
      price_history: [{ price: '50.00', at: '2026-06-01T12:00:00Z' }],
      attributes: ['X-1', '4006381333931'],
    });
  });

  it('changes nothing if the same record is applied again, with or without a time', () => {
    for (const fields of [
      {},
      { last_checked: day('05-01') },
      { price_history: [{ price: '70.00', at: day('01-01') }], list_price: '80.00' },
      { price: null },
    ]) {
      const listing = created(fields);
      const again = apply(listing, fields, new Date(NOW.getTime() + SIGHTING_STEP_MS - 1));
      assert.strictEqual(again.outcome, 'unchanged');
      assert.strictEqual(again.listing, listing);
    }
  });

  it('keeps the time at which a record without a time was seen again, and shows no change', () => {
    for (const fields of [
      {},
      { price_history: [{ price: '70.00', at: day('01-01') }], list_price: '80.00' },
      { price: null },
    ]) {
      const listing = created(fields);
      const { outcome, listing: again } = apply(listing, fields);
      assert.strictEqual(outcome, 'unchanged');
      const { internal } = again;
      assert.strictEqual(internal.observed_at, '2026-06-02T12:00:00Z');
      assert.deepEqual({ ...again, internal: null }, { ...listing, internal: null });
      const { observed_at, price_history } = listing.internal;
      assert.deepEqual({ ...internal, observed_at, price_history }, listing.internal);
      assert.strictEqual(price_history.length, internal.price_history.length);
      assert.strictEqual(apply(again, fields, NOW).listing, again, 'an earlier sighting');
    }
    const dated = created({ last_checked: day('05-01') });
    assert.strictEqual(apply(dated, { last_checked: day('05-01') }).listing, dated);
    const { listing } = apply(dated, {});
    assert.strictEqual(listing.last_checked, day('05-01'));
    assert.strictEqual(listing.internal.observed_at, '2026-06-02T12:00:00Z');
  });

  it('keeps the group, and the link as long as the identifying fields are unchanged', () => {
    const fresh = created({ gtin: '4006381333931', metadata: { model: 'X-1' } });
    assert.include(fresh.internal, { group_id: 7, linked_at: null });
    const linked_at = '2026-06-01T13:00:00Z';
    const linked = { ...fresh, internal: { ...fresh.internal, group_id: 5, linked_at } };
    const same = { metadata: { model: 'X-1' } };
    assert.strictEqual(apply(linked, same).outcome, 'unchanged');
    const cheaper = apply(linked, { ...same, price: '40.00', category: 'Kettles', is_available: false });
    assert.include(cheaper.listing.internal, { group_id: 5, linked_at });
    const older = apply(linked, { ...same, name: 'Pot', last_checked: day('05-01') });
    assert.include(older.listing.internal, { group_id: 5, linked_at });
    for (const change of [
      { ...same, name: 'Kettle X-2' },
      { ...same, brand: 'Bosch' },
      { ...same, description: 'For tea' },
      { ...same, gtin: null },
      {},
    ]) {
      assert.include(apply(linked, change).listing.internal, { group_id: 5, linked_at: null });
    }
  });

  it('reports what changed', () => {
    const listing = created({ last_checked: day('05-01') });
    const may2 = { last_checked: day('05-02') };
    const cases: [Partial<FeedRecord>, MergeOutcome][] = [
      [{ ...may2, price: '45.00' }, 'price_moved'],
      [{ ...may2, price: null }, 'price_cleared'],
      [{ ...may2, name: 'Big kettle' }, 'changed'],
      [{ ...may2, list_price: '99.00' }, 'changed'],
      [{ ...may2, gtin: ['4006381333931'] }, 'changed'],
      [may2, 'checked'],
      [{ last_checked: day('05-01'), price_history: [{ price: '70.00', at: day('01-01') }] }, 'history'],
    ];
    for (const [fields, expected] of cases) {
      const { outcome, listing: after } = apply(listing, fields);
      assert.strictEqual(outcome, expected);
      const moved = ['price_moved', 'price_cleared', 'changed'].includes(expected);
      assert.strictEqual(after.updated_at, moved ? '2026-06-02T12:00:00Z' : listing.updated_at, expected);
    }
  });

  it('clears fields that the record leaves out, except the time of the last check', () => {
    const listing = created({ brand: 'Sony', last_checked: day('05-01') });
    const after = apply(listing, {}).listing;
    assert.include(after, { brand: null, last_checked: day('05-01') });
    assert.strictEqual(after.internal.observed_at, '2026-06-02T12:00:00Z');
  });

  it('keeps the fields that exports lack unless they are null', () => {
    const listing = created({ list_price: '60.00', gtin: ['4006381333931'] });
    assert.strictEqual(apply(listing, {}).outcome, 'unchanged');
    const { listing: after, outcome } = apply(listing, { list_price: null, gtin: null });
    assert.strictEqual(outcome, 'changed');
    assert.deepInclude(after.internal, { list_price: null, gtins: [], identifiers: ['a1'] });
  });

  it('adds a record that was observed earlier only to the history', () => {
    const listing = created({ last_checked: day('05-10') });
    const older = { name: 'Old', price: '40.00', last_checked: day('05-01') };
    const { listing: after, outcome } = apply(listing, older);
    assert.strictEqual(outcome, 'history');
    assert.deepEqual({ ...after, internal: listing.internal }, listing);
    assert.deepEqual(after.internal.price_history, [
      { price: '40.00', at: day('05-01') },
      { price: '50.00', at: day('05-10') },
    ]);
    assert.strictEqual(after.internal.first_observed_at, day('05-01'));
    assert.strictEqual(after.internal.observed_at, day('05-10'));
    assert.strictEqual(apply(after, older).outcome, 'unchanged');
  });

  it('creates the same listing whatever the order of the records', () => {
    const records = Array.from({ length: 12 }, (_, day): Partial<FeedRecord> => ({
      name: `Kettle ${day}`,
      price: `${50 + day}.00`,
      list_price: '99.00',
      last_checked: `2026-05-${String(day + 1).padStart(2, '0')}T00:00:00Z`,
      price_history: [{ price: '77.00', at: `2026-04-${String(day + 1).padStart(2, '0')}T00:00:00Z` }],
    }));
    const load = (order: number[]) =>
      order.reduce<StoredListing | null>((listing, i) => apply(listing, records[i] ?? {}, NOW).listing, null);
    const inOrder = load([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    // The observations of April have the same price, so most of them are not stored.
    assert.lengthOf(inOrder?.internal.price_history ?? [], 14);
    assert.strictEqual(inOrder?.name, 'Kettle 11');
    for (const step of [5, 7, 11]) {
      assert.deepEqual(load(records.map((_, i) => (i * step) % 12)), inOrder);
    }
    assert.deepEqual(load([11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]), inOrder);
  });

  it('does not treat a new currency as a change of price', () => {
    const dollars = created({ currency: 'USD', last_checked: day('05-01') });
    const inSgd = { price: '65.00', currency: 'SGD', last_checked: day('05-20') };
    const { listing, outcome } = apply(dollars, inSgd);
    assert.strictEqual(outcome, 'price_moved');
    assert.deepEqual(listing.internal.price_history, [
      { price: '50.00', at: day('05-01'), currency: 'USD' },
      { price: '65.00', at: day('05-20') },
    ]);
    assert.isNull(listing.internal.reference_units);
    const older = apply(listing, { price: '49.00', currency: 'USD', last_checked: day('05-05') });
    assert.strictEqual(older.listing.internal.price_history[1]?.currency, 'USD');
    const back = apply(older.listing, { price: '48.00', currency: 'USD', last_checked: day('05-25') });
    assert.deepEqual(pluck(back.listing.internal.price_history, 'currency'), [
      undefined,
      undefined,
      'SGD',
      undefined,
    ]);
  });

  it('does not compare prices of two currencies across a record without a currency', () => {
    const may = (day: number) => ({ last_checked: `2026-05-${String(day).padStart(2, '0')}T00:00:00Z` });
    const inSgd = created({ price: '100.00', ...may(1) });
    const unlabelled = apply(inSgd, { price: '100.00', currency: null, ...may(10) }).listing;
    const inUsd = apply(unlabelled, { price: '75.00', currency: 'USD', ...may(20) }).listing;
    assert.deepEqual(pluck(inUsd.internal.price_history, 'currency'), ['SGD', null, undefined]);
    assert.deepInclude(inUsd.internal, {
      reference_units: null,
      observed_discount: null,
      price_moved_at: [],
    });
    const older = { price: '120.00', currency: null, ...may(5) };
    assert.isNull(apply(inUsd, older).listing.internal.observed_discount, 'nor is an older one');
    const cheaper = apply(unlabelled, { price: '75.00', currency: null, ...may(20) }).listing;
    assert.isNull(cheaper.internal.observed_discount, 'nor are two without one');
    const back = apply(unlabelled, { price: '75.00', ...may(20) }).listing;
    assert.strictEqual(back.internal.observed_discount, 250_000_000, 'the currency that was there before is');
  });

  it('stores the fields by which deals are found', () => {
    const history = [{ price: '100.00', at: day('03-01') }];
    const listing = created({ price: '80.00', price_history: history, last_checked: day('05-01') });
    assert.include(listing.internal, { reference_units: 1_000_000, observed_discount: 200_000_000 });
    const dearer = apply(listing, { price: '100.00', last_checked: day('05-02') }).listing;
    assert.isNull(dearer.internal.observed_discount);
  });

  describe('with records of an untrusted sender', () => {
    const told = (existing: StoredListing | null, fields: Partial<FeedRecord>, now = LATER) =>
      applyRecord(existing, { ...base, ...fields }, { id: 7, now, declaredHistory: true }).listing;
    const invented = { price: '1999.00', at: day('04-01') };

    it('stores past prices as declared, in the history and in the record itself', () => {
      const nothing = { reference_units: null, observed_discount: null, price_moved_at: [] };
      const listing = told(null, { price: '99.00', list_price: '1500.00', price_history: [invented] }, NOW);
      const first_observed_at = '2026-06-01T12:00:00Z';
      assert.deepInclude(listing.internal, { ...nothing, first_observed_at, list_price_observed: false });
      assert.deepEqual(listing.internal.price_history[0], { ...invented, declared: true });
      const backdated = told(null, { price: '1999.00', last_checked: day('04-01') }, NOW);
      assert.include(backdated.internal, { first_observed_at });
      assert.deepInclude(told(backdated, { price: '99.00' }).internal, nothing);
      const older = told(told(null, { price: '99.00' }), {
        price: '1999.00',
        last_checked: '2026-06-02T06:00:00Z',
      });
      assert.isTrue(older.internal.price_history[0]?.declared);
      assert.deepInclude(told(older, { price: '98.00' }, new Date('2026-06-03T12:00:00Z')).internal, {
        reference_units: 990_000,
      });
    });

    it('counts a price of the last day as observed when it is received', () => {
      const listing = told(null, { last_checked: '2026-06-01T01:00:00Z' }, NOW);
      assert.deepEqual(listing.internal.price_history, [{ price: '50.00', at: '2026-06-01T01:00:00Z' }]);
      const cheaper = told(listing, { price: '40.00', last_checked: '2026-06-02T11:00:00Z' });
      assert.include(cheaper.internal, { reference_units: 500_000 });
    });

    it('never replaces an observed price', () => {
      const seen = { price: '40.00', at: day('05-01') };
      const observed = created({ last_checked: day('05-20'), price_history: [seen] });
      const after = told(observed, {
        last_checked: day('05-20'),
        price_history: [{ ...seen, price: '400.00' }],
      });
      assert.deepEqual(after.internal.price_history.slice(0, 2), [
        seen,
        { ...seen, price: '400.00', declared: true },
      ]);
      assert.strictEqual(after.internal.reference_units, observed.internal.reference_units);
    });

    it('keeps declared prices in a dump that is loaded again', () => {
      const backdated = told(null, { last_checked: day('04-01') }, NOW);
      const again = created({
        last_checked: backdated.last_checked,
        price_history: backdated.internal.price_history,
      });
      assert.deepEqual(again.internal.price_history, backdated.internal.price_history);
    });
  });

  it('stores whether the list price was ever observed', () => {
    const history = [{ price: '59.90', at: day('03-01') }];
    const listing = created({ price_history: history, list_price: '60.00', last_checked: day('05-01') });
    assert.isFalse(listing.internal.list_price_observed);
    assert.isNull(created().internal.list_price_observed);
    const dearer = { price_history: [{ price: '60.00', at: day('02-01') }] };
    const older = apply(listing, { ...dearer, last_checked: day('04-01') }).listing;
    assert.isTrue(older.internal.list_price_observed);
    assert.isTrue(apply(listing, { price: null, ...dearer }).listing.internal.list_price_observed);
  });

  it('stores when the price changed and whether there is an image', () => {
    const listing = created({ last_checked: day('05-01'), image_url: 'https://x.example/i.jpg' });
    assert.deepInclude(listing.internal, { price_moved_at: [], has_image: true });
    const dearer = apply(listing, { price: '51.00', last_checked: day('05-02') }).listing;
    assert.deepInclude(dearer.internal, { price_moved_at: [day('05-02')], has_image: false });
    const older = apply(dearer, { price: '49.00', last_checked: day('04-30') }).listing;
    assert.deepEqual(older.internal.price_moved_at, [day('05-01'), day('05-02')]);
  });

  it('stores whether the listing is an accessory', () => {
    const isAccessory = (name: string, category: string | null = null) =>
      created({ name, category }).internal.accessory;
    assert.isTrue(isAccessory('Neoprene sleeve for 14 inch laptop'));
    assert.isTrue(isAccessory('Sarung iPhone 15'));
    assert.isTrue(isAccessory('电视壁挂架'));
    assert.isTrue(isAccessory('Nova 15', 'Chargers'));
    assert.isFalse(isAccessory('Laptop 14 inch, with charger', 'Laptops'));
  });

  it('completes a document of schema 1', () => {
    const listing = created({ list_price: '60.00' });
    const { price_moved_at, list_price_observed, has_image, ...before } = listing.internal;
    const old = { ...listing, internal: before } as StoredListing;
    const { listing: after, outcome } = apply(old, {});
    assert.strictEqual(outcome, 'history');
    assert.deepInclude(after.internal, { price_moved_at, list_price_observed, has_image });
    assert.strictEqual(after.updated_at, listing.updated_at);
    assert.strictEqual(apply(after, {}).outcome, 'unchanged');
  });

  it('fills the category from the path, never the path from the category', () => {
    assert.strictEqual(created({ category_path: ['Home', 'Kettles'] }).category, 'Kettles');
    assert.deepEqual(created({ category: 'Kettles' }).category_path, []);
    assert.strictEqual(created({ category: 'K', category_path: ['Home'] }).category, 'K');
  });

  it('does not store a tracked link of this service as the link of the feed', () => {
    assert.isNull(created({ affiliate_url: 'https://any.example/sub/track/7' }).affiliate_url);
    const other = 'https://any.example/track/8';
    assert.strictEqual(created({ affiliate_url: other }).affiliate_url, other);
  });

  it('does not store a link from a template of the operator as the link of the feed', () => {
    const affiliateTemplates = { shop: 'https://go.example/?id={id}&sku={sku}&to={buy_url}' };
    const buy_url = 'https://shop.example/?a=1&b=2';
    const own = 'https://go.example/?id=7&sku=A1&to=https%3A%2F%2Fshop.example%2F%3Fa%3D1%26b%3D2';
    const linked = (affiliate_url: string, source = 'shop') =>
      applyRecord(null, { ...base, source, buy_url, affiliate_url }, { id: 7, now: NOW, affiliateTemplates })
        .listing.affiliate_url;
    assert.isNull(linked(own));
    assert.strictEqual(linked(own, 'other'), own);
    assert.strictEqual(linked(`${own}&by=feed`), `${own}&by=feed`);
  });

  it('keeps the result of inspecting the image', () => {
    const image = { url: 'https://x.example/i.jpg', seen_at: day('05-01'), hash: 'ff', failure: null };
    const listing = created();
    const seen = { ...listing, internal: { ...listing.internal, image } };
    assert.strictEqual(apply(seen, {}).outcome, 'unchanged');
    assert.deepEqual(apply(seen, { price: '1.00' }).listing.internal.image, image);
  });
});
