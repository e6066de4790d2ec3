import type { Client } from '@elastic/elasticsearch';
import type { Redis } from 'ioredis';

/** Deletes all indices, aliases, data streams and index templates whose names start with `prefix`. */
export async function removeElasticsearchTraces(client: Client, prefix: string): Promise<void> {
  const name = `${prefix}*`;
  const found = await client.indices.resolveIndex({ name, expand_wildcards: 'all' });
  const streams = found.data_streams.map((stream) => stream.name);
  if (streams.length > 0) await client.indices.deleteDataStream({ name: streams });
  const indices = found.indices
    .filter(({ data_stream }) => data_stream === undefined)
    .map((index) => index.name);
  if (indices.length > 0) await client.indices.delete({ index: indices });
  // The remaining aliases belong to other indices, which stay.
  const left = await client.indices.getAlias({ name });
  for (const [index, { aliases = {} }] of Object.entries(left)) {
    const names = Object.keys(aliases).filter((alias) => alias.startsWith(prefix));
    if (names.length > 0) await client.indices.deleteAlias({ index, name: names });
  }
  await client.indices.deleteIndexTemplate({ name }, { ignore: [404] });
}

/** Deletes the Redis keys that start with `prefix:`. */
export async function removeRedisTraces(redis: Redis, prefix: string): Promise<void> {
  for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1000 })) {
    if ((keys as string[]).length > 0) await redis.unlink(keys as string[]);
  }
}
