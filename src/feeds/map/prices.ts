import { readShownPrice } from '../../listing/shown-price.js';
import { FeedError } from '../read/item.js';
import { namesPriceInCurrency } from './column-names.js';
import type { FeedMap, Rule } from './feed-map.js';
import {
  type AmountContext,
  askForDecimal,
  isAmbiguous,
  isAtMost,
  isSameAmount,
  statesNoPrice,
} from './money.js';
import { FeedRow, foldName, textOf } from './row.js';
import { ruleColumns } from './rule.js';

/** Removes prices of 0 or in words, ambiguous amounts, and a list price not above the price. @returns why amounts are ambiguous. */
export function checkPrices(
  value: Record<string, unknown>,
  { currency: usual, isDecimalCertain = false, strict = false }: Omit<AmountContext, 'decimal'>,
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
  // Many feeds state the price also as the price before a sale, or keep one that was lower.
  if (price !== undefined && listPrice !== undefined && isAtMost(listPrice, price))
    value['list_price'] = undefined;
  return refused;
}

type PartialPrices = NonNullable<FeedMap['partial']>;

export const partialColumns = ({ subscription = [], installment = [], price = [] }: PartialPrices = {}) =>
  [subscription, installment, price].flat();

/** Why a price is only that of a subscription, a period or an installment. @param price undefined if the row states none. */
export function partialReason(
  { subscription = [], installment = [], price: other = [] }: PartialPrices,
  row: FeedRow,
  price: string | undefined,
): string | undefined {
  const filled = (columns: string | string[]) =>
    [columns].flat().find((column) => row.get(column) !== undefined);
  const bound = filled(subscription);
  if (bound !== undefined)
    return `is only what is due at once, because ${bound} states what is paid again and again`;
  if (filled(other) !== undefined)
    return 'is only stated for a period, an installment, a unit, some customers, delivery or payment, or as a range, not for the product';
  const isPart = [installment]
    .flat()
    .flatMap((column) => [row.get(column)].flat().flatMap(amountsOf))
    .some((amount) => price !== undefined && isSameAmount(amount, price));
  return isPart ? 'is a single installment or the down payment, not the price of the product' : undefined;
}

/** The amounts of an installment plan: `months:amount:downpayment:credit type`, or an object with these members. */
function amountsOf(plan: unknown): string[] {
  const parts =
    typeof plan === 'object' && plan !== null
      ? ['amount', 'downpayment'].map((name) => new FeedRow(plan as Record<string, unknown>).text(name))
      : (textOf(plan)?.split(':').slice(1) ?? []);
  return parts.flatMap((part = '') => {
    const money = readShownPrice(part, { decimal: 'either' });
    return 'reason' in money ? [] : money.amount;
  });
}

/** The maximum number of columns that an error names. */
const MAX_NAMED = 20;

/**
 * Checks that a feed with prices per currency has a column that the map reads, so that not every listing loses its price.
 * @param names the columns of the feed. @throws FeedError that names the columns of prices in the feed.
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
