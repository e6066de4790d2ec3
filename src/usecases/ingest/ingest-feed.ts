import type { FeedItem } from '../../feeds/read/feed.js';
import { type RecordOptions, readRecords } from '../../feeds/map/records.js';
import { isDated } from '../../listing/validate.js';
import { type FeedBeginning, GuardError, guardFeed, type GuardOptions, readBeginning } from './guards.js';
import { guardPrices } from './price-guard.js';
import { LoadError, loadFeed, type LoadOptions } from './load.js';
import { findRepeats } from './repeats.js';
import { emptySummary, type Summary } from './summary.js';

/** A feed that can be opened as a stream of bytes, for example a file. */
export interface FeedSource {
  /** The size of the feed in bytes; null if it is unknown and the feed can be read only once. */
  size: number | null;
  open(): OpenFeed;
}

export interface OpenFeed {
  chunks: AsyncIterable<Buffer>;
  /** Returns the number of bytes of the feed that were read so far. */
  position(): number;
  /** Returns the encoding that the HTTP response of a remote feed states, once its first bytes were read. */
  charset?: () => string | null;
  close(): void;
}

export interface IngestOptions
  extends
    Omit<RecordOptions, 'patch'>,
    GuardOptions,
    Omit<LoadOptions, keyof GuardOptions | 'records' | 'repeats'> {
  signal: AbortSignal;
  /** The maximum change of the median price against the stored listings, in percent; undefined: no limit. */
  maxPriceChange?: number | undefined;
  onBeginning?: (head: readonly FeedItem[]) => void;
  /** Called with the number of rows that the column map does not accept as listings. */
  onSkipped?: (rows: number) => void;
}

/**
 * Ingests one feed: decodes and maps its records, checks the beginning, finds repeated listings, and loads the records.
 * @throws LoadError if the feed cannot be loaded completely.
 */
export async function ingestFeed(source: FeedSource, options: IngestOptions): Promise<Summary> {
  return withRecords(source, options, options.onSkipped, async (records) => {
    const beginning = await readBeginning(records);
    options.onBeginning?.(beginning.head);
    if (!options.signal.aborted) await guard(beginning, options);
    const repeats = await repeatsIn(source, beginning, options);
    const guardsRepeats = !options.allowRepeats && !options.patch;
    return loadFeed({ ...options, records: beginning.records, repeats, guardsRepeats });
  });
}

const timeNow = ({ now }: IngestOptions): Date => now?.() ?? new Date();

/** Opens a feed and reads its records. The feed is closed at the end, and if the signal is aborted. */
async function withRecords<T>(
  source: FeedSource,
  options: IngestOptions,
  onSkipped: IngestOptions['onSkipped'],
  read: (records: AsyncGenerator<FeedItem>) => Promise<T>,
): Promise<T> {
  const { chunks, close, charset } = source.open();
  const { signal, feed } = options;
  signal.addEventListener('abort', close);
  try {
    return await read(
      readRecords(chunks, { ...options, feed: { ...feed, charset } }, timeNow(options), onSkipped),
    );
  } finally {
    signal.removeEventListener('abort', close);
    close();
  }
}

/**
 * Checks the beginning of a feed.
 * @throws LoadError if a guard stops the load, with an empty summary, because nothing has been loaded yet.
 */
async function guard(beginning: FeedBeginning, options: IngestOptions): Promise<void> {
  try {
    await guardFeed(beginning, options, options);
    if (options.maxPriceChange !== undefined)
      await guardPrices(beginning.head, options.maxPriceChange, options);
  } catch (error) {
    throw error instanceof GuardError ? new LoadError(error, emptySummary()) : error;
  }
}

/** Reads the whole feed to find repeated listings, unless its beginning shows that there cannot be any. */
async function repeatsIn(
  source: FeedSource,
  { head, whole }: FeedBeginning,
  options: IngestOptions,
): Promise<ReadonlyMap<string, number>> {
  const isUndated = ({ value, error }: FeedItem) => error === undefined && !isDated(value);
  // A feed that fits into one batch is not read a second time, because the batch itself finds repeated
  // listings.
  if (source.size === null || whole || options.patch || !head.some(isUndated)) return new Map();
  const { signal } = options;
  return withRecords(source, options, undefined, (records) =>
    findRepeats(records, { now: timeNow(options), signal }),
  );
}
