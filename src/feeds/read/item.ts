/** One record as it was found in a feed. */
export interface FeedItem {
  /** The line at which the record begins, from 1. */
  line: number;
  /** For a record in an archive, the name of the file in it. */
  file?: string;
  /** The approximate size of the record in the feed. */
  bytes: number;
  /** What the rejects file contains for the record: its JSON value, its row as an object, or the beginning of its text. */
  raw: unknown;
  /** The record before validation; if there is an `error`, the part that could be read. */
  value?: unknown;
  /** Why the record could not be read. */
  error?: string;
  /** Further reasons to reject the record: values that a feed map could not interpret. */
  reasons?: readonly string[];
  /** The columns that are not blank and that the feed map does not use; undefined: no map is used. */
  leftover?: readonly string[];
  /** For a CSV feed, the column names in its first line. */
  header?: readonly string[];
}

/** The feed cannot be read, or not any further; all records before the error were returned. The message is for its author. */
export class FeedError extends Error {
  override name = 'FeedError';
}

/** The compression or archive format of the feed is not accepted here. */
export class PackingError extends FeedError {
  override name = 'PackingError';
}

/** A longer record is rejected and not held in memory; the longest valid record is much shorter. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/**
 * A feed with more columns is rejected, because every row costs time for each column. The widest templates of
 * marketplaces have about 1,000.
 */
export const MAX_COLUMNS = 2_000;

/** The error for a record in another encoding; decoding it as UTF-8 would turn `Café` into `Caf\ufffd`. */
export const NOT_UTF8 = 'record: is not UTF-8, name its encoding';

/** The number of characters of an unreadable record that the rejects file contains. */
export const MAX_RAW_TEXT = 1_000;
