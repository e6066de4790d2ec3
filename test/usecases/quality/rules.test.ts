import { assert } from 'chai';
import type { ExchangeRates } from '../../../src/listing/rates.js';
import {
  gtinConflictReasons,
  type PricedOffer,
  priceReasons,
  SharedPrices,
  usualOfOthers,
} from '../../../src/usecases/quality/rules.js';

const RATES: ExchangeRates = {
  base: 'USD',
  date: '2026-03-01',
  perBase: new Map([
    ['USD', 1_000n],
    ['SGD', 1_250n],
  ]),
};
const offer = (owner: string, price: number | null, more: Partial<PricedOffer> = {}): PricedOffer => ({
  owner,
  units: price === null ? null : Math.round(price * 10_000),
  currency: 'SGD',
  isPlaceholder: false,
  ...more,
});
const flags = (offers: PricedOffer[]) => priceReasons(offers, RATES).map((reasons) => Object.keys(reasons));

describe('usualOfOthers', () => {
  it('is the median at three or more other owners, in the currency of the offer', () => {
    const others = [offer('a', 80), offer('b', 90), offer('c', 300)];
    const own = offer('x', 10, { currency: 'USD' });
    assert.strictEqual(usualOfOthers([own, ...others], own, RATES), 720_000);
    assert.isNull(usualOfOthers([own, offer('x', 20), ...others.slice(1)], own, RATES));
    const foreign = offer('x', 10, { currency: 'JPY' });
    assert.isNull(usualOfOthers([foreign, ...others], foreign, RATES));
  });
});

describe('priceReasons', () => {
  it('flags prices above four times or below a quarter of the median of at least three owners', () => {
    const usual = [offer('a', 100), offer('b', 100), offer('c', 100)];
    assert.deepEqual(
      flags([...usual, offer('d', 25), offer('d', 400)]).slice(3),
      [['price_low'], []],
      'exactly four times and exactly a quarter are no outliers',
    );
    assert.deepEqual(flags([...usual, offer('d', 24.99), offer('d', 400.01)]).slice(3), [
      ['price_outlier'],
      ['price_outlier'],
    ]);
  });

  it('warns of a price below half of the median of at least three owners', () => {
    const low = (price: number, others: number[]) =>
      flags([offer('x', price), ...others.map((one, at) => offer(`o${at}`, one))])[0];
    assert.deepEqual(low(49.99, [100, 100]), ['price_low']);
    assert.deepEqual(low(50, [100, 100]), []);
    assert.deepEqual(low(24.99, [100, 100]), ['price_outlier']);
    assert.deepEqual(low(49.99, [100]), [], 'two owners');
  });

  it('flags a price at or below 5 % of the median as a placeholder and as an outlier', () => {
    const both = ['price_placeholder', 'price_outlier'];
    assert.deepEqual(flags([offer('a', 5), offer('b', 100), offer('c', 100)])[0], both);
    assert.deepEqual(flags([offer('a', 5.01), offer('b', 100), offer('c', 100)])[0], ['price_outlier']);
  });

  it('gives each owner one vote, however many listings it has', () => {
    const honest = [offer('a', 95), offer('b', 100), offer('c', 105)];
    for (const price of [2_000, 1])
      for (const listings of [4, 50]) {
        const hostile = Array.from({ length: listings }, () => offer('evil', price));
        const found = flags([...honest, ...hostile]);
        assert.deepEqual(found.slice(0, 3), [[], [], []], `${listings} listings at ${price}`);
        assert.include(found[3] ?? [], 'price_outlier');
      }
  });

  it('reports that two owners disagree, without saying which of them is wrong', () => {
    const disputed = ['price_disputed'];
    for (const price of [2_000, 1])
      assert.deepEqual(flags([offer('a', 95), offer('evil', price), offer('evil', price)]), [
        disputed,
        disputed,
        disputed,
      ]);
    assert.deepEqual(flags([offer('a', 100), offer('b', 400)]), [[], []], 'exactly four times');
    assert.deepEqual(flags([offer('a', 1), offer('a', 2_000)]), [[], []], 'one owner');
    const [reasons] = priceReasons([offer('a', 35.9), offer('b', 179.5), offer('b', 179.5)], RATES);
    assert.deepEqual(reasons, {
      price_disputed: '35.90 where the only other shop of this product asks 179.50',
    });
  });

  it('uses the median of the prices of an owner that has several', () => {
    const offers = [offer('a', 10), offer('a', 100), offer('a', 130), offer('b', 100), offer('c', 100)];
    assert.deepEqual(flags(offers), [['price_outlier'], [], [], [], []]);
  });

  it('converts prices to one currency and leaves out known placeholders', () => {
    const [dollars] = priceReasons(
      [offer('a', 1, { currency: 'USD' }), offer('b', 100), offer('c', 125), offer('d', 150)],
      RATES,
    );
    assert.equal(dollars?.price_placeholder, '1.00 where the median of 4 shops of this product is 90.00');
    const placeholder = { isPlaceholder: true };
    assert.deepEqual(
      flags([offer('a', 1, placeholder), offer('b', 1, placeholder), offer('c', 100), offer('d', 100)]).slice(
        2,
      ),
      [[], []],
    );
    assert.deepEqual(flags([offer('a', 9, { currency: 'XXX' }), offer('b', null), offer('c', 100)]), [
      [],
      [],
      [],
    ]);
  });
});

describe('SharedPrices', () => {
  it('treats a small price as a placeholder if at least three listings and 2 % of the source share it', () => {
    const shared = new SharedPrices();
    shared.setListings('few', 10);
    shared.setSharing('few', 10_000, 2);
    shared.setListings('rare', 1_000);
    shared.setSharing('rare', 10_000, 19);
    shared.setListings('shop', 150);
    shared.setSharing('shop', 10_000, 3);
    shared.setSharing('shop', 20_001, 100);
    assert.deepEqual(shared.reasons('few', 10_000), {});
    assert.deepEqual(shared.reasons('rare', 10_000), {});
    assert.deepEqual(shared.reasons('shop', 20_001), {}, 'prices above 2.00 are not checked');
    assert.deepEqual(shared.reasons('shop', null), {});
    assert.deepEqual(shared.reasons('shop', 10_000), {
      price_placeholder: '1.00 as 2 other listings of shop (2.0 % of them)',
    });
  });
});

describe('gtinConflictReasons', () => {
  const shops = (counts: Record<string, number>) => new Map(Object.entries(counts));
  const conflict = (brands: Record<string, Record<string, number>>, brand: string | null) =>
    gtinConflictReasons(
      {
        gtin: '04006381333931',
        brands: new Map(Object.entries(brands).map(([name, counts]) => [name, shops(counts)])),
      },
      brand,
    );

  it('flags a listing if at least as many sources have another brand for its GTIN', () => {
    const brands = { stabilo: { a: 1, b: 1 }, faber: { c: 1 }, pelikan: { d: 1, e: 2 } };
    assert.property(conflict(brands, 'faber'), 'gtin_conflict');
    assert.property(conflict(brands, 'stabilo'), 'gtin_conflict');
    assert.deepEqual(conflict(brands, null), {});
    assert.deepEqual(conflict({ stabilo: { a: 1, b: 1 }, faber: { c: 1 } }, 'stabilo'), {});
  });

  it('counts the vote of a source for the brand that most of its listings have', () => {
    const brands = { stabilo: { a: 2 }, faber: { a: 1 } };
    assert.deepEqual(conflict(brands, 'stabilo'), {});
    assert.deepEqual(conflict(brands, 'faber'), {
      gtin_conflict: 'GTIN 04006381333931 is of "stabilo" in 2 listings, and of "faber" here',
    });
  });

  it('does not let many listings of one source outvote two other sources', () => {
    const brands = { stabilo: { a: 1, b: 1 }, evil: { e: 40 } };
    assert.deepEqual(conflict(brands, 'stabilo'), {});
    assert.property(conflict(brands, 'evil'), 'gtin_conflict');
  });
});
