import { assert } from 'chai';
import { categoryClause, priceClauses, QueryError } from '../../../src/engine/queries/filter-clauses.js';

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

describe('the clause of a category', () => {
  it('gives no character of the name a special meaning', () => {
    assert.deepEqual(categoryClause('a*b?c\\'), {
      wildcard: { 'category.folded': { value: '*a\\*b\\?c\\\\*' } },
    });
  });
});
