import type { FeedItem } from '../../feeds/read/feed.js';
import { type RecordOptions, readRecords } from '../../feeds/map/records.js';
import type { FeedSource } from './feed-source.js';
import { type FeedBeginning, GuardError, guardFeed, type GuardOptions, readBeginning } from './guards.js';
import { guardPrices } from './price-guard.js';
import { LoadError, loadRecords, type LoadOptions } from './load-records.js';
import { emptySummary, type Summary } from './summary.js';
import { type FeedSurvey, Survey, type SurveyOptions } from './survey.js';

export interface GuardedLoadOptions
  extends
    Omit<RecordOptions, 'patch'>,
    GuardOptions,
    Omit<LoadOptions, keyof GuardOptions | 'records' | 'repeats'> {
  signal: AbortSignal;
  /** What is known about all feeds of the load before anything of them is written. */
  survey: Survey;
  /** The maximum change of the median price against the stored listings, in percent; undefined: no limit. */
  maxPriceChange?: number | undefined;
  onBeginning?: (head: readonly FeedItem[]) => void;
  /** Called with the number of rows that the column map does not accept as listings. */
  onSkipped?: (rows: number) => void;
}

type ReadOptions = Omit<RecordOptions, 'patch'> & { patch: boolean } & Pick<
    GuardedLoadOptions,
    'signal' | 'now'
  >;

/** Prepares the survey of all feeds that are loaded together; see `Survey`. */
export const surveyOf = (feeds: readonly FeedSource[], options: ReadOptions & SurveyOptions): Survey =>
  new Survey(feeds, options, (feed, read) => withRecords(feed, options, undefined, read));

/**
 * Ingests one feed: decodes and maps its records, checks the beginning, surveys the rest if the load may clear fields or
 * repeat listings, and loads the records.
 * @throws LoadError if the feed cannot be loaded completely.
 */
export async function loadGuarded(feed: FeedSource, options: GuardedLoadOptions): Promise<Summary> {
  const guardsRepeats = !options.allowRepeats && !options.patch;
  const load = (records: AsyncIterable<FeedItem>, repeats: FeedSurvey['repeats']) =>
    loadRecords({ ...options, records, repeats, guardsRepeats });
  let isSurveyed = false;
  const onSkipped = (rows: number) => {
    if (!isSurveyed) options.onSkipped?.(rows);
  };
  try {
    const { repeats, summary } = await withRecords(feed, options, onSkipped, async (records) => {
      const beginning = await readBeginning(records);
      options.onBeginning?.(beginning.head);
      isSurveyed = true;
      const survey = await guard(feed, beginning, options);
      isSurveyed = survey.wasRead;
      if (survey.wasRead) return { ...survey, summary: null };
      feed.release();
      return { ...survey, summary: await load(beginning.records, survey.repeats) };
    });
    if (summary !== null) return summary;
    return await withRecords(feed, options, options.onSkipped, (records) => {
      feed.release();
      return load(records, repeats);
    });
  } finally {
    feed.release();
  }
}

const timeNow = ({ now }: ReadOptions): Date => now?.() ?? new Date();

/** Opens a feed and reads its records. The feed is closed at the end, and if the signal is aborted. */
async function withRecords<T>(
  feed: FeedSource,
  options: ReadOptions,
  onSkipped: GuardedLoadOptions['onSkipped'],
  read: (records: AsyncGenerator<FeedItem>) => Promise<T>,
): Promise<T> {
  const { chunks, close, charset } = feed.open();
  const { signal, feed: format } = options;
  const abort = () => {
    feed.release();
    close();
  };
  signal.addEventListener('abort', abort);
  try {
    return await read(
      readRecords(chunks, { ...options, feed: { ...format, charset } }, timeNow(options), onSkipped),
    );
  } finally {
    signal.removeEventListener('abort', abort);
    close();
  }
}

/**
 * Checks the beginning of a feed, and how many fields all feeds of the load would clear.
 * @throws LoadError if a guard stops the load, with an empty summary, because nothing has been loaded yet.
 */
async function guard(
  feed: FeedSource,
  beginning: FeedBeginning,
  options: GuardedLoadOptions,
): Promise<FeedSurvey> {
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
