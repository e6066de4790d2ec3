import { StringDecoder } from 'node:string_decoder';
import { FeedError, type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';

/** Matches the opening tag of a script with JSON-LD, of up to about 2,000 characters. */
const OPENING = /<script\b[^<>]{0,1000}?\btype\s{0,10}=\s{0,10}["']?application\/ld\+json\b[^<>]{0,1000}>/i;
const MAX_TAG = 2_100;
const CLOSING = /<\/script/i;
/** Match what some pages put around the JSON, so that old browsers ignore it. */
const WRAPPED_BEFORE = /^(?:\/\/|\/\*)? {0,9}(?:<!\[CDATA\[|<!--)(?: {0,9}\*\/)?/;
const WRAPPED_BEHIND = /(?:\/\/|\/\*)? {0,9}(?:\]\]>|-->)(?: {0,9}\*\/)?$/;

/**
 * Reads an HTML page: each of its scripts with JSON-LD is a record. The rest of the page is not held in memory.
 * @throws FeedError if the page has no such script.
 */
export async function* readHtmlPage(source: AsyncIterable<Buffer>, line = 1): AsyncGenerator<FeedItem> {
  const decoder = new StringDecoder('utf8');
  const page = new ScriptCollector(line);
  for await (const chunk of source) yield* page.push(decoder.write(chunk));
  page.end();
}

class ScriptCollector {
  /** The text that may still belong to a tag, or the beginning of the open script. */
  #text = '';
  #isOpen = false;
  #isTooLong = false;
  #start: number;
  #found = 0;

  constructor(private line: number) {
    this.#start = line;
  }

  *push(more: string): Iterable<FeedItem> {
    this.#text += more;
    for (;;) {
      const mark = (this.#isOpen ? CLOSING : OPENING).exec(this.#text);
      if (mark === null) return this.#forget();
      if (this.#isOpen) yield this.#item(this.#text.slice(0, mark.index));
      this.#drop(mark.index + mark[0].length);
      this.#isOpen = !this.#isOpen;
      this.#start = this.line;
    }
  }

  /** @throws FeedError if the page ends within a script, or has none. */
  end(): void {
    if (this.#isOpen)
      throw new FeedError(`The page ends inside the script that begins at line ${this.#start}.`);
    if (this.#found === 0)
      throw new FeedError('The page has no JSON-LD: no script of the type application/ld+json.');
  }

  #item(text: string): FeedItem {
    this.#found += 1;
    const bytes = Buffer.byteLength(text);
    const rejected = (error: string) => ({
      line: this.#start,
      bytes,
      raw: text.slice(0, MAX_RAW_TEXT),
      error,
    });
    if (this.#isTooLong || bytes > MAX_RECORD_BYTES) {
      this.#isTooLong = false;
      return rejected(`record: is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MB`);
    }
    if (text.includes('\ufffd')) return rejected(NOT_UTF8);
    try {
      const value = JSON.parse(
        text.trim().replace(WRAPPED_BEFORE, '').replace(WRAPPED_BEHIND, ''),
      ) as unknown;
      return { line: this.#start, bytes, raw: value, value };
    } catch {
      return rejected('record: is not valid JSON');
    }
  }

  /** Discards text that is not part of a script, and a script that is too long. */
  #forget(): void {
    if (!this.#isOpen) return this.#drop(this.#text.length - MAX_TAG);
    if (this.#text.length <= MAX_RECORD_BYTES) return;
    this.#isTooLong = true;
    this.#drop(this.#text.length - MAX_TAG);
  }

  #drop(length: number): void {
    if (length <= 0) return;
    for (let at = this.#text.indexOf('\n'); at >= 0 && at < length; at = this.#text.indexOf('\n', at + 1))
      this.line += 1;
    this.#text = this.#text.slice(length);
  }
}
