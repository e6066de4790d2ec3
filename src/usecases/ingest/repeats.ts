import { FeedError, type FeedItem } from '../../feeds/read/feed.js';
import { listingId, listingKey } from '../../listing/identify.js';
import { isDated, readKey, validateRecord } from '../../listing/validate.js';

/**
 * Finds the listings that occur several times in a feed whose records state no time, of which only the last record
 * counts. If all were applied one after another, each load of the file would change the price to the first one and
 * back.
 * @param now the time used for validation; records that would be rejected do not count.
 * @returns for the key of each such listing, the index of its last record.
 */
export async function findRepeats(
  records: AsyncIterable<FeedItem>,
  { now, signal }: { now: Date; signal?: AbortSignal | undefined },
): Promise<Map<string, number>> {
  const seen = new SeenListings();
  const last = new Map<string, number>();
  let index = -1;
  try {
    for await (const { value, error, reasons } of records) {
      if (signal?.aborted === true) break;
      index += 1;
      const key = error === undefined && reasons === undefined ? readKey(value) : null;
      if (key === null || isDated(value) || seen.add(key.source, key.sku)) continue;
      if ('record' in validateRecord(value, { now })) last.set(listingKey(key), index);
    }
  } catch (error) {
    // An error of reading the feed is not reported here, because the load reads the feed again and reports
    // it.
    if (!(error instanceof FeedError) && signal?.aborted !== true) throw error;
  }
  return last;
}

const FIRST_CAPACITY = 1024;

/** A compact set of listings: a hash table of their ids with open addressing, about 20 bytes per listing. */
export class SeenListings {
  /**
   * The ids of the listings in the set; 0 marks a free entry. Ids are evenly distributed, so no further hash
   * is needed.
   */
  #entries = new Float64Array(FIRST_CAPACITY);
  #size = 0;

  get empty(): boolean {
    return this.#size === 0;
  }

  /**
   * Adds a listing to the set, by the id that is computed from its source and SKU. Two listings with the same
   * computed id count as one, so that a missing listing may seem present, but never the reverse.
   * @returns whether the listing was new.
   */
  add(source: string, sku: string): boolean {
    const id = listingId(source, sku, 0);
    const at = this.#indexOf(id);
    if (this.#entries[at] === id) return false;
    this.#entries[at] = id;
    this.#size += 1;
    if (this.#size > 0.75 * this.#entries.length) this.#grow();
    return true;
  }

  has(source: string, sku: string): boolean {
    const id = listingId(source, sku, 0);
    return this.#entries[this.#indexOf(id)] === id;
  }

  #indexOf(id: number): number {
    const { length } = this.#entries;
    let at = id % length;
    while (this.#entries[at] !== 0 && this.#entries[at] !== id) at = (at + 1) % length;
    return at;
  }

  #grow(): void {
    const before = this.#entries;
    this.#entries = new Float64Array(2 * before.length);
    for (const id of before) if (id !== 0) this.#entries[this.#indexOf(id)] = id;
  }
}
