import type { Client } from '@elastic/elasticsearch';
import { sourceCodesRequest } from './queries/sources.js';

export async function readSourceCodes(es: Client, products: string): Promise<string[]> {
  const request = { index: products, ...sourceCodesRequest };
  const { aggregations } = await es.search<unknown, { sources: { buckets: { key: string }[] } }>(request);
  return (aggregations?.sources.buckets ?? []).map(({ key }) => key);
}
