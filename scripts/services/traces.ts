import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';

/** Removes the indices and aliases whose names begin with `prefix`; nothing else is touched. */
export async function removeElasticsearchTraces(client: Client, prefix: string): Promise<void> {
  const name = `${prefix}*`;
  const found = await client.indices.resolveIndex({ name, expand_wildcards: 'all' });
  const indices = found.indices.map((index) => index.name);
  if (indices.length > 0) await client.indices.delete({ index: indices });
  // Aliases go with their indices; what is left points at indices of other names.
  const left = await client.indices.getAlias({ name });
  for (const [index, { aliases = {} }] of Object.entries(left)) {
    const names = Object.keys(aliases).filter((alias) => alias.startsWith(prefix));
    if (names.length > 0) await client.indices.deleteAlias({ index, name: names });
  }
}

/** Removes the keys that begin with `prefix:`; nothing else is touched. */
export async function removeRedisTraces(redis: Redis, prefix: string): Promise<void> {
  for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1000 })) {
    if ((keys as string[]).length > 0) await redis.unlink(keys as string[]);
  }
}
