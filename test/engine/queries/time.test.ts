import { assert } from 'chai';
import type { Static, TObject } from 'typebox';
import { filterClauses } from '../../../src/engine/queries/listings.js';
import {
  changesWithTime,
  type FilterDefinition,
  type filterParameters,
  type Filters,
} from '../../../src/schemas/filters.js';
import { Type } from 'typebox';

/** A value of each filter: a new one does not compile until it has one here. */
const VALUES: Required<Static<TObject<typeof filterParameters>>> = {
  category: 'Audio',
  category_path: ['Audio'],
  min_price: '1',
  max_price: '2',
  platform: ['a'],
  source: ['b'],
  brand: ['c'],
  currency: ['SGD'],
  in_stock: true,
  min_rating: '4',
  max_age_s: 60,
  has_image: true,
};

describe('filters', () => {
  const at = (time: string, filters: Filters) => filterClauses(filters, new Date(time));

  for (const [name, value] of Object.entries(VALUES)) {
    it(`state whether what ${name} lets pass changes with time`, () => {
      const filters = { [name]: value } as Filters;
      const [now, later] = [at('2026-01-01T00:00:00Z', filters), at('2026-01-02T00:00:00Z', filters)];
      assert.isAbove(now.length, 0);
      assert.equal(JSON.stringify(now) !== JSON.stringify(later), changesWithTime(filters));
    });
  }

  it('do not compile without that statement', () => {
    // @ts-expect-error: `changesWithTime` is missing.
    const silent: FilterDefinition = { schema: Type.Boolean() };
    assert.notProperty(silent, 'changesWithTime');
  });
});
