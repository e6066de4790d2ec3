import type { Context } from '../context.js';
import { convertLimits } from '../../engine/queries/interpret/convert-limits.js';
import type { Reading } from '../../engine/queries/interpret/interpret.js';
import { currenciesRequest } from '../../engine/queries/sources.js';

/** What was read, with limits of a price in money that some listing has. */
export async function limitsConverted(
  { es, products, rates }: Pick<Context, 'es' | 'products' | 'rates'>,
  read: readonly Reading[],
): Promise<Reading[]> {
  if (!read.some(({ parameter }) => parameter === 'currency')) return [...read];
  const { aggregations } = await es.search<unknown, { currencies: { buckets: { key: string }[] } }>({
    index: products,
    ...currenciesRequest,
  });
  const currencies = (aggregations?.currencies.buckets ?? []).map(({ key }) => key);
  return convertLimits(read, currencies, rates);
}
