/** One record as it was found in a feed. */
export interface FeedItem {
  /** The line it begins at, from 1. */
  line: number;
  /** Of an archive: the file in it. */
  file?: string;
  /** How long it is in the feed, about. */
  bytes: number;
  /** What to show of it when it is rejected: its JSON value, its row as an object, or the start of its text. */
  raw: unknown;
  /** The record, not yet validated; with an `error`, what could be read of it. */
  value?: unknown;
  /** Why it could not be read. */
  error?: string;
  /** Why it may not land, besides what validation finds: values that a map could make no sense of. */
  reasons?: readonly string[];
  /** The columns that are not blank and that a map does not read; undefined: there was no map. */
  leftover?: readonly string[];
  /** The names that the feed's first line gives to its columns, of a CSV feed. */
  header?: readonly string[];
}

/** A feed that cannot be read (on); the records before were given out. The message is for whoever made the feed. */
export class FeedError extends Error {
  override name = 'FeedError';
}

/** A feed whose compression or archive format is not accepted where it was sent. */
export class PackingError extends FeedError {
  override name = 'PackingError';
}

/** A longer record is rejected without being held in memory; the longest valid one is a fraction of that. */
export const MAX_RECORD_BYTES = 4 * 1024 * 1024;

/**
 * A feed with more columns is refused, because each row costs work for each column. The widest marketplace templates have
 * about 1,000.
 */
export const MAX_COLUMNS = 2_000;

/** Why a record in another encoding is rejected: read on, `Café` would become `Caf\ufffd`. */
export const NOT_UTF8 = 'record: is not UTF-8, name its encoding';

/** How much of a text that is not JSON goes into the rejects. */
export const MAX_RAW_TEXT = 1_000;
