import { decimalsOf } from './currency.js';
import { ceilUnits, toUnits } from './price.js';

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
