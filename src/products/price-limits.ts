import type { ParameterWords } from '../engine/queries/interpret/interpret.js';
import type { ExchangeRates } from '../listing/rates.js';

/**
 * Replaces the currency of price limits by a filter of this currency if there is no exchange rate for it, because no price
 * in another currency can then be compared with the limits.
 */
export const withComparableLimits = (
  words: readonly ParameterWords[],
  { rates }: { rates: ExchangeRates },
): ParameterWords[] =>
  words.map((one) =>
    one.parameter === 'price_currency' && !rates.perBase.has(one.value)
      ? { ...one, parameter: 'currency' }
      : one,
  );
