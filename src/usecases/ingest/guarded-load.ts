import type { FeedItem } from '../../feeds/read/feed.js';
import type { RecordOptions } from '../../feeds/map/records.js';
import { type FeedSource, withRecords } from './feed-source.js';
import { type FeedBeginning, GuardError, guardFeed, type GuardOptions, readBeginning } from './guards.js';
import { guardPrices } from './price-guard.js';
import { LoadError, loadRecords, type LoadOptions } from './load-records.js';
import { emptySummary, type Summary } from './summary.js';
import type { FeedSurvey, Survey } from './survey.js';

export interface GuardedLoadOptions
  extends
    Omit<RecordOptions, 'patch'>,
    GuardOptions,
    Omit<LoadOptions, keyof GuardOptions | 'records' | 'repeats'> {
  signal: AbortSignal;
  /** The result of reading all feeds of the load before anything is written. */
  survey: Survey;
  /** The maximum change of the median price against the stored listings, in percent; undefined: no limit. */
  maxPriceChange?: number | undefined;
  onBeginning?: (head: readonly FeedItem[]) => void;
  /** Called with the number of rows that the column map does not accept as listings. */
  onSkipped?: (rows: number) => void;
}

/** Checks a feed, surveys it if it may clear fields or repeat listings, and loads it. @throws LoadError if it is not loaded whole. */
export async function loadGuarded(feed: FeedSource, options: GuardedLoadOptions): Promise<Summary> {
  const guardsRepeats = !options.allowRepeats && !options.patch;
  const load = (records: AsyncIterable<FeedItem>, { repeats }: FeedSurvey) => {
    feed.release();
    return loadRecords({ ...options, records, repeats, guardsRepeats });
  };
  let isSurveyed = false;
  const onSkipped = (rows: number) => {
    if (!isSurveyed) options.onSkipped?.(rows);
  };
  try {
    const readOnce = async (records: AsyncGenerator<FeedItem>) => {
      const beginning = await readBeginning(records);
      options.onBeginning?.(beginning.head);
      isSurveyed = true;
      const found = await guard(feed, beginning, options);
      isSurveyed = found.wasRead;
      return { survey: found, summary: found.wasRead ? null : await load(beginning.records, found) };
    };
    const { survey, summary } = await withRecords(feed, options, readOnce, onSkipped);
    if (summary !== null) return summary;
    return await withRecords(feed, options, (records) => load(records, survey), options.onSkipped);
  } finally {
    feed.release();
  }
}

/** Checks a feed before it is loaded. @throws LoadError with an empty summary if a guard stops the load. */
async function guard(feed: FeedSource, beginning: FeedBeginning, options: GuardedLoadOptions) {
  if (options.signal.aborted) return NOT_SURVEYED;
  try {
    await guardFeed(beginning, options, options);
    if (options.maxPriceChange !== undefined)
      await guardPrices(beginning.head, options.maxPriceChange, options);
    return await options.survey.of(feed, beginning);
  } catch (error) {
    if (options.signal.aborted) return NOT_SURVEYED;
    throw error instanceof GuardError ? new LoadError(error, emptySummary()) : error;
  }
}

const NOT_SURVEYED: FeedSurvey = { repeats: new Map(), wasRead: false };
