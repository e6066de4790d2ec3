import type { estypes } from '@elastic/elasticsearch';
import { DECLARED_UNTIL_MS, DISCOUNT_SCALE } from '../../listing/deals.js';
import { ceilScaled } from '../../listing/price.js';
import type { ExchangeRates } from '../../listing/rates.js';
import type { Filters } from './filters.js';
import { filterClauses } from './refinements.js';
import { mistrusted } from './filter-clauses.js';
import { hasAllWords } from './contained-words.js';
import type { QueryClause } from './selection.js';
import { discountInForce, MAX_DECLARED } from './sorts.js';
import { byTotal } from './totals.js';

interface DealsRequest {
  /** The minimum discount in percent, as decimal text. Discounts are compared with it before they are rounded. */
  minDiscountPct: string;
  /** The kind of reference price that deals are compared with; both kinds if absent. */
  priceBasis?: 'observed' | 'declared' | undefined;
  text?: string | undefined;
  /** Clauses for what the text excludes, such as "-red". Deals must not match any of them. */
  exclusions?: readonly QueryClause[];
  /** Whether deals whose price has a quality flag are included. */
  includeFlagged?: boolean | undefined;
  outOfStockLast?: boolean | undefined;
  /** The exchange rates with which deals are sorted by their price with delivery; by discount if absent. */
  totalIn?: ExchangeRates | undefined;
}

/**
 * Listings whose price is at least a percentage below their reference price, the deepest discount first. The reference price is
 * the declared one in the first seven days of observation, and the observed median after that.
 */
export function dealsSelection(
  filters: Filters,
  {
    minDiscountPct,
    priceBasis,
    text = '',
    exclusions = [],
    includeFlagged = false,
    outOfStockLast = false,
    totalIn,
  }: DealsRequest,
  now: Date,
  rates?: ExchangeRates,
): { query: QueryClause; sort: estypes.Sort } {
  const atLeast = { gte: ceilScaled(minDiscountPct, DISCOUNT_SCALE) };
  const since = new Date(now.getTime() - DECLARED_UNTIL_MS).toISOString();
  const dealBy = (first_observed_at: object, discount: string, atMost?: { lte: number }): QueryClause => ({
    bool: {
      filter: [
        { range: { 'internal.first_observed_at': first_observed_at } },
        { range: { [`internal.${discount}`]: { ...atLeast, ...atMost } } },
      ],
    },
  });
  const deals = {
    observed: dealBy({ lte: since }, 'observed_discount'),
    declared: dealBy({ gt: since }, 'declared_discount', { lte: MAX_DECLARED }),
  };
  return {
    query: {
      bool: {
        filter: [
          ...filterClauses(filters, now, rates),
          ...(text === '' ? [] : [hasAllWords(text)]),
          ...exclusions,
          priceBasis === undefined
            ? { bool: { should: Object.values(deals), minimum_should_match: 1 } }
            : deals[priceBasis],
        ],
        ...(includeFlagged ? {} : { must_not: mistrusted }),
      },
    },
    sort: [
      ...(outOfStockLast ? [OUT_OF_STOCK_LAST] : []),
      ...(totalIn === undefined ? [discountInForce(now, includeFlagged)] : byTotal(totalIn)),
      { id: 'asc' },
    ],
  };
}

/** A sort clause that puts listings out of stock last. Listings that do not state their availability count as in stock. */
const OUT_OF_STOCK_LAST: estypes.SortCombinations = { is_available: { order: 'desc', missing: 1 } };
