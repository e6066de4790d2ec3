/** A table of exchange rates of one day. */
export interface ExchangeRates {
  /** ISO 4217 code. */
  base: string;
  /** The day of the rates, `YYYY-MM-DD`. */
  date: string;
  /** Units of a currency for one of the base, as integers of one common scale; the base is among them. */
  perBase: ReadonlyMap<string, bigint>;
}

/** An amount. Units are ten-thousandths of the currency's unit; an unknown currency is null. */
export interface Money {
  units: number | bigint;
  currency: string | null;
}

/**
 * An amount in another currency, in ten-thousandths, rounded half up to a multiple of `step`. The same currency needs no rate, so an
 * unknown one converts to an unknown one alone: that two prices are both without a currency is taken to mean that
 * they are in the same.
 * @returns null when there is no rate.
 */
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

/**
 * Orders prices, cheapest first, exactly: nothing is rounded on the way. A currency without a rate comes after all
 * that have one (among themselves such currencies stay apart, in order of their codes), no price comes last.
 * @returns negative, 0 or positive, as `Array.prototype.sort` takes it; a total order of classes of equal prices.
 */
export function comparePrices(rates: ExchangeRates, a: Money | null, b: Money | null): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a.currency === b.currency) return sign(BigInt(a.units) - BigInt(b.units));
  const [rateA, rateB] = [rateOf(rates, a.currency), rateOf(rates, b.currency)];
  if (rateA !== null && rateB !== null) return sign(BigInt(a.units) * rateB - BigInt(b.units) * rateA);
  if (rateA !== null || rateB !== null) return rateA === null ? 1 : -1;
  if (a.currency === null || b.currency === null) return a.currency === null ? 1 : -1;
  return a.currency < b.currency ? -1 : 1;
}

/** Quotient of a non-negative integer by a positive one, rounded half up. */
export function roundedQuotient(dividend: bigint, divisor: bigint): bigint {
  return (2n * dividend + divisor) / (2n * divisor);
}

function rateOf(rates: ExchangeRates, currency: string | null): bigint | null {
  return currency === null ? null : (rates.perBase.get(currency) ?? null);
}

const sign = (value: bigint): number => (value > 0n ? 1 : value < 0n ? -1 : 0);
