import { quote } from '../../listing/field-reader.js';
import { readKey } from '../../listing/validate.js';
import { singleLine } from '../../text/clean.js';
import { isMojibake } from '../../text/mojibake.js';
import { type FeedItem, type FeedOptions, readFeed } from '../read/feed.js';
import type { FeedMap } from './feed-map.js';
import { Mapper } from './mapper.js';
import type { AmountContext } from './money.js';
import { canonicalTime } from './time.js';

/** Options for reading the records of a feed. */
export interface RecordOptions extends Pick<AmountContext, 'currency' | 'isDecimalCertain' | 'strict'> {
  /** The source of records that state none; records of any other source are rejected. */
  source?: string | undefined;
  /** The time zone of times without an offset. */
  timezone?: string | undefined;
  feed: FeedOptions;
  /** The map file that defines how rows become records; null: the rows are records. */
  map: FeedMap | null;
  /** The start of product URLs: the value of `shop_url` in a map file. */
  shopUrl?: string | undefined;
  /** Whether the records state only the fields that change. */
  patch?: boolean | undefined;
}

/** Reads the records of a feed: parses it, applies the map file, and fills in the defaults. */
export async function* readRecords(
  chunks: AsyncIterable<Buffer>,
  options: RecordOptions,
  now: Date,
  onSkipped: (rows: number) => void = () => undefined,
): AsyncGenerator<FeedItem> {
  const { feed, map, shopUrl, timezone = 'UTC', ...context } = options;
  const variables: Record<string, string> = shopUrl === undefined ? {} : { shop_url: shopUrl };
  const mapper = map === null ? null : new Mapper(map, { ...context, now, timezone, variables });
  for await (const item of readFeed(chunks, feed)) {
    if (mapper === null) yield withDefaults(item.header === undefined ? item : onOneLine(item), options);
    else
      for (const record of mapper.records(item))
        yield withDefaults(withReadableName(onOneLine(record)), options);
  }
  if (mapper !== null) onSkipped(mapper.skipped);
}

/** The fields that may not contain line breaks. */
const LINES = ['sku', 'source', 'name', 'merchant_id', 'brand', 'category'];

/** Replaces line breaks in the fields of one line by blanks, because cells and elements are often wrapped. */
function onOneLine(item: FeedItem): FeedItem {
  const { value } = item;
  if (typeof value !== 'object' || value === null) return item;
  const record: Record<string, unknown> = { ...value };
  for (const field of LINES) {
    const text = record[field];
    if (typeof text === 'string') record[field] = singleLine(text);
  }
  return { ...item, value: record };
}

/** Rejects a record if its name was decoded in a wrong encoding by the shop. A brand or category of this kind is left out. */
function withReadableName(given: FeedItem): FeedItem {
  const item = withoutUnreadable(given, ['brand', 'category']);
  const { name } = (item.value ?? {}) as { name?: unknown };
  if (typeof name !== 'string' || !isUnreadable(name)) return item;
  const reason = `name: ${quote(name)} was decoded in a wrong encoding before it was written to the feed`;
  return { ...item, reasons: [...(item.reasons ?? []), reason] };
}

const isUnreadable = (text: unknown): boolean =>
  typeof text === 'string' && (text.includes('\ufffd') || isMojibake(text));

function withoutUnreadable(item: FeedItem, fields: readonly string[]): FeedItem {
  const record = (item.value ?? {}) as Record<string, unknown>;
  const unreadable = fields.filter((field) => isUnreadable(record[field]));
  if (unreadable.length === 0) return item;
  const value = { ...record, ...Object.fromEntries(unreadable.map((field) => [field, undefined])) };
  return { ...item, value, dropped: [...(item.dropped ?? []), ...unreadable] };
}

/** Fills in blank fields from the options of the load, and rejects a record of another source. */
function withDefaults(item: FeedItem, { source, currency, timezone }: RecordOptions): FeedItem {
  const { value } = item;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return item;
  const record = value as Record<string, unknown>;
  const stated = readKey({ ...record, sku: '-' })?.source;
  if (source !== undefined && stated !== undefined && stated !== source.trim()) {
    const reason = `source: ${quote(stated)} is not the ${quote(source)} of --source`;
    return { ...item, reasons: [...(item.reasons ?? []), reason] };
  }
  const filled: Record<string, unknown> = {};
  if (source !== undefined && isBlank(record['source'])) filled['source'] = source;
  const priced = !isBlank(record['price']) || !isBlank(record['list_price']);
  if (currency !== undefined && priced && isBlank(record['currency'])) filled['currency'] = currency;
  const { last_checked: checked } = record;
  const time =
    timezone === undefined || typeof checked !== 'string' ? null : canonicalTime(checked, timezone);
  if (time !== null) filled['last_checked'] = time;
  if (Object.keys(filled).length === 0) return item;
  const header = item.header === undefined ? undefined : [...item.header, ...Object.keys(filled)];
  return { ...item, value: { ...record, ...filled }, ...(header === undefined ? {} : { header }) };
}

const isBlank = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
