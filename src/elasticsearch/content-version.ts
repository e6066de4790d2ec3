import type { Client } from '@elastic/elasticsearch';

const LOOKS = { requestTimeout: 1_000, maxRetries: 0 };

/**
 * Names what searches of the index see now: another name after each refresh that brought anything, after a reindex, and
 * as copies of it come and go.
 */
export async function contentVersion(es: Client, index: string): Promise<string> {
  const filter_path = ['_shards', 'indices.*.uuid', 'indices.*.total.refresh.external_total'];
  return JSON.stringify(await es.indices.stats({ index, metric: 'refresh', filter_path }, LOOKS));
}
