import { toUnits } from '../../listing/price.js';
import { FeedError } from '../read/item.js';
import { namesPriceInCurrency } from './column-names.js';
import type { Rule } from './feed-map.js';
import { askForDecimal, isAmbiguous, statesNoPrice } from './money.js';
import { foldName, textOf } from './row.js';
import { ruleColumns } from './rule.js';

interface PriceContext {
  /** The currency of prices that state none. */
  currency?: string | undefined;
  /** Whether the operator stated the decimal separator, so that three decimals are not ambiguous. */
  isDecimalCertain?: boolean | undefined;
  /** Whether a price of 0 or in words is an error; by default it means that there is no price. */
  strict?: boolean | undefined;
}

/**
 * Checks the prices of a mapped record: removes a price of 0 or in words, removes amounts that may be a thousand times
 * higher, and a list price that equals the price.
 * @returns for each removed ambiguous amount, its field and the reason.
 */
export function checkPrices(
  value: Record<string, unknown>,
  { currency: usual, isDecimalCertain = false, strict = false }: PriceContext,
): [field: string, reason: string][] {
  const currency = textOf(value['currency']) ?? usual ?? null;
  const refused: [field: string, reason: string][] = [];
  for (const field of ['price', 'list_price'] as const) {
    const amount = value[field];
    const text = textOf(amount);
    if (!strict && text !== undefined && statesNoPrice(text)) value[field] = undefined;
    if (typeof amount !== 'string' || isDecimalCertain) continue;
    if (!isAmbiguous(amount, currency?.toUpperCase() ?? null)) continue;
    refused.push([field, askForDecimal(amount, currency)]);
    value[field] = undefined;
  }
  const [price, listPrice] = [textOf(value['price']), textOf(value['list_price'])];
  // Many feeds state the price also as the price before a sale.
  if (price !== undefined && listPrice !== undefined && isSameAmount(price, listPrice))
    value['list_price'] = undefined;
  return refused;
}

/** Whether two decimal strings are the same amount. */
export const isSameAmount = (a: string, b: string): boolean =>
  [a, b].every((amount) => /^\d+(?:\.\d{1,4})?$/.test(amount)) && toUnits(a) === toUnits(b);

/**
 * Checks that a feed with prices per currency has a column that the map reads, because otherwise each listing would lose its
 * price.
 * @param names the columns of the feed.
 * @throws FeedError that names the columns of prices in the feed.
 */
export function checkPriceColumns(rule: Rule | undefined, names: readonly string[]): void {
  const read = rule === undefined ? [] : ruleColumns(rule);
  const has = new Set(names.map(foldName));
  const isThere = (column: string) =>
    [column, column.split('.')[0] ?? ''].map(foldName).some((one) => has.has(one));
  if (read.length === 0 || read.some(isThere)) return;
  const priced = names.filter(namesPriceInCurrency);
  if (priced.length === 0) return;
  const quoted = (columns: readonly string[]) =>
    [...new Set(columns)]
      .slice(0, MAX_NAMED)
      .map((name) => JSON.stringify(name.slice(0, 60).toWellFormed()))
      .join(', ');
  throw new FeedError(
    `The price is read from ${quoted(read)}, which the feed does not have. Its columns of prices are ${quoted(priced)}: specify the currency of one of them with --currency, or name one in a map (--suggest-map writes one).`,
  );
}

/** The maximum number of columns that an error names. */
const MAX_NAMED = 20;
