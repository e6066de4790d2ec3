import type { Client } from '@elastic/elasticsearch';

const LOOKS = { requestTimeout: 1_000, maxRetries: 0 };

/**
 * Names what searches of these indices see now: another name after each refresh that brought anything, after a reindex, and
 * as copies of it come and go.
 */
export async function contentVersion(es: Client, indices: readonly string[]): Promise<string> {
  // There may be no decisions or suggestions yet.
  const request = { index: [...indices], metric: 'refresh' as const, ignore_unavailable: true };
  const filter_path = ['_shards', 'indices.*.uuid', 'indices.*.total.refresh.external_total'];
  return JSON.stringify(await es.indices.stats({ ...request, filter_path }, LOOKS));
}
