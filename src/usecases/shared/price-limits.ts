import { convertLimits, type ParameterWords } from '../../engine/queries/interpret/interpret.js';
import { currenciesRequest } from '../../engine/queries/sources.js';
import type { Context } from '../context.js';

/**
 * Converts price limits to the most frequent currency of the catalogue, if no listing has a price in their currency.
 */
export async function inCurrencyOfCatalogue(
  { es, products, rates }: Pick<Context, 'es' | 'products' | 'rates'>,
  words: readonly ParameterWords[],
): Promise<ParameterWords[]> {
  if (!words.some(({ parameter }) => parameter === 'currency')) return [...words];
  const { aggregations } = await es.search<unknown, { currencies: { buckets: { key: string }[] } }>({
    index: products,
    ...currenciesRequest,
  });
  const currencies = (aggregations?.currencies.buckets ?? []).map(({ key }) => key);
  return convertLimits(words, currencies, rates);
}
