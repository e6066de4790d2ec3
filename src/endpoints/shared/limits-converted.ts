import type { Context } from '../../context.js';
import { ceilUnits, formatUnits } from '../../listing/price.js';
import type { Reading } from '../../queries/interpret/interpret.js';
import { currenciesRequest } from '../../queries/sources.js';
import { convert } from '../../rates/convert.js';

/** What a shopper would pay, to the cent. */
const CENT = 100n;

/**
 * Limits of a price in a currency that no listing has, in the one that most have: "under RM1500" in a catalogue that
 * prices in dollars. As they are where the currency is there, or has no rate.
 */
export async function limitsConverted(
  { es, products, rates }: Pick<Context, 'es' | 'products' | 'rates'>,
  read: readonly Reading[],
): Promise<Reading[]> {
  const from = read.find(({ parameter }) => parameter === 'currency')?.value;
  if (from === undefined) return [...read];
  const { aggregations } = await es.search<unknown, { currencies: { buckets: { key: string }[] } }>({
    index: products,
    ...currenciesRequest,
  });
  const known = (aggregations?.currencies.buckets ?? []).map(({ key }) => key);
  const [usual] = known;
  if (usual === undefined || known.includes(from)) return [...read];
  const converted = read.map((one): Reading | null => {
    if (one.parameter === 'currency') return { ...one, value: usual };
    if (one.parameter !== 'min_price' && one.parameter !== 'max_price') return one;
    const units = convert(rates, ceilUnits(one.value), from, usual, CENT);
    return units === null ? null : { ...one, value: formatUnits(Number(units)) };
  });
  return converted.every((one) => one !== null) ? converted : [...read];
}
