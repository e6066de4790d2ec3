import { decimalsOf, isCurrency } from '../../listing/currency.js';
import { fromMinorUnits } from '../../listing/minor-units.js';

/** Currency symbols that denote exactly one currency; `$` and `¥` are used for several. */
const MARKS: Readonly<Record<string, string>> = {
  US$: 'USD',
  S$: 'SGD',
  A$: 'AUD',
  C$: 'CAD',
  HK$: 'HKD',
  NZ$: 'NZD',
  NT$: 'TWD',
  R$: 'BRL',
  '€': 'EUR',
  '£': 'GBP',
  '₹': 'INR',
  '₩': 'KRW',
  '฿': 'THB',
  '₫': 'VND',
  '₱': 'PHP',
  RM: 'MYR',
  RP: 'IDR',
  RS: 'INR',
  CN: 'CNY',
  'CN¥': 'CNY',
  'JP¥': 'JPY',
};

const LIKE_THOUSANDS = /^[1-9]\d{0,2}[.,]\d{3}$/;

/**
 * Whether an amount has three decimals although its currency has fewer, so that it may be a thousand times higher.
 * An unknown currency, null, probably has fewer, too.
 */
export const isAmbiguous = (amount: string, currency: string | null): boolean =>
  LIKE_THOUSANDS.test(amount) && decimalsOf(currency) !== 3;

/** Whether the only separator of an amount is read as one of thousands although its currency has three decimals. */
const mayBeDecimals = (digits: string, decimal: '.' | ',', currency: string | null): boolean =>
  LIKE_THOUSANDS.test(digits) && !digits.includes(decimal) && decimalsOf(currency) === 3;

/**
 * The reason for which an amount with three decimals is not read.
 * @param currency the currency of the record, null if it is unknown; undefined if the amount states it.
 */
export function askForDecimal(amount: string, currency?: string | null): string {
  const of = currency === undefined ? '' : ` of ${currency?.slice(0, 10) ?? 'an unknown currency'}`;
  return `${quoteAmount(amount)}${of} has three decimals or a separator of thousands; specify --decimal point or --decimal comma`;
}

/** The reason for which `readMoney` reads no amount from a text. */
export const unreadable = (text: string, decimal: '.' | ',', expected: string): string =>
  readMoney(text, decimal, true) === null ? `${quoteAmount(text)} is not ${expected}` : askForDecimal(text);

/** Whether a record is rejected until the operator states the decimal separator of its feed. */
export const isUndecided = (reason: string): boolean => /--decimal (?:point|comma)$/.test(reason);

export const quoteAmount = (text: string): string => JSON.stringify(text.slice(0, 60).toWellFormed());

/** The maximum length of a text in place of a price, such as "Price on request, please call us". */
const MAX_WORDS = 40;

/** Whether a text states that there is no price: 0, or words such as "call for price". */
export const statesNoPrice = (text: string): boolean =>
  text.length <= MAX_WORDS && /^(?:\D*0+(?:[.,]0+)?\D*|\D+)$/.test(text);

const MARKED = /^([\p{L}\p{Sc}]{1,4}\.?)?\s*(\d[\d.,'’\s]*)([\p{L}\p{Sc}]{1,4})?$/u;

/** The separator before the decimals of an amount: the last one, unless it occurs several times and so separates thousands. */
export function decimalOf(text: string): '.' | ',' {
  const separators = text.match(/[.,]/g) ?? [];
  const last = separators.at(-1) === ',' ? ',' : '.';
  const other = last === '.' ? ',' : '.';
  return separators.filter((separator) => separator === last).length > 1 ? other : last;
}

interface ParsedMoney {
  /** The amount as a decimal string. */
  amount: string;
  /** The currency that the text states by code or symbol; null if there is none or several are possible. */
  currency: string | null;
}

/**
 * Parses an amount such as `19.99 SGD`, `S$1,299.00` or `1 299,00 €`. An invalid grouping makes it
 * unreadable, and so do three decimals if the stated currency has fewer (`Rp 15.999`, `S$1,299`), and a separator of
 * thousands that may be that of the decimals of a currency with three (`1,250 KWD`).
 * @param decimal the decimal separator.
 * @param isCertain whether the decimal separator is certain, so that all these are readable.
 * @param usual the currency of amounts that state none.
 */
export function readMoney(
  text: string,
  decimal: '.' | ',',
  isCertain = false,
  usual: string | null = null,
): ParsedMoney | null {
  const [, before, digits = '', after] = MARKED.exec(text.trim()) ?? [];
  if (before !== undefined && after !== undefined) return null;
  const amount = plainAmount(digits.trim(), decimal);
  if (amount === null) return null;
  const mark = markIn(text);
  const currency = MARKS[mark] ?? (/^[A-Z]{3}$/.test(mark) ? mark : null);
  const own = currency ?? usual?.toUpperCase() ?? null;
  if (!isCertain && mayBeDecimals(digits.trim(), decimal, own)) return null;
  if (mark === '') return { amount, currency: null };
  if (currency === null) return /\p{L}{3}/u.test(mark) ? null : { amount, currency };
  return !isCertain && isAmbiguous(amount, currency) ? null : { amount, currency };
}

/** The code or symbol beside an amount, in capital letters; empty if there is none. */
function markIn(text: string): string {
  const [, before, , after = ''] = MARKED.exec(text.trim()) ?? [];
  return (before ?? after).toUpperCase().replace('.', '');
}

/** The currencies that each symbol may denote, such as `$` all dollars and pesos. */
const SYMBOLS = new Map<string, Set<string>>();
for (const code of Intl.supportedValuesOf('currency')) {
  const format = { style: 'currency', currency: code, currencyDisplay: 'narrowSymbol' } as const;
  const parts = new Intl.NumberFormat('en', format).formatToParts(1);
  const symbol = parts.find(({ type }) => type === 'currency')?.value.toUpperCase() ?? code;
  SYMBOLS.set(symbol, (SYMBOLS.get(symbol) ?? new Set()).add(code));
}
for (const [mark, code] of Object.entries(MARKS))
  SYMBOLS.set(mark, (SYMBOLS.get(mark) ?? new Set()).add(code));

/**
 * Returns what an amount states of its currency if that contradicts another statement: `EUR` of `19,90 €` in USD, `$` of
 * `$19.90` in EUR. A symbol contradicts only if it denotes none but other currencies; a single letter may mean anything.
 * @param currency an ISO 4217 code.
 */
export function contradictionTo(currency: string, text: string): string | null {
  const mark = markIn(text);
  const possible = isCurrency(mark) ? new Set([mark]) : SYMBOLS.get(mark);
  if (possible === undefined || possible.has(currency.toUpperCase()) || /^\p{L}?$/u.test(mark)) return null;
  return possible.size === 1 ? ([...possible][0] ?? mark) : mark;
}

/**
 * Converts an amount in minor units to a decimal string: `1999` of USD is `19.99`, `1980` of JPY is `1980`.
 * @returns or the reason for which it cannot be converted.
 */
export function readMinorUnits(
  text: string,
  currency: string | undefined,
): { amount: string } | { reason: string } {
  const digits = quoteAmount(text);
  if (!/^\d{1,15}$/.test(text)) return { reason: `${digits} is not a whole number of minor units` };
  const code = currency?.toUpperCase() ?? '';
  return isCurrency(code)
    ? { amount: fromMinorUnits(Number(text), code) }
    : { reason: `${digits} is in minor units of an unknown currency; specify --currency CODE` };
}

function plainAmount(digits: string, decimal: '.' | ','): string | null {
  const [whole = '', fraction, more] = digits.split(decimal);
  if (more !== undefined || (fraction !== undefined && !/^\d+$/.test(fraction))) return null;
  // A group of thousands does not begin with 0: `0.018` has a decimal point, whatever the separator of the feed is.
  const grouped = /^[1-9]\d{0,2}(?:([.,'’\s])\d{3})(?:\1\d{3})*$/.test(whole) && !whole.includes(decimal);
  if (!grouped && !/^\d+$/.test(whole)) return null;
  const plain = whole.replace(/\D/g, '');
  return fraction === undefined ? plain : `${plain}.${fraction}`;
}

/**
 * The texts in a row or record that stand beside its price and denote no single currency, such as `Kč` in `1299 Kč` or `$`.
 * @param price the price that was read, as a decimal string.
 */
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
  const [, before, , after] = MARKED.exec(text) ?? [];
  const mark = before ?? after;
  if (mark === undefined) return undefined;
  const isPrice = (['.', ','] as const).some((decimal) => {
    const money = readMoney(text, decimal, true);
    return money !== null && money.currency === null && Number(money.amount) === Number(price);
  });
  return isPrice ? mark : undefined;
}
