import { decimalsOf, isCurrency } from '../../listing/currency.js';
import { foldMark, isMarketWord, SHIPPED_MARKETS } from '../../naming/markets.js';
import { toUnits } from '../../listing/price.js';
import { plainPrice, readShownPrice, type ShownPrice } from '../../listing/shown-price.js';
import type { Decimal, UnreadPrice } from '../../listing/amount-digits.js';

/** What decides how the amounts of a feed are read. */
export interface AmountContext {
  /** The decimal separator of amounts; `either`: amounts with a comma and amounts with a point may occur. */
  decimal: Decimal;
  /** Whether the operator stated the decimal separator for this feed, so that `1.299` is not ambiguous. */
  isDecimalCertain?: boolean | undefined;
  /** Whether `decimal` is a default, because neither the operator nor a map states the decimal separator. */
  isDecimalAssumed?: boolean | undefined;
  /** Whether a price of 0 or in words, or another invalid field, rejects the record. By default, the field is left out. */
  strict?: boolean | undefined;
  /** The currency of amounts that state none, which decides how many decimals an amount in minor units has. */
  currency?: string | undefined;
}

const LIKE_THOUSANDS = /^[1-9]\d{0,2}[.,]\d{3}$/;

/** Whether an amount has three decimals although its currency (null: unknown) has fewer, so that it may be a thousand times higher. */
export const isAmbiguous = (amount: string, currency: string | null): boolean =>
  LIKE_THOUSANDS.test(amount) && decimalsOf(currency) !== 3;

/** Why an amount with three decimals is not read. @param currency null if it is unknown, undefined if the amount states it. */
export function askForDecimal(amount: string, currency?: string | null): string {
  const of = currency === undefined ? '' : ` of ${currency?.slice(0, 10) ?? 'an unknown currency'}`;
  return `${quoteAmount(amount)}${of} has three decimals or a separator of thousands; specify --decimal point or --decimal comma`;
}

/** Whether a record is rejected until the operator states the decimal separator of its feed. */
export const isUndecided = (reason: string): boolean => /--decimal (?:point|comma)$/.test(reason);

export const quoteAmount = (text: string): string => JSON.stringify(text.slice(0, 60).toWellFormed());

/** The maximum length of a text in place of a price, such as "Price on request, please call us". */
const MAX_WORDS = 40;

/** Whether a text states that there is no price: 0, or words such as "call for price". */
export const statesNoPrice = (text: string): boolean =>
  text.length <= MAX_WORDS && /^(?:\D*0+(?:[.,]0+)?\D*|\D+)$/.test(plainPrice(text));

/** An amount that is a "from" price. `amount` is a decimal string. */
export class FromPrice {
  constructor(readonly amount: string) {}
}

/** The reason for which no amount was read from a text, with the text and its column. */
export function unreadReason(text: string, { reason }: UnreadPrice, column?: string): string {
  const place = column === undefined || isUndecided(reason) ? '' : ` (column ${column})`;
  return `${quoteAmount(text)} ${reason}${place}`;
}

/**
 * Returns the code of the currency that a mark such as `Kč` denotes, and a text that is no mark unchanged. A mark such as `kr`
 * denotes several currencies: it is returned unchanged if the usual currency is none of them; otherwise the result is undefined.
 */
export function codeOfMark(text: string, usual: string | undefined): string | undefined {
  const mark = isCurrency(text.trim().toUpperCase()) ? undefined : SHIPPED_MARKETS.marks.get(foldMark(text));
  // The mark of a hundredth, such as `p` for pence, is not the mark of a currency.
  if (mark === undefined || isMarketWord('hundredths', text)) return text;
  const isPossible = usual === undefined || mark.possible.has(usual.toUpperCase());
  return mark.meant ?? (isPossible ? undefined : text);
}

/** Whether the mark of an amount stands only for other currencies, as `€` does in USD. A single letter may mean anything else. */
export const contradicts = ({ possible, mark }: ShownPrice, currency: string): boolean =>
  possible !== null && !possible.has(currency.toUpperCase()) && !/^\p{L}$/u.test(mark);

/** Whether two decimal strings are the same amount. */
export const isSameAmount = (a: string, b: string): boolean => areAmounts(a, b) && toUnits(a) === toUnits(b);

/** Whether two texts are amounts of which the first is not above the second. */
export const isAtMost = (a: string, b: string): boolean => areAmounts(a, b) && toUnits(a) <= toUnits(b);

const areAmounts = (...texts: string[]): boolean => texts.every((text) => /^\d+(?:\.\d{1,4})?$/.test(text));

/** The texts beside the price in a row or record that denote no single currency, such as `kr` in `1299 kr`. */
export function unknownMarks(row: unknown, price: string): string[] {
  const values = typeof row === 'object' && row !== null ? Object.values(row).slice(0, MAX_VALUES) : [row];
  const nested = values.flatMap((value) =>
    typeof value === 'object' && value !== null ? Object.values(value).slice(0, MAX_VALUES) : [value],
  );
  const marks = nested.map((value) =>
    typeof value === 'string' ? markBeside(value.trim(), price) : undefined,
  );
  return [...new Set(marks.filter((mark) => mark !== undefined))];
}

/** The maximum number of values of a row, and of each nested value, in which currency marks are searched for. */
const MAX_VALUES = 200;

function markBeside(text: string, price: string): string | undefined {
  for (const decimal of ['.', ','] as const) {
    const money = readShownPrice(text, { decimal, isCertain: true });
    if ('reason' in money || money.mark === '' || money.currency !== null) continue;
    if (Number(money.amount) === Number(price)) return money.mark;
  }
  return undefined;
}
