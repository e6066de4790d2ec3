import { decimalsOf } from './currency.js';

/*
 * Prices are decimal strings. For comparisons and filters they are converted to an integer number of units:
 * ten-thousandths of the currency's unit, exact for every ISO 4217 currency: none has more than four decimals.
 */
const UNIT_DECIMALS = 4;
const UNITS_PER_ONE = 10 ** UNIT_DECIMALS;

/** The exclusive maximum of a price, up to which ten-thousandths are exact as JavaScript numbers. */
const UNITS_END = 2 ** 53;

/** The maximum number of digits of a price as a JSON number. Parsing may change a number with more digits. */
const EXACT_DIGITS = 15;

const PLAIN_DECIMAL = /^(\d+)(?:\.(\d+))?$/;

type ParsedPrice = { price: string } | { reason: string };

/** Parses a price to its canonical form, so that equal prices are equal texts: `"19.9"` becomes `"19.90"`, and in KWD `"19.900"`. */
export function parsePrice(value: string | number, currency: string | null = null): ParsedPrice {
  const parsed = parseAmount(value, currency, 'a positive decimal number');
  return 'price' in parsed && toUnits(parsed.price) === 0
    ? { reason: 'is not a positive decimal number: a price is greater than 0' }
    : parsed;
}

/** Parses an amount of money that may be 0, such as a delivery price, to the canonical form of prices. */
export function parseAmount(
  value: string | number,
  currency: string | null = null,
  wanted = 'a decimal number from 0',
): ParsedPrice {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof value === 'number' && (/[en]/i.test(text) || text.replace(/\D/g, '').length > EXACT_DIGITS)) {
    return { reason: 'is not exact as a JSON number: write it as a string' };
  }
  const match = PLAIN_DECIMAL.exec(text);
  if (!match) return { reason: `is not ${wanted} (no sign, grouping or currency symbol)` };
  const [, , decimals = ''] = match;
  if (decimals.length > UNIT_DECIMALS) return { reason: `has more than ${UNIT_DECIMALS} decimals` };
  const units = toUnits(text);
  return units >= UNITS_END ? { reason: 'is too large' } : { price: formatUnits(units, currency) };
}

/** Converts a decimal string with at most four decimals to ten-thousandths of the currency's unit. */
export function toUnits(price: string): number {
  const point = price.indexOf('.');
  if (point < 0) return Number(price) * UNITS_PER_ONE;
  const decimals = price.length - point - 1;
  return Number(price.slice(0, point) + price.slice(point + 1)) * 10 ** (UNIT_DECIMALS - decimals);
}

/** Converts ten-thousandths of the currency's unit to a decimal string with the decimals of the currency, at least two. */
export function formatUnits(units: number | bigint, currency: string | null): string {
  const digits = String(units < 0 ? -units : units).padStart(UNIT_DECIMALS + 1, '0');
  const decimals = digits
    .slice(-UNIT_DECIMALS)
    .replace(/0{1,4}$/, '')
    .padEnd(shownDecimals(currency), '0');
  return `${units < 0 ? '-' : ''}${digits.slice(0, -UNIT_DECIMALS)}.${decimals}`;
}

/** Writes a price with the decimals of its currency, as `parsePrice` does. */
export const formatPrice = (price: string, currency: string | null): string =>
  formatUnits(toUnits(price), currency);

/** Converts a decimal to ten-thousandths of the currency's unit and rounds up, so that a minimum price includes no lower price. */
export const ceilUnits = (decimal: string): number => ceilScaled(decimal, UNITS_PER_ONE);

/** Converts a decimal to ten-thousandths of the currency's unit and rounds down, so that a maximum price includes no higher price. */
export const floorUnits = (decimal: string): number => clamped(scaled(decimal, UNITS_PER_ONE).floor);

/** The smallest integer that is not below decimal × scale, clamped to ±2^53. */
export function ceilScaled(decimal: string, scale: number): number {
  const { floor, exact } = scaled(decimal, scale);
  return clamped(exact ? floor : floor + 1n);
}

/** The maximum number of digits in calculations. A number with a million digits would take seconds. */
const MAX_MAGNITUDE = 400;

function scaled(decimal: string, scale: number): { floor: bigint; exact: boolean } {
  const [, sign, whole = '', decimals = '', exponent = '0'] =
    /^(-?)(\d*)(?:\.(\d*))?(?:e([+-]?\d+))?$/i.exec(decimal) ?? [];
  if (whole + decimals === '') throw new RangeError(`not a decimal number: ${decimal}`);
  const { digits, dropped } = firstDigits(whole + decimals);
  const shift = Number(exponent) - decimals.length + dropped;
  const numerator = digits * BigInt(scale) * (shift > 0 ? 10n ** BigInt(Math.min(shift, MAX_MAGNITUDE)) : 1n);
  const divisor = shift < 0 ? 10n ** BigInt(Math.min(-shift, 2 * MAX_MAGNITUDE)) : 1n;
  const exact = numerator % divisor === 0n;
  const quotient = numerator / divisor;
  if (sign === '-') return { floor: exact ? -quotient : -quotient - 1n, exact };
  return { floor: quotient, exact };
}

/** The first digits of a number, with a 1 behind them if any further digit is not zero, so that rounding up works. */
function firstDigits(text: string): { digits: bigint; dropped: number } {
  const start = text.search(/[1-9]/);
  if (start < 0) return { digits: 0n, dropped: 0 };
  const end = start + MAX_MAGNITUDE;
  const rest = text.slice(end);
  if (!/[1-9]/.test(rest)) return { digits: BigInt(text.slice(start, end)), dropped: rest.length };
  return { digits: BigInt(`${text.slice(start, end)}1`), dropped: rest.length - 1 };
}

const clamped = (value: bigint): number => Math.max(-UNITS_END, Math.min(UNITS_END, Number(value)));

/** The prices, in ten-thousandths of the currency's unit, at which the steps of the price facet begin. */
export const PRICE_EDGES: readonly number[] = Array.from({ length: 17 }, (_, power) =>
  [1, 2, 5].map((digit) => digit * 10 ** power),
).flat();

/** Returns the index in `PRICE_EDGES` of the step of the price facet that contains a price above 0. */
export const priceStep = (units: number): number => PRICE_EDGES.findLastIndex((edge) => edge <= units);

/** The number of decimals with which amounts in a currency are written: those of its minor unit, at least two. */
const shownDecimals = (currency: string | null): number => Math.max(2, decimalsOf(currency));

/** The smallest amount of a currency, in ten-thousandths: one hundredth, or less if the currency has more decimals. */
export const smallestUnits = (currency: string | null): bigint =>
  10n ** BigInt(UNIT_DECIMALS - shownDecimals(currency));

/** Ten-thousandths of a currency's unit in its minor unit. */
const unitsPerMinor = (currency: string): bigint => 10n ** BigInt(4 - decimalsOf(currency));

/** Converts a price to minor units (ISO 4217), rounded half up: `19.90` EUR is 1990, `1299.00` JPY is 1299. */
export function toMinorUnits(price: string, currency: string): number {
  const step = unitsPerMinor(currency);
  return Number((2n * BigInt(toUnits(price)) + step) / (2n * step));
}

/** Converts an integer number of minor units of a currency to a decimal string. */
export function fromMinorUnits(amount: number, currency: string): string {
  const digits = String(amount).padStart(decimalsOf(currency) + 1, '0');
  const decimals = decimalsOf(currency);
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** Whether a price is within limits in minor units, which are inclusive and exact. */
export function isWithin(
  price: string,
  currency: string,
  { min, max }: { min?: number | undefined; max?: number | undefined },
): boolean {
  const units = toUnits(price);
  return (
    (min === undefined || units >= ceilUnits(fromMinorUnits(min, currency))) &&
    (max === undefined || units <= ceilUnits(fromMinorUnits(max, currency)))
  );
}
