import { type FeedItem, readFeed } from '../../src/feeds/read/feed.js';
import { withDefaults } from '../../src/feeds/map/defaults.js';
import { Mapper } from '../../src/feeds/map/mapper.js';
import type { Options } from './options.js';

type How = Pick<Options, 'feed' | 'map' | 'source' | 'currency' | 'shopUrl' | 'timezone'>;

/** The records of a feed: decoded, parsed, mapped, and with what its sender says of all of them. */
export async function* readRecords(
  chunks: AsyncIterable<Buffer>,
  { feed, map, shopUrl, ...defaults }: How,
  now: Date,
  onSkipped: (count: number) => void = () => undefined,
): AsyncGenerator<FeedItem> {
  const variables: Record<string, string> = shopUrl === undefined ? {} : { shop_url: shopUrl };
  const mapper =
    map === null ? null : new Mapper(map, { now, timezone: defaults.timezone ?? 'UTC', variables });
  for await (const item of readFeed(chunks, feed)) {
    if (mapper === null) yield withDefaults(item, defaults);
    else for (const record of mapper.records(item)) yield withDefaults(record, defaults);
  }
  if (mapper !== null) onSkipped(mapper.skipped);
}
