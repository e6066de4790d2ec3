import type { Product } from '../schemas/product.js';
import { toUnits } from './price.js';

/** A table of the exchange rates of one day. */
export interface ExchangeRates {
  base: string;
  /** The day of the exchange rates, `YYYY-MM-DD`. */
  date: string;
  /** The amount of each currency for one unit of the base currency, in one common scale. */
  perBase: ReadonlyMap<string, bigint>;
}

/** An amount of money in ten-thousandths of the currency's unit. The currency is null if it is unknown. */
export interface MoneyUnits {
  units: number | bigint;
  currency: string | null;
}

export const moneyOf = ({ price, currency }: Pick<Product, 'price' | 'currency'>): MoneyUnits | null =>
  price === null ? null : { units: toUnits(price), currency };

/** The price of a listing in a currency, in ten-thousandths of its unit; null if it is unknown or has no exchange rate. */
export function comparablePriceOf(
  listing: Pick<Product, 'price' | 'currency'>,
  currency: string | null,
  rates: ExchangeRates,
): number | null {
  const money = moneyOf(listing);
  const units = money === null ? null : convert(rates, money.units, money.currency, currency);
  return units === null ? null : Number(units);
}

/** Converts ten-thousandths, rounded half up to a multiple of `step`; null without a rate. Unknown currencies count as one. */
export function convert(
  rates: ExchangeRates,
  units: number | bigint,
  from: string | null,
  to: string | null,
  step = 1n,
): bigint | null {
  if (from === to) return BigInt(units);
  const [fromRate, toRate] = [rateOf(rates, from), rateOf(rates, to)];
  return fromRate === null || toRate === null
    ? null
    : roundedQuotient(BigInt(units) * toRate, fromRate * step) * step;
}

/** Compares prices for sorting without rounding: convertible ones, those without a rate by currency code, then unknown prices. */
export function comparePrices(rates: ExchangeRates, a: MoneyUnits | null, b: MoneyUnits | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a.currency === b.currency) return sign(BigInt(a.units) - BigInt(b.units));
  const [rateA, rateB] = [rateOf(rates, a.currency), rateOf(rates, b.currency)];
  if (rateA !== null && rateB !== null) return sign(BigInt(a.units) * rateB - BigInt(b.units) * rateA);
  if (rateA !== null || rateB !== null) return rateA === null ? 1 : -1;
  if (a.currency === null || b.currency === null) return a.currency === null ? 1 : -1;
  return a.currency < b.currency ? -1 : 1;
}

/** Divides a non-negative integer by a positive one and rounds the quotient half up. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

function rateOf(rates: ExchangeRates, currency: string | null): bigint | null {
  return currency === null ? null : (rates.perBase.get(currency) ?? null);
}

const sign = (value: bigint): number => (value > 0n ? 1 : value < 0n ? -1 : 0);
