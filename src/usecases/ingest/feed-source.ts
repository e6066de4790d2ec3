/** A feed that can be opened as a stream of bytes, for example a file. */
export interface FeedSource {
  /** The size of the feed in bytes; null if it is unknown, as that of a stream. */
  size: number | null;
  /** Opens the feed from its beginning; also several times, one after another. */
  open(): OpenFeed;
  /** Notes that the feed is opened only once more or, if it is open, not again, so that nothing of it needs to be kept. */
  release(): void;
  /** Returns when the listings were observed if the records do not state it; null: when they are loaded. */
  observedAt(): Date | null;
}

export interface OpenFeed {
  chunks: AsyncIterable<Buffer>;
  /** Returns the number of bytes of the feed that were read so far. */
  position(): number;
  /** Returns the encoding that the HTTP response of a remote feed states, once its first bytes were read. */
  charset?: () => string | null;
  close(): void;
}
