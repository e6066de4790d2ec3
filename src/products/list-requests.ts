import type { ExchangeRates } from '../listing/rates.js';
import { badRequest, needsReindex, type ValidationIssue, valueIssue } from '../platform/errors.js';
import { schemasOfInclude } from './included.js';
import type { Include } from '../schemas/include.js';
import { MAX_OFFSET, OFFSET_TOO_LARGE } from '../schemas/page.js';
import { type Filters, MAX_ATTRIBUTES, MAX_FILTER } from '../engine/queries/filters.js';
import type { ParameterWords } from '../engine/queries/interpret/interpret.js';
import { filteredAttributes, schemasOfFilters } from '../engine/queries/refinements.js';

/** Reports validation errors of filters that the schemas cannot find. */
export function filterIssues(
  filters: Filters & { sort?: string },
  context: { rates: ExchangeRates },
): ValidationIssue[] {
  const attributes = filteredAttributes(filters);
  const { length } = attributes;
  const tooMany = `At most ${MAX_ATTRIBUTES} attributes can be filtered by at once, not ${length}`;
  const { max_unit_price, unit_per, sort } = filters;
  const needsUnit = [
    ...(max_unit_price === undefined ? [] : ['max_unit_price']),
    ...(sort === 'unit_price' ? ['sort=unit_price'] : []),
  ];
  return [
    ...attributes.flatMap(([name, values]): ValidationIssue[] => {
      const loc = ['query', `attr.${name}`];
      if (name === '')
        return [valueIssue(loc, 'the name of an attribute follows the dot, as in attr.colour')];
      // The values of an attribute are counted over all parameters, each of which was validated by itself.
      const msg = `List should have at most ${MAX_FILTER.values} items after validation, not ${values.length}`;
      return values.length > MAX_FILTER.values ? [{ loc, msg, type: 'too_long' }] : [];
    }),
    ...(unit_per === undefined
      ? needsUnit.map((name) => unitIssue(`${name} needs unit_per=kg, l, m or piece`))
      : []),
    ...(unit_per !== undefined && needsUnit.length === 0
      ? [unitIssue('unit_per needs sort=unit_price or max_unit_price')]
      : []),
    ...priceCurrencyIssues(filters, context),
    ...(length > MAX_ATTRIBUTES ? [{ loc: ['query', 'attr.NAME'], msg: tooMany, type: 'too_long' }] : []),
  ];
}

/** Reports a currency of price limits that has no exchange rate. */
export function priceCurrencyIssues(
  { price_currency: code }: Pick<Filters, 'price_currency'>,
  { rates }: { rates: ExchangeRates },
  where: 'query' | 'body' = 'query',
): ValidationIssue[] {
  if (code === undefined || rates.perBase.has(code.toUpperCase())) return [];
  return [valueIssue([where, 'price_currency'], `there is no exchange rate for ${code.toUpperCase()}`)];
}

/** Replaces the currency of price limits by a filter of this currency if it has no exchange rate to compare others with. */
export const withComparableLimits = (
  words: readonly ParameterWords[],
  { rates }: { rates: ExchangeRates },
): ParameterWords[] =>
  words.map((one) =>
    one.parameter === 'price_currency' && !rates.perBase.has(one.value)
      ? { ...one, parameter: 'currency' }
      : one,
  );

const unitIssue = (wrong: string): ValidationIssue => valueIssue(['query', 'unit_per'], wrong);

/** What reads the schema version of the product index. */
interface IndexSchema {
  schemaVersion: () => Promise<number>;
}

/** @throws ApiError 503 if the schema of the index is earlier than the filters of a request need. */
export const checkFilters = (context: IndexSchema, filters: Filters): Promise<void> =>
  checkSchema(context, schemasOfFilters(filters));

/** Checks that the index has the schema that each feature needs. @throws ApiError 503 that names the first to reindex for. */
export async function checkSchema(
  { schemaVersion }: IndexSchema,
  needed: Readonly<Record<string, number>>,
): Promise<void> {
  if (Object.values(needed).every((version) => version === 0)) return;
  const actual = await schemaVersion();
  const feature = Object.keys(needed).find((name) => (needed[name] ?? 0) > actual);
  if (feature !== undefined) throw needsReindex(feature);
}

/** @throws ApiError 503 if the schema of the index is earlier than the members that a request includes need. */
export const checkInclude = (context: IndexSchema, include: Include | undefined): Promise<void> =>
  checkSchema(context, schemasOfInclude(include));

/** The members that a request includes; ranking by the total includes the delivery prices. */
export const includedBy = ({ include = [], rank_by }: { include?: Include; rank_by?: string }): Include =>
  rank_by === 'total' ? [...include, 'delivery'] : include;

/** @throws ApiError 400 if an offset is too large; the message recommends the export, which has no maximum. */
export function checkOffset(offset: number): void {
  if (offset > MAX_OFFSET) throw badRequest(OFFSET_TOO_LARGE);
}

/** Returns the members of a page other than its items, from the exact total and the number of items on the page. */
export function pageFrame(
  { total, items }: { total: number; items: number },
  { limit, offset }: { limit: number; offset: number },
) {
  return { total, limit, offset, has_more: items > 0 && offset + items < total };
}
