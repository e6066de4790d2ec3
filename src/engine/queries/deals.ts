import type { estypes } from '@elastic/elasticsearch';
import { DECLARED_UNTIL_MS, DISCOUNT_SCALE } from '../../listing/deals.js';
import { MISTRUSTED } from '../../listing/flags.js';
import { ceilScaled } from '../../listing/price.js';
import type { Filters } from '../../schemas/filters.js';
import { filterClauses } from './listings.js';
import { mistrusted } from './quality.js';
import { hasAllWords } from './search.js';

type Query = estypes.QueryDslQueryContainer;

/** Which deals are wanted besides the filters. */
export interface DealsWanted {
  /** Decimal text, inclusive, compared with the unrounded discount. */
  minDiscountPct: string;
  /** One kind of reference alone. */
  priceBasis?: 'observed' | 'declared' | undefined;
  /** Every word of it. */
  text?: string | undefined;
  /** Prices that are none to buy at, too. */
  includeFlagged?: boolean | undefined;
  /** After all that are in stock, or do not say. */
  outOfStockLast?: boolean | undefined;
}

/**
 * Listings whose price is below their reference by at least a percentage, the deepest discount first. Which reference
 * counts depends on how long the listing has been observed at `now`: the declared one only in its first seven days.
 */
export function dealsSelection(
  filters: Filters,
  { minDiscountPct, priceBasis, text = '', includeFlagged = false, outOfStockLast = false }: DealsWanted,
  now: Date,
): { query: Query; sort: estypes.Sort } {
  const atLeast = { gte: ceilScaled(minDiscountPct, DISCOUNT_SCALE) };
  const since = new Date(now.getTime() - DECLARED_UNTIL_MS).toISOString();
  const dealBy = (first_observed_at: object, discount: string): Query => ({
    bool: {
      filter: [
        { range: { 'internal.first_observed_at': first_observed_at } },
        { range: { [`internal.${discount}`]: atLeast } },
      ],
    },
  });
  const deals = {
    observed: dealBy({ lte: since }, 'observed_discount'),
    declared: dealBy({ gt: since }, 'declared_discount'),
  };
  return {
    query: {
      bool: {
        filter: [
          ...filterClauses(filters, now),
          ...(text === '' ? [] : [hasAllWords(text)]),
          priceBasis === undefined
            ? { bool: { should: Object.values(deals), minimum_should_match: 1 } }
            : deals[priceBasis],
        ],
        ...(includeFlagged ? {} : { must_not: mistrusted }),
      },
    },
    sort: [
      ...(outOfStockLast ? [OUT_OF_STOCK_LAST] : []),
      discountInForce(now, includeFlagged),
      { id: 'asc' },
    ],
  };
}

/** Listings that do not say are taken to be in stock. */
const OUT_OF_STOCK_LAST: estypes.SortCombinations = { is_available: { order: 'desc', missing: 1 } };

/**
 * Sorts by the discount that counts now, as `dealOf` tells it; listings that are no deal come last. Runs for each listing
 * that matches.
 */
export const discountInForce = (now: Date, includeFlagged: boolean): estypes.SortCombinations => ({
  _script: {
    type: 'number',
    order: 'desc',
    script: {
      source: DISCOUNT_IN_FORCE,
      params: { young: now.getTime() - DECLARED_UNTIL_MS, flags: includeFlagged ? [] : [...MISTRUSTED] },
    },
  },
});

/** An index of an earlier schema has no flags. */
const DISCOUNT_IN_FORCE = `
  if (params.flags.size() > 0 && doc.containsKey('internal.flags')) {
    for (flag in doc['internal.flags']) { if (params.flags.contains(flag)) { return -1; } }
  }
  boolean declared = doc['internal.first_observed_at'].value.toInstant().toEpochMilli() > params.young;
  def discount = doc[declared ? 'internal.declared_discount' : 'internal.observed_discount'];
  return discount.size() == 0 ? -1 : discount.value;
`;
