import { assert } from 'chai';
import { deliveryAt, deliveryMembers, totalUnits } from '../../src/listing/delivery.js';
import { listingFor } from '../../src/listing/derived.js';
import type { FeedRecord, StatedDelivery, StoredListing } from '../../src/listing/listing.js';
import { applyRecord } from '../../src/listing/merge.js';
import { validatePatch, validateRecord } from '../../src/listing/validate.js';
import { readRates } from '../../src/products/read-rates.js';

const RATES = readRates(null);
const NOW = new Date('2026-06-01T12:00:00Z');
const LATER = new Date('2026-06-02T12:00:00Z');
const base: FeedRecord = { sku: 'A1', source: 'shop', name: 'Kettle', price: '50.00', currency: 'EUR' };

const stated = (fields: Partial<StatedDelivery>): StatedDelivery => ({
  price: null,
  currency: null,
  to: null,
  free_from: null,
  ...fields,
});
const apply = (existing: StoredListing | null, fields: Partial<FeedRecord>, now = LATER) =>
  applyRecord(existing, { ...base, ...fields }, { id: 7, now });
const created = (fields: Partial<FeedRecord>) => apply(null, fields, NOW).listing;
const members = (fields: Partial<FeedRecord>) => deliveryMembers(created(fields), RATES);

describe('delivery of a listing', () => {
  const cases: [
    what: string,
    Partial<FeedRecord>,
    [price: string, currency: string | null, basis: string] | null,
    total: string | null,
  ][] = [
    ['none is stated', {}, null, null],
    [
      'a price in the currency of the listing',
      { delivery: stated({ price: '4.90' }) },
      ['4.90', 'EUR', 'stated'],
      '54.90',
    ],
    ['free delivery', { delivery: stated({ price: '0.00' }) }, ['0.00', 'EUR', 'stated'], '50.00'],
    [
      'the threshold is reached',
      { delivery: stated({ price: '4.90', free_from: '50.00' }) },
      ['0.00', 'EUR', 'free_from'],
      '50.00',
    ],
    [
      'the threshold is not reached',
      { delivery: stated({ price: '4.90', free_from: '50.01' }) },
      ['4.90', 'EUR', 'stated'],
      '54.90',
    ],
    [
      'only a threshold, which is reached',
      { delivery: stated({ free_from: '20.00' }) },
      ['0.00', 'EUR', 'free_from'],
      '50.00',
    ],
    ['only a threshold, which is not reached', { delivery: stated({ free_from: '60.00' }) }, null, null],
    [
      'a threshold in another currency is not compared',
      { delivery: stated({ price: '4.90', currency: 'USD', free_from: '1.00' }) },
      ['4.90', 'USD', 'stated'],
      '54.18',
    ],
    [
      'another currency is converted to cents',
      { delivery: stated({ price: '10.00', currency: 'USD' }) },
      ['10.00', 'USD', 'stated'],
      '58.53',
    ],
    [
      'another currency without a rate',
      { delivery: stated({ price: '10.00', currency: 'XPF' }) },
      ['10.00', 'XPF', 'stated'],
      null,
    ],
    [
      'no price',
      { price: null, delivery: stated({ price: '4.90', free_from: '1.00' }) },
      ['4.90', 'EUR', 'stated'],
      null,
    ],
    [
      'no currency at all',
      { currency: null, delivery: stated({ price: '4.90' }) },
      ['4.90', null, 'stated'],
      '54.90',
    ],
    [
      'amounts whose sum is no exact binary number',
      { price: '9007199254.74', delivery: stated({ price: '0.0001' }) },
      ['0.0001', 'EUR', 'stated'],
      '9007199254.7401',
    ],
    [
      'amounts whose sum has more units than a number holds',
      { price: '900719925473.99', delivery: stated({ price: '900719925473.99' }) },
      ['900719925473.99', 'EUR', 'stated'],
      '1801439850947.98',
    ],
  ];
  for (const [what, fields, expected, total] of cases)
    it(`is shown with its basis, and added to the price: ${what}`, () => {
      const { delivery, total_price } = members(fields);
      assert.deepEqual(
        delivery === null ? null : [delivery.price, delivery.currency, delivery.basis],
        expected,
      );
      assert.strictEqual(total_price, total);
    });

  it('follows the price: a reduction below the threshold costs the free delivery', () => {
    const listing = created({ delivery: stated({ price: '4.90', free_from: '50.00', to: 'DE' }) });
    const reduced = apply(listing, {
      delivery: stated({ price: '4.90', free_from: '50.00', to: 'DE' }),
      price: '49.00',
    });
    assert.strictEqual(reduced.listing.internal.delivery?.units, 49_000);
    assert.strictEqual(totalUnits(reduced.listing, RATES), 539_000n);
  });

  it('becomes unknown if a record does not state it, but not if a patch does not', () => {
    const listing = created({ delivery: stated({ price: '4.90', free_from: '60.00' }) });
    assert.isNull(apply(listing, {}).listing.internal.delivery);
    assert.strictEqual(apply(listing, {}).outcome, 'changed');
    const { price } =
      apply(listing, { price: '70.00', stated: ['sku', 'source', 'price'] }).listing.internal.delivery ?? {};
    assert.strictEqual(price, '4.90');
    const patched = apply(listing, { price: '70.00', stated: ['sku', 'source', 'price'] }).listing;
    assert.strictEqual(deliveryMembers(patched, RATES).delivery?.basis, 'free_from');
    const cleared = apply(listing, { delivery: null, stated: ['sku', 'source', 'delivery'] }).listing;
    assert.isNull(cleared.internal.delivery);
  });

  it('is a visible change, and the same delivery again is none', () => {
    const listing = created({ delivery: stated({ price: '4.90' }) });
    const again = apply(listing, { delivery: stated({ price: '4.90' }) }, new Date(NOW.getTime() + 1_000));
    assert.strictEqual(again.outcome, 'unchanged');
    const changed = apply(listing, { delivery: stated({ price: '5.90' }) });
    assert.strictEqual(changed.outcome, 'changed');
    assert.strictEqual(changed.listing.updated_at, '2026-06-02T12:00:00Z');
  });

  it('is left out of an index with an earlier schema', () => {
    const listing = created({ delivery: stated({ price: '4.90' }) });
    assert.notProperty(listingFor(7, listing).internal, 'delivery');
    assert.isNull(listingFor(8, listingFor(7, listing)).internal.delivery);
  });

  it('is free from a threshold of 0, and unknown if nothing is stated', () => {
    assert.isNull(deliveryAt({ price: '50.00', currency: 'EUR' }, null));
    assert.strictEqual(
      deliveryAt(
        { price: '50.00', currency: 'EUR' },
        stated({ price: '1.00', currency: 'EUR', free_from: '0.00' }),
      )?.units,
      0,
    );
  });
});

describe('delivery in a record', () => {
  const read = (delivery: unknown) => validateRecord({ ...base, delivery }, { now: NOW });
  const valueOf = (delivery: unknown) => {
    const result = read(delivery);
    return 'record' in result ? result.record.delivery : result.reasons;
  };

  it('is read in canonical form', () => {
    assert.deepEqual(valueOf({ price: 4.9, currency: 'eur', to: 'de', free_from: '50' }), {
      price: '4.90',
      currency: 'EUR',
      to: 'DE',
      free_from: '50.00',
    });
    assert.deepEqual(valueOf({ price: 0 }), stated({ price: '0.00' }));
    for (const nothing of [undefined, null, '']) assert.isNull(valueOf(nothing));
  });

  it('is refused if it states neither a price nor a threshold', () => {
    for (const empty of [{}, { to: 'DE', currency: 'EUR' }, { price: ' ' }, { price: null, free_from: null }])
      assert.deepEqual(valueOf(empty), ['delivery: neither price nor free_from is stated']);
  });

  it('is refused with every finding', () => {
    assert.deepEqual(valueOf({ price: -1, currency: 'EURO', to: 'Germany', free_from: '1,00' }), [
      'delivery.price: "-1" is not a decimal number from 0 (no sign, grouping or currency symbol)',
      'delivery.currency: "EURO" is not an ISO 4217 currency code',
      'delivery.to: "Germany" is not a two-letter ISO 3166-1 country code',
      'delivery.free_from: "1,00" is not a decimal number from 0 (no sign, grouping or currency symbol)',
    ]);
    assert.match(String(valueOf('4.90')), /^delivery: "4.90" is not an object/);
    assert.match(String(valueOf([{ price: '4.90' }])), /^delivery: an array is not an object/);
    assert.match(String(valueOf({ price: { amount: '1' } })), /^delivery.price: an object is not/);
    assert.match(String(valueOf({ price: '0.00001' })), /has more than 4 decimals/);
    assert.match(String(valueOf({ price: '1'.repeat(30) })), /is too large/);
  });

  it('is kept by a patch that does not state it', () => {
    const patch = validatePatch({ sku: 'A1', source: 'shop', price: '1.00' }, { now: NOW });
    assert.notProperty('record' in patch ? patch.record : {}, 'delivery');
    const cleared = validatePatch({ sku: 'A1', source: 'shop', delivery: null }, { now: NOW });
    assert.deepInclude('record' in cleared ? cleared.record : {}, {
      delivery: null,
      stated: ['sku', 'source', 'delivery'],
    });
  });
});
