import { assert } from 'chai';
import { conflictReason } from '../../../src/usecases/quality/gtins.js';
import { judgePrices, type Offer, SharedPrices } from '../../../src/usecases/quality/prices.js';
import type { ExchangeRates } from '../../../src/listing/rates/convert.js';

const RATES: ExchangeRates = {
  base: 'USD',
  date: '2026-03-01',
  perBase: new Map([
    ['USD', 1_000n],
    ['SGD', 1_250n],
  ]),
};
const offer = (source: string, price: number | null, more: Partial<Offer> = {}): Offer => ({
  source,
  units: price === null ? null : Math.round(price * 10_000),
  currency: 'SGD',
  isPlaceholder: false,
  ...more,
});
const flags = (offers: Offer[]) => judgePrices(offers, RATES).map((reasons) => Object.keys(reasons));

describe('prices beside the other offers of a product', () => {
  it('are far from them beyond four times the median either way, of three sources', () => {
    const usual = [offer('a', 100), offer('b', 100), offer('c', 100)];
    assert.deepEqual(
      flags([...usual, offer('d', 25), offer('d', 400)]).slice(3),
      [[], []],
      'four times is not beyond',
    );
    assert.deepEqual(flags([...usual, offer('d', 24.99), offer('d', 400.01)]).slice(3), [
      ['price_outlier'],
      ['price_outlier'],
    ]);
    assert.deepEqual(flags([offer('a', 100), offer('a', 100), offer('b', 500)]), [[], [], []], 'two sources');
  });

  it('are placeholders at a twentieth of the median, and outliers too', () => {
    const both = ['price_placeholder', 'price_outlier'];
    assert.deepEqual(flags([offer('a', 5), offer('b', 100), offer('c', 100)])[0], both);
    assert.deepEqual(flags([offer('a', 5.01), offer('b', 100), offer('c', 100)])[0], ['price_outlier']);
    assert.deepEqual(flags([offer('a', 5), offer('b', 195), offer('b', 100)])[0], [], 'two sources');
  });

  it('are judged by one vote of each source, however many listings it has', () => {
    const honest = [offer('a', 95), offer('b', 100), offer('c', 105)];
    for (const price of [2_000, 1])
      for (const listings of [4, 50]) {
        const hostile = Array.from({ length: listings }, () => offer('evil', price));
        const found = flags([...honest, ...hostile]);
        assert.deepEqual(found.slice(0, 3), [[], [], []], `${listings} listings at ${price}`);
        assert.include(found[3] ?? [], 'price_outlier');
      }
    assert.deepEqual(flags([offer('a', 95), offer('evil', 2_000), offer('evil', 2_000)]), [[], [], []]);
  });

  it('count the median of a source with several prices', () => {
    const offers = [offer('a', 10), offer('a', 100), offer('a', 130), offer('b', 100), offer('c', 100)];
    assert.deepEqual(flags(offers), [['price_outlier'], [], [], [], []]);
  });

  it('are compared in one currency, without those that are none already', () => {
    const [dollars] = judgePrices(
      [offer('a', 1, { currency: 'USD' }), offer('b', 100), offer('c', 125), offer('d', 150)],
      RATES,
    );
    assert.equal(dollars?.price_placeholder, '1.00 where the median of 4 sources of this product is 90.00');
    const none = { isPlaceholder: true };
    assert.deepEqual(
      flags([offer('a', 1, none), offer('b', 1, none), offer('c', 100), offer('d', 100)]).slice(2),
      [[], []],
    );
    assert.deepEqual(flags([offer('a', 9, { currency: 'XXX' }), offer('b', null), offer('c', 100)]), [
      [],
      [],
      [],
    ]);
  });
});

describe('small prices that a source has all over', () => {
  it('are none from three listings and 2 % on', () => {
    const shared = new SharedPrices();
    shared.add('few', null, 10);
    shared.add('few', 10_000, 2);
    shared.add('rare', null, 1_000);
    shared.add('rare', 10_000, 19);
    shared.add('shop', null, 150);
    shared.add('shop', 10_000, 3);
    shared.add('shop', 20_001, 100);
    assert.deepEqual(shared.reason('few', 10_000), {});
    assert.deepEqual(shared.reason('rare', 10_000), {});
    assert.deepEqual(shared.reason('shop', 20_001), {}, 'more than 2.00 may be a price');
    assert.deepEqual(shared.reason('shop', null), {});
    assert.deepEqual(shared.reason('shop', 10_000), {
      price_placeholder: '1.00 as 2 other listings of shop (2.0 % of them)',
    });
  });
});

describe('a GTIN of several brands', () => {
  const shops = (counts: Record<string, number>) => new Map(Object.entries(counts));
  const conflict = (brands: Record<string, Record<string, number>>, brand: string | null) =>
    conflictReason(
      {
        gtin: '04006381333931',
        brands: new Map(Object.entries(brands).map(([name, counts]) => [name, shops(counts)])),
      },
      brand,
    );

  it('is in doubt where as many or more sources have it with another brand', () => {
    const brands = { stabilo: { a: 1, b: 1 }, faber: { c: 1 }, pelikan: { d: 1, e: 2 } };
    assert.property(conflict(brands, 'faber'), 'gtin_conflict');
    assert.property(conflict(brands, 'stabilo'), 'gtin_conflict');
    assert.deepEqual(conflict(brands, null), {});
    assert.deepEqual(conflict({ stabilo: { a: 1, b: 1 }, faber: { c: 1 } }, 'stabilo'), {});
  });

  it('is of the brand that most listings have, within one source', () => {
    const brands = { stabilo: { a: 2 }, faber: { a: 1 } };
    assert.deepEqual(conflict(brands, 'stabilo'), {});
    assert.deepEqual(conflict(brands, 'faber'), {
      gtin_conflict: 'GTIN 04006381333931 is of "stabilo" in 2 listings, and of "faber" here',
    });
  });

  it('is not taken from two sources by the many listings of a third one', () => {
    const brands = { stabilo: { a: 1, b: 1 }, evil: { e: 40 } };
    assert.deepEqual(conflict(brands, 'stabilo'), {});
    assert.property(conflict(brands, 'evil'), 'gtin_conflict');
  });
});
