import type { FeedItem } from '../../src/feeds/read/feed.js';

/** The beginning of a feed, known before anything of it is loaded. */
export interface Ahead {
  head: FeedItem[];
  /** Whether the head is all of it. */
  whole: boolean;
  /** Whether the feed breaks off right behind the head. */
  isBroken: boolean;
  /** The whole feed, head included. */
  records: AsyncIterable<FeedItem>;
}

const HEAD_RECORDS = 1_000;
const HEAD_BYTES = 8 * 1024 * 1024;

/** Reads a feed's first thousand records, or the first few where they are long. */
export async function lookAhead(feed: AsyncIterable<FeedItem>): Promise<Ahead> {
  const rest = feed[Symbol.asyncIterator]();
  const head: FeedItem[] = [];
  let bytes = 0;
  let end: { error?: unknown } | null = null;
  while (end === null && head.length < HEAD_RECORDS && bytes < HEAD_BYTES) {
    try {
      const next = await rest.next();
      if (next.done === true) end = {};
      else {
        head.push(next.value);
        bytes += next.value.bytes;
      }
    } catch (error) {
      // It breaks off here: what came before it is loaded all the same.
      end = { error };
    }
  }
  async function* records(): AsyncGenerator<FeedItem> {
    yield* head;
    if (end !== null && 'error' in end) throw end.error;
    if (end === null) yield* { [Symbol.asyncIterator]: () => rest };
  }
  return { head, whole: end !== null, isBroken: end !== null && 'error' in end, records: records() };
}
