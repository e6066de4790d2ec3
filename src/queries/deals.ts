import type { estypes } from '@elastic/elasticsearch';
import { DECLARED_UNTIL_MS, DISCOUNT_SCALE } from '../listing/deals.js';
import { ceilScaled } from '../listing/price.js';
import type { Filters } from '../schemas/filters.js';
import { filterClauses } from './listings.js';

/**
 * Listings whose price is below their reference by at least a percentage. Which reference counts depends on how
 * long the listing has been observed at `now`: the declared one only in its first seven days.
 * @param minDiscountPct decimal text, inclusive, compared with the unrounded discount.
 */
export function dealsSelection(
  { minDiscountPct, ...filters }: Filters & { minDiscountPct: string },
  now: Date,
): { query: estypes.QueryDslQueryContainer; sort: estypes.Sort } {
  const young = now.getTime() - DECLARED_UNTIL_MS;
  const atLeast = { gte: ceilScaled(minDiscountPct, DISCOUNT_SCALE) };
  const since = new Date(young).toISOString();
  return {
    query: {
      bool: {
        filter: [
          ...filterClauses(filters),
          {
            bool: {
              should: [
                {
                  bool: {
                    filter: [
                      { range: { 'internal.first_observed_at': { lte: since } } },
                      { range: { 'internal.observed_discount': atLeast } },
                    ],
                  },
                },
                {
                  bool: {
                    filter: [
                      { range: { 'internal.first_observed_at': { gt: since } } },
                      { range: { 'internal.declared_discount': atLeast } },
                    ],
                  },
                },
              ],
              minimum_should_match: 1,
            },
          },
        ],
      },
    },
    sort: [
      {
        _script: { type: 'number', order: 'desc', script: { source: DISCOUNT_IN_FORCE, params: { young } } },
      },
      { id: 'asc' },
    ],
  };
}

/** Sorts by the discount that counts now. Runs for deals alone, which the filters have found by then. */
const DISCOUNT_IN_FORCE = `
  boolean declared = doc['internal.first_observed_at'].value.toInstant().toEpochMilli() > params.young;
  return doc[declared ? 'internal.declared_discount' : 'internal.observed_discount'].value;
`;
