import { type RecordOptions, readRecords } from '../../feeds/map/records.js';
import type { FeedItem } from '../../feeds/read/feed.js';

/** A feed that can be opened as a stream of bytes, for example a file. */
export interface FeedSource {
  /** The size of the feed in bytes; null if it is unknown, as that of a stream. */
  size: number | null;
  /** Opens the feed at its beginning. It may be called several times, one after another. */
  open(): OpenFeed;
  /** Says that the feed will be opened at most once more, so that a cached copy need not be kept longer. */
  release(): void;
  /** The observation time of records that state none; null: the time of the load. */
  observedAt(): Date | null;
}

export interface OpenFeed {
  chunks: AsyncIterable<Buffer>;
  position(): number;
  /** Returns the encoding that the HTTP response of a remote feed states, once its first bytes were read. */
  charset?: () => string | null;
  close(): void;
}

interface ReadOptions extends RecordOptions {
  signal: AbortSignal;
  now?: (() => Date) | undefined;
}

/** Reads a feed, which is closed at the end or on abort. @param onSkipped called with the number of rows that the map skips. */
export async function withRecords<T>(
  feed: FeedSource,
  options: ReadOptions,
  read: (records: AsyncGenerator<FeedItem>) => Promise<T>,
  onSkipped?: (rows: number) => void,
): Promise<T> {
  const { chunks, close, charset } = feed.open();
  const { signal, feed: format } = options;
  const abort = () => {
    feed.release();
    close();
  };
  signal.addEventListener('abort', abort);
  try {
    const given = { ...options, feed: { ...format, charset } };
    return await read(readRecords(chunks, given, timeOf(options), onSkipped));
  } finally {
    signal.removeEventListener('abort', abort);
    close();
  }
}

export const timeOf = ({ now }: Pick<ReadOptions, 'now'>): Date => now?.() ?? new Date();
