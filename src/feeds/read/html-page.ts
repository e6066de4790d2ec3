import { StringDecoder } from 'node:string_decoder';
import { FeedError, type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';
import { type Place, placeAfter } from './script-tokens.js';
import { readScript } from './script.js';

/**
 * Matches the beginning of a comment or of a script. Values of attributes may contain `>`; a tag of up to about 2,000
 * characters is found.
 */
const OPENING = /<!--|<script\b[^<>"']*(?:(?:"[^<"]*"|'[^<']*')[^<>"']*)*>/i;
const MAX_TAG = 2_100;
const IS_JSON_LD = /(?<![\w-])type\s*=\s*(?:["']\s*)?application\/ld\+json\b/i;

/** What a page hides from its readers, and its JSON-LD, by the ends. A comment may be empty: `<!-->`. */
const ENDS = { comment: /--!?>/, script: /<\/script/i, document: /<\/script/i } as const;

/** Reads each JSON document in the JSON-LD scripts of a page as a record. @throws FeedError if there is no such script. */
export async function* readHtmlPage(source: AsyncIterable<Buffer>, line = 1): AsyncGenerator<FeedItem> {
  const decoder = new StringDecoder('utf8');
  const page = new ScriptCollector(line);
  for await (const chunk of source) yield* page.push(decoder.write(chunk));
  page.end();
}

/** What a comment or tag opens. A script that is closed by its own tag, as in XHTML, holds nothing. */
function openedBy(tag: string): keyof typeof ENDS | null {
  if (tag === '<!--') return 'comment';
  if (IS_JSON_LD.test(tag)) return 'document';
  return tag.endsWith('/>') ? null : 'script';
}

class ScriptCollector {
  /** The text that may still belong to a tag, or the beginning of the open script with JSON-LD. */
  #text = '';
  /** What the text belongs to; null between comments and scripts. */
  #within: keyof typeof ENDS | null = null;
  #isTooLong = false;
  #place: Place;
  /** The place of the first character of the open script with JSON-LD. */
  #start: Place;
  #found = 0;

  constructor(line: number) {
    this.#place = { line, column: 1 };
    this.#start = this.#place;
  }

  *push(more: string): Iterable<FeedItem> {
    this.#text += more;
    for (;;) {
      const mark = (this.#within === null ? OPENING : ENDS[this.#within]).exec(this.#text);
      if (mark === null) return this.#forget();
      const [{ length }] = mark;
      if (this.#within === 'document') yield* this.#items(this.#text.slice(0, mark.index));
      const opened = this.#within === null ? openedBy(mark[0]) : null;
      this.#drop(mark.index + (opened === 'comment' ? '<!'.length : length));
      this.#within = opened;
      this.#start = this.#place;
    }
  }

  /** @throws FeedError if the page ends within a script, or has none. */
  end(): void {
    if (this.#within === 'document')
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
    if (this.#within !== 'document') return this.#drop(this.#text.length - MAX_TAG);
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
