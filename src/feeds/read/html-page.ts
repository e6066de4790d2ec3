import { StringDecoder } from 'node:string_decoder';
import { FeedError, type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';
import { type Place, placeAfter } from './script-tokens.js';
import { readScript } from './script.js';

/** Matches the opening tag of a script with JSON-LD, of up to about 2,000 characters. */
const OPENING = /<script\b[^<>]{0,1000}?\btype\s{0,10}=\s{0,10}["']?application\/ld\+json\b[^<>]{0,1000}>/i;
const MAX_TAG = 2_100;
const CLOSING = /<\/script/i;

/** Reads each JSON document in the JSON-LD scripts of a page as a record. @throws FeedError if there is no such script. */
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
  #place: Place;
  /** The place of the first character of the open script. */
  #start: Place;
  #found = 0;

  constructor(line: number) {
    this.#place = { line, column: 1 };
    this.#start = this.#place;
  }

  *push(more: string): Iterable<FeedItem> {
    this.#text += more;
    for (;;) {
      const mark = (this.#isOpen ? CLOSING : OPENING).exec(this.#text);
      if (mark === null) return this.#forget();
      if (this.#isOpen) yield* this.#items(this.#text.slice(0, mark.index));
      this.#drop(mark.index + mark[0].length);
      this.#isOpen = !this.#isOpen;
      this.#start = this.#place;
    }
  }

  /** @throws FeedError if the page ends within a script, or has none. */
  end(): void {
    if (this.#isOpen)
      throw new FeedError(`The page ends inside the script that begins at line ${this.#start.line}.`);
    if (this.#found === 0)
      throw new FeedError('The page has no JSON-LD: no script of the type application/ld+json.');
  }

  #items(text: string): FeedItem[] {
    this.#found += 1;
    const bytes = Buffer.byteLength(text);
    const rejected = (error: string): FeedItem[] => [
      { line: this.#start.line, bytes, raw: text.slice(0, MAX_RAW_TEXT), error },
    ];
    if (this.#isTooLong || bytes > MAX_RECORD_BYTES) {
      this.#isTooLong = false;
      return rejected(`record: is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MB`);
    }
    return text.includes('\ufffd') ? rejected(NOT_UTF8) : readScript(text, this.#start);
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
    this.#place = placeAfter(this.#text.slice(0, length), this.#place);
    this.#text = this.#text.slice(length);
  }
}
