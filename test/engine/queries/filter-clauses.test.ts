import { assert } from 'chai';
import {
  categoryClause,
  isWithinPrice,
  priceClauses,
  QueryError,
} from '../../../src/engine/queries/filter-clauses.js';

const range = (limits: object) => ({ range: { 'internal.price_units': limits } });

describe('the clause of price limits', () => {
  it('includes the limits, rounded to the units within them', () => {
    assert.deepEqual(priceClauses({}), []);
    assert.deepEqual(priceClauses({ min_price: '1.00001' }), [range({ gte: 10_001 })]);
    assert.deepEqual(priceClauses({ max_price: '1.00019' }), [range({ lte: 10_001 })]);
    assert.deepEqual(
      priceClauses({ min_price: '5', max_price: '5.00' }),
      [range({ gte: 50_000, lte: 50_000 })],
      'equal limits select one price',
    );
  });

  it('rejects a lower limit above the upper one', () => {
    assert.throws(() => priceClauses({ min_price: '5.01', max_price: '5' }), QueryError);
  });
});

describe('isWithinPrice', () => {
  const within = (limits: Parameters<typeof isWithinPrice>[1], price: string | null, currency = 'SGD') =>
    isWithinPrice({ price, currency }, limits);

  it('includes the limits, and no unknown price', () => {
    assert.isTrue(within({}, null));
    assert.isFalse(within({ min_price: '0' }, null));
    assert.isFalse(within({ max_price: '9'.repeat(400) }, null));
    assert.isTrue(within({ min_price: '5', max_price: '5.00' }, '5.00'));
    assert.isFalse(within({ min_price: '5.00001' }, '5.00'));
    assert.isFalse(within({ max_price: '4.99999' }, '5.00'));
  });

  it('converts limits that have a currency, and excludes prices without a rate', () => {
    const perBase = new Map([
      ['USD', 10n],
      ['SGD', 13n],
    ]);
    const limits = {
      max_price: '10',
      price_currency: 'usd',
      rates: { base: 'USD', date: '2026-11-30', perBase },
    };
    assert.isTrue(within(limits, '13.00'));
    assert.isFalse(within(limits, '13.01'));
    assert.isTrue(within(limits, '10.00', 'USD'));
    assert.isFalse(within(limits, '1.00', 'EUR'));
    assert.isFalse(isWithinPrice({ price: '1.00', currency: null }, limits));
  });
});

describe('the clause of a category', () => {
  it('gives no character of the name a special meaning', () => {
    assert.deepEqual(categoryClause('a*b?c\\'), {
      wildcard: { 'category.folded': { value: '*a\\*b\\?c\\\\*' } },
    });
  });
});
