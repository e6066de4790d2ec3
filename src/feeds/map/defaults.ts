import type { FeedItem } from '../read/item.js';
import { quote } from '../../listing/field-reader.js';
import { readKey } from '../../listing/validate.js';
import { canonicalTime } from './time.js';

/** Values that the options of a load provide for records that do not state them. */
export interface RecordDefaults {
  /** The source of records that state none; records of any other source are rejected. */
  source?: string | undefined;
  currency?: string | undefined;
  /** The time zone of `last_checked` values without an offset. */
  timezone?: string | undefined;
}

/**
 * Fills in the source, currency and time zone of a record from the options of the load. A record of another
 * source gets a reason for rejection.
 */
export function withDefaults(item: FeedItem, { source, currency, timezone }: RecordDefaults): FeedItem {
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
