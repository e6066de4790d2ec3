import { isUtf8 } from 'node:buffer';
import { parseJson } from '../../platform/parse-json.js';
import { FeedError, type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';
import { nestedRecords } from './nested-records.js';
import { readScript } from './script.js';

export interface JsonText {
  line: number;
  bytes: number;
  /** The text of the record, or only its beginning if the record is too long. */
  text: string;
  isUtf8: boolean;
  /** The path that leads from this text to the records in it; undefined if the text is a record itself. */
  within?: string;
  /** The reason why there is no record at this place. */
  error?: string;
}

/** Splits a JSON feed into the texts of its records. A text may extend over several chunks. */
export interface Splitter {
  push(chunk: Buffer): Iterable<JsonText>;
  /** Returns the last record. @throws FeedError if the feed is cut off. */
  end(): Iterable<JsonText>;
}

/** Reads a JSON feed. Each record is parsed by itself, so that an invalid one does not affect the others. */
export async function* readJson(
  source: AsyncIterable<Buffer>,
  splitter: Splitter,
  maxBytes = MAX_RECORD_BYTES,
): AsyncGenerator<FeedItem> {
  for await (const chunk of source) {
    for (const piece of splitter.push(chunk)) yield* toItems(piece, maxBytes);
  }
  for (const piece of splitter.end()) yield* toItems(piece, maxBytes);
}

/** Reads a feed that is one JSON document, such as JSON-LD, with the same repairs as the scripts of a page. */
export async function* readJsonDocument(source: AsyncIterable<Buffer>, line = 1): AsyncGenerator<FeedItem> {
  const document = new ByteCollector();
  for await (const chunk of source) document.add(chunk);
  const piece = { line, ...document.take() };
  const refused = refusal(piece, MAX_RECORD_BYTES);
  if (refused === null) yield* readScript(piece.text, { line, column: 1 });
  else yield rejected(piece, refused);
}

function toItems(piece: JsonText, maxBytes: number): FeedItem[] {
  const item = toItem(piece, maxBytes);
  return piece.within === undefined || item.error !== undefined ? [item] : nestedRecords(item, piece.within);
}

function toItem(piece: JsonText, maxBytes: number): FeedItem {
  const refused = refusal(piece, maxBytes);
  if (refused !== null) return rejected(piece, refused);
  const { line, bytes, text } = piece;
  const value = parseJson(text);
  return value === undefined
    ? rejected(piece, 'record: is not valid JSON')
    : { line, bytes, raw: value, value };
}

/** The reason why the text of a record is not parsed; null if it is. */
function refusal({ bytes, isUtf8, error }: JsonText, maxBytes: number): string | null {
  if (error !== undefined) return error;
  if (bytes > maxBytes) return `record: is longer than ${sizeOf(maxBytes)}`;
  return isUtf8 ? null : NOT_UTF8;
}

const rejected = ({ line, bytes, text }: JsonText, error: string): FeedItem => ({
  line,
  bytes,
  raw: text.trim().slice(0, MAX_RAW_TEXT),
  error,
});

/** Collects the bytes of a record from several chunks; if it is too long, only its beginning. */
export class ByteCollector {
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

  take(): Omit<JsonText, 'line'> {
    const bytes = this.#bytes;
    const [only] = this.#parts;
    const all = this.#parts.length === 1 && only !== undefined ? only : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#bytes = 0;
    return { bytes, text: all.toString('utf8'), isUtf8: isUtf8(all) };
  }
}

const LINE_FEED = 0x0a;

/** Splits a feed with one JSON record per line. Blank lines are skipped. */
export class NdjsonSplitter implements Splitter {
  #line: number;
  #open = new ByteCollector();

  constructor(line = 1) {
    this.#line = line;
  }

  *push(chunk: Buffer): Iterable<JsonText> {
    let from = 0;
    for (let to = chunk.indexOf(LINE_FEED); to >= 0; to = chunk.indexOf(LINE_FEED, from)) {
      if (to === from && this.#open.bytes === 0) {
        this.#line += 1;
        from += 1;
        continue;
      }
      this.#open.add(chunk.subarray(from, to));
      const piece = { line: this.#line, ...this.#open.take() };
      if (piece.text.trim() !== '') yield piece;
      this.#line += 1;
      from = to + 1;
    }
    if (from < chunk.length) this.#open.add(chunk.subarray(from));
  }

  *end(): Iterable<JsonText> {
    const piece = { line: this.#line, ...this.#open.take() };
    if (piece.text.trim() === '') return;
    if (parseJson(piece.text) === undefined)
      throw new FeedError(`The feed ends in the middle of line ${piece.line}: it was cut off.`);
    yield piece;
  }
}

const sizeOf = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MB` : `${bytes / 1024} kB`;
