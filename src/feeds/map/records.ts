import { type FeedItem, type FeedOptions, readFeed } from '../read/feed.js';
import { type RecordDefaults, withDefaults } from './defaults.js';
import type { FeedMap } from './feed-map.js';
import { Mapper } from './mapper.js';

/** Options for reading the records of a feed. */
export interface RecordOptions extends RecordDefaults {
  feed: FeedOptions;
  /** The map file that defines how rows become records; null: the rows are records. */
  map: FeedMap | null;
  /** The start of product URLs: the value of `shop_url` in a map file. */
  shopUrl?: string | undefined;
}

/**
 * Reads the records of a feed: decompresses and parses it, applies the map file, and fills in the defaults.
 */
export async function* readRecords(
  chunks: AsyncIterable<Buffer>,
  options: RecordOptions,
  now: Date,
  onSkipped: (rows: number) => void = () => undefined,
): AsyncGenerator<FeedItem> {
  const { feed, map, shopUrl, timezone = 'UTC' } = options;
  const variables: Record<string, string> = shopUrl === undefined ? {} : { shop_url: shopUrl };
  const mapper = map === null ? null : new Mapper(map, { now, timezone, variables });
  for await (const item of readFeed(chunks, feed)) {
    if (mapper === null) yield withDefaults(item, options);
    else for (const record of mapper.records(item)) yield withDefaults(record, options);
  }
  if (mapper !== null) onSkipped(mapper.skipped);
}
