import type { estypes } from '@elastic/elasticsearch';
import { ceilUnits, floorUnits } from '../listing/price.js';
import type { Filters } from '../schemas/filters.js';
import { QueryError } from './query-error.js';
import type { Selection } from './selection.js';

type Query = estypes.QueryDslQueryContainer;

/** The order of lists without text: what changed last comes first. Ends with id, as every order does. */
export const BY_UPDATE: estypes.Sort = [{ updated_at: 'desc' }, { id: 'asc' }];
export const BY_RELEVANCE: estypes.Sort = [{ _score: { order: 'desc' } }, { id: 'asc' }];

/**
 * Clauses that every listing of an answer must match; none of them scores.
 * @throws QueryError when the price limits cross.
 */
export function filterClauses(filters: Filters): Query[] {
  const clauses: Query[] = [];
  if (filters.category !== undefined && filters.category !== '')
    clauses.push(categoryClause(filters.category));
  const source = filters.platform || filters.source;
  if (source) clauses.push({ term: { source } });
  if (filters.in_stock !== undefined) clauses.push({ term: { is_available: filters.in_stock } });
  const price = priceClause(filters.min_price, filters.max_price);
  return price === null ? clauses : [...clauses, price];
}

/**
 * Listings without regard to text, what changed last first.
 * @throws QueryError when the price limits cross.
 */
export const latestSelection = (filters: Filters): Selection => ({
  query: { bool: { filter: filterClauses(filters) } },
  sort: BY_UPDATE,
});

/** A case-insensitive part of the category's name in which every character means itself. */
export function categoryClause(part: string): Query {
  return { wildcard: { 'category.folded': { value: `*${part.replaceAll(/[\\*?]/g, '\\$&')}*` } } };
}

/**
 * Limits on the listing's own price, inclusive and exact: units are integers, and a limit between two units moves
 * to the one inside.
 * @throws QueryError when they cross.
 */
function priceClause(min: string | undefined, max: string | undefined): Query | null {
  if (min === undefined && max === undefined) return null;
  const gte = min === undefined ? undefined : ceilUnits(min);
  const lte = max === undefined ? undefined : floorUnits(max);
  // The limits against each other, as numbers: no price takes part in this comparison.
  if (Number(min) > Number(max)) {
    throw new QueryError('min_price must not be greater than max_price');
  }
  return {
    range: {
      'internal.price_units': {
        ...(gte === undefined ? {} : { gte }),
        ...(lte === undefined ? {} : { lte }),
      },
    },
  };
}
