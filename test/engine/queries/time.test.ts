import { assert } from 'chai';
import { type Static, type TObject, Type } from 'typebox';
import type { FilterDefinition, filterParameters, Filters } from '../../../src/engine/queries/filters.js';
import { changesWithTime, filterClauses } from '../../../src/engine/queries/refinements.js';

/**
 * A value for each filter. After a filter is added, this does not compile until the filter has a value here.
 */
const VALUES: Required<Static<TObject<typeof filterParameters>>> = {
  category: 'Audio',
  category_path: ['Audio'],
  min_price: '1',
  max_price: '2',
  price_currency: 'SGD',
  has_price: true,
  max_unit_price: '3',
  platform: ['a'],
  source: ['b'],
  brand: ['c'],
  currency: ['SGD'],
  in_stock: true,
  condition: ['used'],
  min_rating: '4',
  max_age_s: 60,
  has_image: true,
};

describe('filters', () => {
  const rates = { base: 'SGD', date: '2026-01-01', perBase: new Map([['SGD', 1n]]) };
  const at = (time: string, filters: Filters) =>
    filterClauses({ ...filters, unit_per: 'kg' }, new Date(time), rates);

  for (const [name, value] of Object.entries(VALUES)) {
    it(`state whether what ${name} lets pass changes with time`, () => {
      // `price_currency` has no effect without a limit.
      const filters = { max_price: '2', [name]: value } as Filters;
      const [now, later] = [at('2026-01-01T00:00:00Z', filters), at('2026-01-02T00:00:00Z', filters)];
      assert.isAbove(now.length, 0);
      assert.equal(JSON.stringify(now) !== JSON.stringify(later), changesWithTime(filters));
    });
  }

  it('do not compile if a clause uses the time and the definition does not state it', () => {
    const silent: FilterDefinition = {
      schema: Type.Boolean(),
      // @ts-expect-error: only `clausesAt` is given the time.
      clauses: (_value, _parameters, now: Date) => [{ range: { last_checked: { gte: now.toISOString() } } }],
    };
    assert.notProperty(silent, 'clausesAt');
  });
});
