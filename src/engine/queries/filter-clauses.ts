import { ceilUnits, floorUnits } from '../../listing/price.js';
import { visibleText } from '../../text/clean.js';
import { foldValue } from '../../text/fold.js';
import { categoryLevels, formatCategoryPath } from '../../listing/category-path.js';
import type { QueryClause } from './selection.js';

/**
 * The error for parameters of a request that are valid by themselves but not together. The client receives
 * its message.
 */
export class QueryError extends Error {
  override name = 'QueryError';
}

/** A clause for the listings that have one of the given values in a field; null if no value is given. */
export const withAnyValue = (field: string, values: readonly string[]): QueryClause | null =>
  values.length === 0 ? null : { terms: { [field]: [...values] } };

/** A clause for the listings that match at least one of the given clauses; null if no clause is given. */
export const anyOf = (clauses: QueryClause[]): QueryClause | null =>
  clauses.length > 1 ? { bool: { should: clauses } } : (clauses[0] ?? null);

/** A clause for the listings of a source, without regard to case. */
export const sourceClause = (source: string): QueryClause => ({
  term: { source: { value: source, case_insensitive: true } },
});

/**
 * A clause for the listings whose category name contains `part`, without regard to case. If `part` contains
 * `>`, it also matches consecutive levels of the category path, unless the schema of the index is earlier
 * than category paths.
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
 * Listings within price limits, which are inclusive and exact: a limit between two units is rounded to the
 * unit within them.
 * @throws QueryError if the lower limit exceeds the upper one.
 */
export function priceClause({ min_price: min, max_price: max }: PriceLimits): QueryClause | null {
  if (min === undefined && max === undefined) return null;
  // Price limits are compared as floating-point numbers, which are precise enough for this comparison; the
  // clause itself has exact units.
  if (Number(min) > Number(max)) throw new QueryError('min_price must not be greater than max_price');
  const limits = {
    ...(min === undefined ? {} : { gte: ceilUnits(min) }),
    ...(max === undefined ? {} : { lte: floorUnits(max) }),
  };
  return { range: { 'internal.price_units': limits } };
}

/**
 * The filter clause of price limits, as a list; an empty list without limits.
 * @throws QueryError if the lower limit exceeds the upper one.
 */
export function priceClauses(limits: PriceLimits): QueryClause[] {
  const clause = priceClause(limits);
  return clause === null ? [] : [clause];
}

const BRITISH = /(?<!\p{L})colour(?=s?(?!\p{L}))/gu;
const AMERICAN = /(?<!\p{L})color(?=s?(?!\p{L}))/gu;

/** The canonical name of an attribute, folded and in British spelling. */
export const attributeName = (name: string): string => foldValue(name).replaceAll(AMERICAN, 'colour');

/** The names under which listings may state an attribute, in British and in American spelling. */
export const statedNames = (attribute: string): string[] => [
  ...new Set([attribute, attribute.replaceAll(BRITISH, 'color')]),
];

/**
 * The index fields with the values of an attribute: for each spelling of the attribute's name, the field that
 * is compared and the field with the values as feeds write them.
 */
export const attributeFields = (attribute: string): { field: string; written: string }[] =>
  statedNames(attribute).map((name) => ({
    field: `internal.attribute_values.${name}`,
    written: `internal.attribute_spellings.${name}`,
  }));
