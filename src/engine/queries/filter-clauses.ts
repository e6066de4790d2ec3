import { ceilUnits, floorUnits } from '../../listing/price.js';
import { visibleText } from '../../text/clean.js';
import { foldValue } from '../../text/fold.js';
import { categoryLevels, formatCategoryPath } from '../../listing/category-path.js';
import type { QueryClause } from './selection.js';

/**
 * Parameters of a request that are valid by themselves but not together. The client receives the message.
 */
export class QueryError extends Error {
  override name = 'QueryError';
}

/** A clause for the listings that have one of these values in a field; null if there are no values. */
export const withAnyValue = (field: string, values: readonly string[]): QueryClause | null =>
  values.length === 0 ? null : { terms: { [field]: [...values] } };

/** A clause for the listings that match at least one of these clauses; null if there are no clauses. */
export const anyOf = (clauses: QueryClause[]): QueryClause | null =>
  clauses.length > 1 ? { bool: { should: clauses } } : (clauses[0] ?? null);

/**
 * The source is compared without regard to case. The catalogue has few different sources, so this is cheap.
 */
export const sourceClause = (source: string): QueryClause => ({
  term: { source: { value: source, case_insensitive: true } },
});

/**
 * Listings whose category name contains `part`, without regard to case; no character has a special meaning. If `part`
 * contains `>`, it also matches consecutive levels of the category path. An index of a schema before category paths matches
 * names only.
 */
export function categoryClause(part: string): QueryClause {
  const named: QueryClause = {
    wildcard: { 'category.folded': { value: `*${literal(visibleText(part))}*` } },
  };
  const levels = part.includes('>') ? categoryLevels(part) : [];
  if (levels.length === 0) return named;
  const path = formatCategoryPath(levels);
  const inPath: QueryClause[] = [
    { term: { 'internal.category_paths': path } },
    { wildcard: { 'internal.category_paths': { value: `* > ${literal(path)}` } } },
  ];
  return { bool: { should: [named, ...inPath] } };
}

const literal = (text: string): string => text.replaceAll(/[\\*?]/g, '\\$&');

/** Limits on the price of a listing in the listing's own currency, as decimal text. */
export interface PriceLimits {
  min_price?: string | undefined;
  max_price?: string | undefined;
}

/**
 * Listings within price limits, which are inclusive and exact: prices are stored as integer units, and a limit between two
 * units is rounded to the unit within the limits. Null if there are no limits.
 * @throws QueryError if the lower limit exceeds the upper one.
 */
export function priceClause({ min_price: min, max_price: max }: PriceLimits): QueryClause | null {
  if (min === undefined && max === undefined) return null;
  const gte = min === undefined ? undefined : ceilUnits(min);
  const lte = max === undefined ? undefined : floorUnits(max);
  // Comparing the limits as floating-point numbers is precise enough here; the clause itself uses exact
  // units.
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

/**
 * Returns the price limits as a list with one clause, or an empty list without limits.
 * @throws QueryError if the lower limit exceeds the upper one.
 */
export function priceClauses(limits: PriceLimits): QueryClause[] {
  const clause = priceClause(limits);
  return clause === null ? [] : [clause];
}

const BRITISH = /(?<!\p{L})colour(?=s?(?!\p{L}))/gu;
const AMERICAN = /(?<!\p{L})color(?=s?(?!\p{L}))/gu;

/** The canonical name of an attribute: folded and in British spelling, so that `color` and `colour` are one attribute. */
export const attributeName = (name: string): string => foldValue(name).replaceAll(AMERICAN, 'colour');

/** The names under which listings may state an attribute, in British and in American spelling. */
export const statedNames = (attribute: string): string[] => [
  ...new Set([attribute, attribute.replaceAll(BRITISH, 'color')]),
];

/**
 * The fields that contain the values of an attribute, folded and as written. There is one pair of fields
 * for each spelling of the attribute's name.
 */
export const attributeFields = (attribute: string): { field: string; written: string }[] =>
  statedNames(attribute).map((name) => ({
    field: `internal.attribute_values.${name}`,
    written: `internal.attribute_spellings.${name}`,
  }));
