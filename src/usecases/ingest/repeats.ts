import { FeedError, type FeedItem } from '../../feeds/read/feed.js';
import { SeenListings } from './seen.js';
import { isDated, readKey, validateRecord } from '../../listing/validate.js';

/** Names a listing within a load. */
export const keyOf = ({ source, sku }: { source: string; sku: string }): string => `${source}\0${sku}`;

/**
 * Reads a feed for the listings that come up several times without saying when: all at the same moment, that of the
 * load, so that only the last of them counts. Applied one after the other, each load of the file would move the price
 * to the first and back to the last.
 * @param now for the validation: a record that is rejected does not count.
 * @returns for the key of each such listing the position of its last record, from 0.
 */
export async function findRepeats(
  records: AsyncIterable<FeedItem>,
  { now, signal }: { now: Date; signal?: AbortSignal | undefined },
): Promise<Map<string, number>> {
  const seen = new SeenListings();
  const last = new Map<string, number>();
  let position = -1;
  try {
    for await (const { value, error, reasons } of records) {
      if (signal?.aborted === true) break;
      position += 1;
      const key = error === undefined && reasons === undefined ? readKey(value) : null;
      if (key === null || isDated(value) || seen.add(key.source, key.sku)) continue;
      if ('record' in validateRecord(value, { now })) last.set(keyOf(key), position);
    }
  } catch (error) {
    // The load itself will tell.
    if (!(error instanceof FeedError) && signal?.aborted !== true) throw error;
  }
  return last;
}
