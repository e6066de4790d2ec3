import { ceilUnits, formatUnits } from '../../../listing/price.js';
import { convert, type ExchangeRates } from '../../../listing/rates/convert.js';
import type { Reading } from './interpret.js';

/** What a shopper would pay, to the cent. */
const CENT = 100n;

/**
 * Limits of a price in a currency that no listing has, in the one that most have: "under RM1500" in a catalogue that
 * prices in dollars. As they are where the currency is there, or has no rate.
 * @param currencies of the listings, the commonest first.
 */
export function convertLimits(
  read: readonly Reading[],
  currencies: readonly string[],
  rates: ExchangeRates,
): Reading[] {
  const from = read.find(({ parameter }) => parameter === 'currency')?.value;
  const [usual] = currencies;
  if (from === undefined || usual === undefined || currencies.includes(from)) return [...read];
  const converted = read.map((one): Reading | null => {
    if (one.parameter === 'currency') return { ...one, value: usual };
    if (one.parameter !== 'min_price' && one.parameter !== 'max_price') return one;
    const units = convert(rates, ceilUnits(one.value), from, usual, CENT);
    return units === null ? null : { ...one, value: formatUnits(Number(units)) };
  });
  return converted.every((one) => one !== null) ? converted : [...read];
}
