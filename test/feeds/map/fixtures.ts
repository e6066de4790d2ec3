import { createReadStream } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { type PlatformFormat, platformMap, readFeedMap } from '../../../src/feeds/map/feed-map.js';
import { type RecordOptions, readRecords } from '../../../src/feeds/map/records.js';
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

/** The records of a feed that is given as a text, with a map or the format of a platform. */
export async function loadText(
  text: string,
  given: PlatformFormat | object,
  options: Partial<RecordOptions> = {},
): Promise<{ items: FeedItem[]; skipped: number }> {
  const map = typeof given === 'string' ? platformMap(given) : readFeedMap(given);
  const feed = { anyColumns: true, document: map.document, layout: map.csv, records: map.records };
  const items: FeedItem[] = [];
  let skipped = 0;
  const read = readRecords(
    Readable.from([Buffer.from(text)]),
    { map, source: 'shop', feed, ...options },
    now,
    (count) => (skipped = count),
  );
  for await (const item of read) items.push(item);
  return { items, skipped };
}

/** For each record of a feed, why it is rejected, or its price and list price: `64.00 of 80.00`. */
export async function outcomesOf(...given: Parameters<typeof loadText>): Promise<unknown[]> {
  const { items } = await loadText(...given);
  return items.map(({ value, error, reasons = [] }) => {
    const { price, list_price: before } = (value ?? {}) as Record<string, unknown>;
    if (error !== undefined || reasons.length > 0) return error ?? reasons.join('; ');
    return typeof before === 'string' ? `${String(price)} of ${before}` : price;
  });
}
