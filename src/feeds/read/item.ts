/** One record as it was found in a feed. */
export interface FeedItem {
  /** The line at which the record begins; the first line is 1. */
  line: number;
  /** The name of the file within an archive. */
  file?: string;
  /** The approximate size of the record in the feed. */
  bytes: number;
  /** The form of the record in the rejects file: its value, its row, or the beginning of its text. */
  raw: unknown;
  /** The record before validation. If there is an `error`, only the part that could be read. */
  value?: unknown;
  /** The reason why the record could not be read; absent if it could. */
  error?: string;
  /** Further reasons to reject the record: values that the map file could not interpret. */
  reasons?: readonly string[];
  /** The columns that are not blank and that the map file does not use; undefined: no map file is used. */
  leftover?: readonly string[];
  /** For a CSV feed, the column names in its first line. */
  header?: readonly string[];
}

/** The feed cannot be read any further. The message is for its author. */
export class FeedError extends Error {
  override name = 'FeedError';
}

/** The feed has a compression or archive format that is not accepted in this place. */
export class PackingError extends FeedError {
  override name = 'PackingError';
}

/** A longer record is rejected and not held in memory. The longest valid record is much shorter. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/** The widest templates of marketplaces have about 1,000 columns. Each column costs time in every row. */
export const MAX_COLUMNS = 2_000;

/** Decoding such a record as UTF-8 would turn `Café` into `Caf\ufffd`. */
export const NOT_UTF8 = 'record: is not UTF-8, name its encoding';

/** The number of characters of an unreadable record that the rejects file contains. */
export const MAX_RAW_TEXT = 1_000;
