import { toUnits } from '../../listing/price.js';
import { askForDecimal, isAmbiguous, statesNoPrice } from './money.js';
import { textOf } from './row.js';

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
