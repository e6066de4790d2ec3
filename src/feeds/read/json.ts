import { isUtf8 } from 'node:buffer';
import { type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';

/** The text of one record. */
export interface Piece {
  /** The line it begins at, from 1. */
  line: number;
  bytes: number;
  /** Only its start, when it is longer than a record may be. Bytes that are not UTF-8 are U+FFFD. */
  text: string;
  isUtf8: boolean;
}

/** Cuts a feed into the texts of its records, whatever the chunks it comes in. */
export interface Splitter {
  push(chunk: Buffer): Iterable<Piece>;
  /** What was still open at the end. @throws FeedError after it, when the end comes too soon. */
  end(): Iterable<Piece>;
}

/** Each record is parsed by itself, so that a bad one costs no other. */
export async function* readJson(
  source: AsyncIterable<Buffer>,
  splitter: Splitter,
  maxBytes = MAX_RECORD_BYTES,
): AsyncGenerator<FeedItem> {
  for await (const chunk of source) {
    for (const piece of splitter.push(chunk)) yield toItem(piece, maxBytes);
  }
  for (const piece of splitter.end()) yield toItem(piece, maxBytes);
}

function toItem({ line, bytes, text, isUtf8 }: Piece, maxBytes: number): FeedItem {
  const rejected = (error: string) => ({ line, bytes, raw: text.trim().slice(0, MAX_RAW_TEXT), error });
  if (bytes > maxBytes) return rejected(`record: is longer than ${sizeOf(maxBytes)}`);
  if (!isUtf8) return rejected(NOT_UTF8);
  try {
    const value = JSON.parse(text) as unknown;
    return { line, bytes, raw: value, value };
  } catch {
    return rejected('record: is not valid JSON');
  }
}

/** A document that is one record, over as many lines as it likes. */
export class JsonDocumentSplitter implements Splitter {
  #open = new Collector();

  constructor(private readonly line = 1) {}

  *push(chunk: Buffer): Iterable<Piece> {
    this.#open.add(chunk);
  }

  *end(): Iterable<Piece> {
    yield { line: this.line, ...this.#open.take() };
  }
}

/** Collects the bytes of one record over several chunks, and only its start once it is too long. */
export class Collector {
  #parts: Buffer[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(part: Buffer): void {
    this.#bytes += part.length;
    if (this.#bytes <= MAX_RECORD_BYTES) this.#parts.push(part);
    else this.#parts = [Buffer.concat([...this.#parts, part]).subarray(0, 4 * MAX_RAW_TEXT)];
  }

  /** The text so far; the collector is empty afterwards. */
  take(): Omit<Piece, 'line'> {
    const bytes = this.#bytes;
    const [only] = this.#parts;
    const all = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return { bytes, text: all.toString('utf8'), isUtf8: isUtf8(all) };
  }
}

const sizeOf = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MB` : `${bytes / 1024} kB`;
