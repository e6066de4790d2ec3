import type { Client, estypes } from '@elastic/elasticsearch';
import { CURRENT_SCHEMA } from '../listing/schema-versions.js';
import { MARKETS } from '../platform/config/markets.js';
import { productsIndex } from './indices.js';

const CURRENT_BUILD: unknown = productsIndex.mappings._meta?.['schema_build'];

/**
 * Reads the schema version of an index, by default the current one. Until a release, `_meta.schema_build` counts changes of the
 * mappings: an index with another build of the current schema counts as one of the schema before.
 */
export async function schemaVersionOf(es: Client, index: string): Promise<number> {
  const mappings = await es.indices.getMapping(
    { index, filter_path: '*.mappings._meta.schema_*' },
    { ignore: [404] },
  );
  const versions = Object.values(mappings).flatMap((state) => {
    const { schema_version: version, schema_build: build } =
      (state as Partial<estypes.IndicesGetMappingIndexMappingRecord>).mappings?._meta ?? {};
    if (typeof version !== 'number') return [];
    return [version === CURRENT_SCHEMA && build !== CURRENT_BUILD ? version - 1 : version];
  });
  return Math.min(CURRENT_SCHEMA, ...versions);
}

/** The markets with whose synonyms an index was made, separated by commas. An index that does not state them has those of all. */
export async function marketsOfIndex(es: Client, index: string): Promise<string> {
  const mappings = await es.indices.getMapping({ index, filter_path: '*.mappings._meta.markets' });
  const [state] = Object.values(mappings as Partial<typeof mappings>);
  return ((state?.mappings?._meta?.['markets'] ?? MARKETS) as readonly string[]).join();
}

/** Whether an index exists and has more than one shard. */
export async function hasSeveralShards(es: Client, index: string): Promise<boolean> {
  const name = 'index.number_of_shards';
  const settings = await es.indices.getSettings({ index, name }, { ignore: [404] });
  return Object.values(settings).some((state) => Number(state.settings?.index?.number_of_shards) > 1);
}

/** How long answers about an index are cached by default, in ms: less than a reindex, which replaces the index, takes. */
const DEFAULT_TTL_MS = 2_000;

/** Caches the answer of a request for `forMs` milliseconds. Failures are not cached. */
export function cachedFor<T>(
  request: () => Promise<T>,
  forMs = DEFAULT_TTL_MS,
  clock = () => performance.now(),
): () => Promise<T> {
  let cached: { answer: Promise<T>; until: number } | null = null;
  return () => {
    const now = clock();
    if (cached !== null && now < cached.until) return cached.answer;
    const answer = request();
    cached = { answer, until: now + forMs };
    answer.catch(() => (cached = null));
    return answer;
  };
}

const CONTENT_VERSION_DEADLINE = { requestTimeout: 1_000, maxRetries: 0 };

/** Identifies the content of these indices that searches see now. It changes with every refresh after writes and every reindex. */
export async function contentVersion(es: Client, indices: readonly string[]): Promise<string> {
  // The indices of people's decisions and of suggestions need not exist.
  const request = { index: [...indices], metric: 'refresh' as const, ignore_unavailable: true };
  const filter_path = ['_shards', 'indices.*.uuid', 'indices.*.total.refresh.external_total'];
  return JSON.stringify(await es.indices.stats({ ...request, filter_path }, CONTENT_VERSION_DEADLINE));
}
