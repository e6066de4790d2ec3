import { ceilUnits, floorUnits } from '../../listing/price.js';
import type { ExchangeRates } from '../../listing/rates.js';
import type { UnitPriceUnit } from '../../schemas/unit-price.js';
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
  checkPriceLimits({ min_price: min, max_price: max });
  const limits = {
    ...(min === undefined ? {} : { gte: ceilUnits(min) }),
    ...(max === undefined ? {} : { lte: floorUnits(max) }),
  };
  return { range: { 'internal.price_units': limits } };
}

/**
 * Checks price limits before anything is read, because an invalid request is answered with 400 also if its listing does
 * not exist. They are compared as floating-point numbers, which are precise enough.
 * @throws QueryError if the lower limit exceeds the upper one.
 */
export function checkPriceLimits({ min_price: min, max_price: max }: PriceLimits): void {
  if (Number(min) > Number(max)) throw new QueryError('min_price must not be greater than max_price');
}

/**
 * The filter clause of price limits, as a list; an empty list without limits.
 * @throws QueryError if the lower limit exceeds the upper one.
 */
export function priceClauses(limits: PriceLimits): QueryClause[] {
  const clause = priceClause(limits);
  return clause === null ? [] : [clause];
}

/** What a limit of the unit price refers to. */
export interface UnitPriceLimits {
  unit_per?: UnitPriceUnit | undefined;
  currency?: string[] | undefined;
  rates?: ExchangeRates | undefined;
}

/** The index field with the price of one unit, in ten-thousandths of the currency of the listing. */
export const unitPriceField = (per: UnitPriceUnit): string => `internal.quantity.unit_price.${per}`;

/**
 * Listings whose price of one unit is not above a limit. The limit is in the one currency that the request filters by,
 * otherwise in the base currency. It is converted to each currency and rounded down to a ten-thousandth, so that the
 * comparison is exact.
 */
export function unitPriceClause(
  max: string,
  { unit_per, currency = [], rates }: UnitPriceLimits,
): QueryClause | null {
  if (unit_per === undefined || rates === undefined) return null;
  const field = unitPriceField(unit_per);
  const limit = floorUnits(max);
  const given = currency.length === 1 ? currency[0]?.toUpperCase() : undefined;
  const own = given ?? rates.base;
  const within = (code: string, lte: number): QueryClause => ({
    bool: { filter: [{ term: { currency: code } }, { range: { [field]: { lte } } }] },
  });
  if (given !== undefined) return within(given, limit);
  const ownRate = rates.perBase.get(own);
  if (ownRate === undefined) return within(own, limit);
  const clauses = [...rates.perBase].map(([code, rate]) =>
    within(code, Number((BigInt(limit) * rate) / ownRate)),
  );
  return { bool: { should: clauses } };
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
