import type { ExchangeRates } from '../../listing/rates.js';

/** The value of one unit of each currency in the base currency, for sorting only. */
export function factorsOf({ base, perBase }: ExchangeRates): Record<string, number> {
  const one = Number(perBase.get(base));
  return Object.fromEntries([...perBase].map(([currency, rate]) => [currency, one / Number(rate)]));
}
