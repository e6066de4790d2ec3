import type { FeedError } from './item.js';

const MAX_PORTION = 128 * 1024;

/** Reads a stream of bytes in portions of given sizes. */
export class ByteReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #buffer: Buffer = Buffer.alloc(0);

  /** Reads bytes from a stream. @param cutOff creates the error for a stream that ends too early. */
  constructor(
    source: AsyncIterable<Buffer>,
    private readonly cutOff: () => FeedError,
  ) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** Reads the next `size` bytes; null at the end of the stream. @throws FeedError if it ends within them. */
  async next(size: number): Promise<Buffer | null> {
    const parts = [this.#buffer];
    let length = this.#buffer.length;
    while (length < size) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      parts.push(value);
      length += value.length;
    }
    const all = parts.length === 1 ? this.#buffer : Buffer.concat(parts);
    if (all.length === 0 && size > 0) return null;
    if (all.length < size) throw this.cutOff();
    this.#buffer = all.subarray(size);
    return all.subarray(0, size);
  }

  /** Reads the next `size` bytes. @throws FeedError at the end of the stream. */
  async need(size: number): Promise<Buffer> {
    const bytes = await this.next(size);
    if (bytes === null) throw this.cutOff();
    return bytes;
  }

  /** Returns the buffered bytes, or else the next chunk. @throws FeedError at the end of the stream. */
  async chunk(): Promise<Buffer> {
    const buffered = this.#buffer;
    this.#buffer = Buffer.alloc(0);
    if (buffered.length > 0) return buffered;
    const { done, value } = await this.#chunks.next();
    if (done === true) throw this.cutOff();
    return value;
  }

  unread(bytes: Buffer): void {
    this.#buffer = Buffer.concat([bytes, this.#buffer]);
  }

  /** Passes on the next `size` bytes of the stream. @throws FeedError if the stream ends before. */
  async *take(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; left -= MAX_PORTION) yield this.need(Math.min(left, MAX_PORTION));
  }

  async skip(size: number): Promise<void> {
    for await (const _ of this.take(size));
  }

  close = (): Promise<unknown> | undefined => this.#chunks.return?.();
}
