import type { FeedItem } from '../../feeds/read/feed.js';
import type { FeedRecord } from '../../listing/record.js';
import type { Group } from './batch.js';
import type { Pace } from './pace.js';

/** Records of one batch, by listing. */
export class Gathered {
  readonly groups = new Map<string, Group & { items: FeedItem[] }>();
  records = 0;
  bytes = 0;

  /** @returns the record whose place it takes, which says no more than it when it was observed; null: there is none. */
  add(key: string, record: FeedRecord, item: FeedItem): FeedItem | null {
    const { source, sku } = record;
    const group = this.groups.get(key) ?? { source, sku, records: [], items: [] };
    this.groups.set(key, group);
    const repeated = isUndated(record) ? group.records.findIndex(isUndated) : -1;
    const [before] = repeated >= 0 ? group.items.splice(repeated, 1) : [];
    if (before === undefined) this.records += 1;
    else group.records.splice(repeated, 1);
    group.records.push(record);
    group.items.push(item);
    this.bytes += item.bytes;
    return before ?? null;
  }

  isFull({ records, bytes }: Pace): boolean {
    return this.records >= records || this.bytes >= bytes;
  }
}

/** Whether a later record of its listing takes its place: of patches each says something else. */
export const isUndated = ({ last_checked, stated }: FeedRecord): boolean =>
  typeof last_checked !== 'string' && stated === undefined;
