import { MISTRUSTED } from '../../listing/usual-price.js';
import { ceilUnits, floorUnits } from '../../listing/price.js';
import { type ExchangeRates, moneyOf } from '../../listing/rates.js';
import type { Product } from '../../schemas/product.js';
import type { UnitPriceUnit } from '../../schemas/unit-price.js';
import { visibleText } from '../../text/clean.js';
import { apostropheSpellings, foldValue } from '../../text/fold.js';
import { categoryLevels, formatCategoryPath } from '../../listing/category-path.js';
import { combined, type QueryClause } from './selection.js';

/** The error for parameters of a request that are valid by themselves but not together. The client receives its message. */
export class QueryError extends Error {
  override name = 'QueryError';
}

/** A clause for the listings that have one of the given values in a field, with any apostrophe; none if no value is given. */
export const withAnyValue = (field: string, values: readonly string[]): QueryClause[] =>
  values.length === 0 ? [] : [{ terms: { [field]: values.flatMap(apostropheSpellings) } }];

/** The index field with the condition of a listing. */
export const CONDITION_FIELD = 'internal.condition.value';

/** The index field that says whether the price of a listing is a "from" price. */
export const PRICE_FROM_FIELD = 'internal.price_from';

/** A clause for the listings whose price has a quality flag. */
export const mistrusted: QueryClause = { terms: { 'internal.flags': [...MISTRUSTED] } };

/** A clause for the listings that match at least one of the given clauses; none if no clause is given. */
export const anyOf = (clauses: QueryClause[]): QueryClause[] =>
  clauses.length > 1 ? [{ bool: { should: clauses } }] : clauses;

/** A clause for the listings of a source, without regard to case. */
export const sourceClause = (source: string): QueryClause => ({
  term: { source: { value: source, case_insensitive: true } },
});

/**
 * A clause for the listings whose category name contains `part`, without regard to case, with any apostrophe. If `part` contains
 * `>`, it also matches consecutive levels of the category path, unless the schema of the index is earlier than category paths.
 */
export function categoryClause(part: string): QueryClause {
  const named = apostropheSpellings(visibleText(part)).map((spelling): QueryClause => ({
    wildcard: { 'category.folded': { value: `*${literal(spelling)}*` } },
  }));
  const levels = part.includes('>') ? categoryLevels(part) : [];
  const paths = levels.length === 0 ? [] : apostropheSpellings(formatCategoryPath(levels));
  const inPath = paths.flatMap((path): QueryClause[] => [
    { term: { 'internal.category_paths': path } },
    { wildcard: { 'internal.category_paths': { value: `* > ${literal(path)}` } } },
  ]);
  return combined('should', [...named, ...inPath]);
}

const literal = (text: string): string => text.replaceAll(/[\\*?]/g, '\\$&');

/** Limits on the price of a listing, as decimal text. */
export interface PriceLimits {
  min_price?: string | undefined;
  max_price?: string | undefined;
  /** The currency of the limits, in any case; by default, they are in the currency of each listing. */
  price_currency?: string | undefined;
  /** The exchange rates, which limits with a currency need. */
  rates?: ExchangeRates | undefined;
}

/**
 * A clause for the listings within price limits, which are inclusive and exact: a limit between two units is rounded to the
 * unit within them. Limits with a currency exclude listings whose currency has no exchange rate.
 * @throws QueryError if the lower limit exceeds the upper one.
 */
export function priceClauses(limits: PriceLimits): QueryClause[] {
  const { price_currency: currency, rates } = limits;
  if (!hasPriceLimits(limits)) return [];
  checkPriceLimits(limits);
  const range = (of: CurrencyRatio): QueryClause => ({
    range: { 'internal.price_units': unitLimits(limits, of) },
  });
  if (currency === undefined) return [range(SAME_CURRENCY)];
  return [forEachCurrency(rates, currency, range) ?? { match_none: {} }];
}

/** Whether a listing is within price limits, as `priceClauses` finds it. */
export function isWithinPrice(listing: Pick<Product, 'price' | 'currency'>, limits: PriceLimits): boolean {
  if (!hasPriceLimits(limits)) return true;
  const price = moneyOf(listing);
  const ratio = ratioTo(price?.currency ?? null, limits);
  if (price === null || ratio === null) return false;
  const { gte = 0, lte = Infinity } = unitLimits(limits, ratio);
  return price.units >= gte && price.units <= lte;
}

const hasPriceLimits = ({ min_price, max_price }: PriceLimits): boolean =>
  min_price !== undefined || max_price !== undefined;

/** Price limits in units of another currency, both inclusive. */
const unitLimits = ({ min_price: min, max_price: max }: PriceLimits, ratio: CurrencyRatio) => ({
  ...(min === undefined ? {} : { gte: inOtherCurrency(ceilUnits(min), ratio, 'up') }),
  ...(max === undefined ? {} : { lte: inOtherCurrency(floorUnits(max), ratio, 'down') }),
});

/** The ratio by which price limits are converted to the currency of a listing; null without an exchange rate. */
function ratioTo(currency: string | null, { price_currency, rates }: PriceLimits): CurrencyRatio | null {
  if (price_currency === undefined) return SAME_CURRENCY;
  const from = rates?.perBase.get(price_currency.toUpperCase());
  const to = currency === null ? undefined : rates?.perBase.get(currency);
  return from === undefined || to === undefined ? null : { from, to };
}

/** The exchange rates of two currencies, by which amounts are converted from one to the other. */
interface CurrencyRatio {
  from: bigint;
  to: bigint;
}

const SAME_CURRENCY: CurrencyRatio = { from: 1n, to: 1n };

/** Converts units of one currency to another one. An amount above all prices becomes the highest number that is exact. */
function inOtherCurrency(units: number, { from, to }: CurrencyRatio, rounding: 'up' | 'down'): number {
  const product = BigInt(units) * to;
  const quotient = product / from + (rounding === 'up' && product % from > 0n ? 1n : 0n);
  return Math.min(Number(quotient), Number.MAX_SAFE_INTEGER);
}

/** A clause that each listing must match in its own currency. `clauseOf` builds it for one currency; null without a rate. */
function forEachCurrency(
  rates: ExchangeRates | undefined,
  currency: string,
  clauseOf: (ratio: CurrencyRatio) => QueryClause,
): QueryClause | null {
  const from = rates?.perBase.get(currency.toUpperCase());
  if (rates === undefined || from === undefined) return null;
  const should = [...rates.perBase].map(([code, to]): QueryClause =>
    inCurrency(code, clauseOf({ from, to })),
  );
  return { bool: { should } };
}

const inCurrency = (code: string, clause: QueryClause): QueryClause => ({
  bool: { filter: [{ term: { currency: code } }, clause] },
});

/**
 * Checks price limits before anything is read, so that an invalid request is answered with 400 even if its listing does not
 * exist. The limits are compared as floating-point numbers, which are precise enough.
 * @throws QueryError if the lower limit exceeds the upper one.
 */
export function checkPriceLimits({ min_price: min, max_price: max }: PriceLimits): void {
  if (Number(min) > Number(max)) throw new QueryError('min_price must not be greater than max_price');
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
 * A clause for the listings whose price of one unit is not above a limit. The limit is in the one currency that the request
 * filters by, otherwise in the base currency. It is converted to each currency and rounded down to a ten-thousandth, so that the
 * comparison is exact.
 */
export function unitPriceClauses(
  max: string,
  { unit_per, currency = [], rates }: UnitPriceLimits,
): QueryClause[] {
  if (unit_per === undefined || rates === undefined) return [];
  const field = unitPriceField(unit_per);
  const limit = floorUnits(max);
  const given = currency.length === 1 ? currency[0]?.toUpperCase() : undefined;
  const within = (lte: number): QueryClause => ({ range: { [field]: { lte } } });
  if (given !== undefined) return [inCurrency(given, within(limit))];
  const converted = (ratio: CurrencyRatio) => within(inOtherCurrency(limit, ratio, 'down'));
  return [forEachCurrency(rates, rates.base, converted) ?? []].flat();
}

const BRITISH = /(?<!\p{L})colour(?=s?(?!\p{L}))/gu;
const AMERICAN = /(?<!\p{L})color(?=s?(?!\p{L}))/gu;

/** The canonical name of an attribute, folded and in British spelling. */
export const attributeName = (name: string): string => foldValue(name).replaceAll(AMERICAN, 'colour');

/** The names under which listings may state an attribute, in British and in American spelling. */
export const statedNames = (attribute: string): string[] => [
  ...new Set([attribute, attribute.replaceAll(BRITISH, 'color')]),
];

/** For each spelling of the name of an attribute, the index field that is compared and the one with values as feeds write them. */
export const attributeFields = (attribute: string): { field: string; written: string }[] =>
  statedNames(attribute).map((name) => ({
    field: `internal.attribute_values.${name}`,
    written: `internal.attribute_spellings.${name}`,
  }));
