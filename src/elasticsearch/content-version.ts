import type { Client } from '@elastic/elasticsearch';

const LOOKS = { requestTimeout: 1_000, maxRetries: 0 };

/**
 * Names what searches of these indices see now: another name after each refresh that brought anything, after a reindex, and
 * as copies of it come and go.
 */
export async function contentVersion(es: Client, indices: readonly string[]): Promise<string> {
  // Nobody may have decided anything yet.
  const request = { index: [...indices], metric: 'refresh' as const, ignore_unavailable: true };
  const filter_path = ['_shards', 'indices.*.uuid', 'indices.*.total.refresh.external_total'];
  return JSON.stringify(await es.indices.stats({ ...request, filter_path }, LOOKS));
}

/**
 * Names the index that an alias of suggestions leads to: what is in it does not change. No shard is asked for that.
 * @throws where none were made yet.
 */
export const suggestionsVersion = async (es: Client, alias: string): Promise<string> =>
  Object.keys(await es.indices.getAlias({ name: alias }, LOOKS)).join();
