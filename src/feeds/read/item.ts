/** One record as it was found in a feed. */
export interface FeedItem {
  line: number;
  file?: string;
  bytes: number;
  /** The form of the record in the rejects file: its value, its row, or the beginning of its text. */
  raw: unknown;
  /** The record before validation. If there is an `error`, the part of the record that could be read. */
  value?: unknown;
  /** The reason why the record could not be read; absent if it could. */
  error?: string;
  /** What was repaired so that the record could be read, each with its place. */
  repairs?: readonly string[];
  /** Further reasons to reject the record: values that the map file could not interpret. */
  reasons?: readonly string[];
  /** The fields that were left out, because the map file could not interpret their values or because they state no price. */
  dropped?: readonly string[];
  /** The columns that are not blank and that the map file does not use; undefined: no map file is used. */
  leftover?: readonly string[];
  /** The column names of a CSV feed. If a map file is used, the record fields that it can fill from these columns. */
  header?: readonly string[];
}

/** Thrown if a feed cannot be read any further. The message is for the author of the feed. */
export class FeedError extends Error {
  override name = 'FeedError';
}

/** Thrown if the compression or archive format of a feed is not accepted in this place. */
export class PackingError extends FeedError {
  override name = 'PackingError';
}

/** The maximum size of a record in a feed. A longer one is rejected and not held in memory. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** The maximum number of columns of a feed. The widest templates of marketplaces have about 1,000. */
export const MAX_COLUMNS = 2_000;

/** The reason for rejecting a record that is not UTF-8, whose decoded text would lack characters. */
export const NOT_UTF8 = 'record: is not UTF-8; name its encoding with --encoding';

/** The number of characters of an unreadable record that the rejects file contains. */
export const MAX_RAW_TEXT = 1_000;
