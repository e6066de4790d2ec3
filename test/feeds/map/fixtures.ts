import { createReadStream } from 'node:fs';
import path from 'node:path';
import { type PlatformFormat, platformMap } from '../../../src/feeds/map/feed-map.js';
import { readRecords } from '../../../src/feeds/map/records.js';
import type { FeedItem } from '../../../src/feeds/read/feed.js';

export const now = new Date('2026-11-22T12:00:00Z');

/** Returns the records of a fixture, read as `npm run ingest -- --as FORMAT` reads them. */
export async function loadFixture(
  format: PlatformFormat,
  file: string,
  strict = false,
): Promise<{ items: FeedItem[]; skipped: number }> {
  const map = platformMap(format);
  const items: FeedItem[] = [];
  let skipped = 0;
  const options = {
    map,
    source: 'shop',
    currency: 'SGD',
    shopUrl: 'https://shop.example',
    timezone: 'Asia/Singapore',
    strict,
    feed: {
      anyColumns: true,
      document: map.document,
      layout: map.csv,
      records: file === 'impact.json' ? 'Items' : map.records,
    },
  };
  const chunks = createReadStream(path.join(import.meta.dirname, 'fixtures', file));
  for await (const item of readRecords(chunks, options, now, (count) => (skipped = count))) items.push(item);
  return { items, skipped };
}

export const recordsOf = (items: readonly FeedItem[]) =>
  items.map(({ value }) => value as Record<string, unknown>);
