import { StringDecoder } from 'node:string_decoder';
import { FeedError, type FeedItem, MAX_RAW_TEXT, MAX_RECORD_BYTES, NOT_UTF8 } from './item.js';
import { type Place, placeAfter } from './script-tokens.js';
import { readScript } from './script.js';

/** Matches the beginning of a comment or script. Values of attributes may contain `>`; a tag has up to about 2,000 characters. */
const OPENING = /<!--|<script\b[^<>"']*(?:(?:"[^<"]*"|'[^<']*')[^<>"']*)*>/i;
const MAX_TAG = 2_100;
const IS_JSON_LD = /(?<![\w-])type\s*=\s*(?:["']\s*)?application\/ld\+json\b/i;

/** What a page hides from its readers, and its JSON-LD, by the ends. A comment may be empty: `<!-->`. */
const ENDS = { comment: /--!?>/, script: /<\/script/i, document: /<\/script/i } as const;

/** Reads each JSON document in the JSON-LD scripts of a page as a record. @throws FeedError if there is no such script. */
export async function* readHtmlPage(source: AsyncIterable<Buffer>, line = 1): AsyncGenerator<FeedItem> {
  const decoder = new StringDecoder('utf8');
  /** The text that may still belong to a tag, or the beginning of the open script with JSON-LD, and its place. */
  let text = '';
  let place: Place = { line, column: 1 };
  /** What the text belongs to, and where that begins; null between comments and scripts. */
  let within: keyof typeof ENDS | null = null;
  let start = place;
  let isTooLong = false;
  let isFound = false;
  const drop = (length: number) => {
    if (length <= 0) return;
    place = placeAfter(text.slice(0, length), place);
    text = text.slice(length);
  };
  for await (const chunk of source) {
    text += decoder.write(chunk);
    for (;;) {
      const mark: RegExpExecArray | null = (within === null ? OPENING : ENDS[within]).exec(text);
      if (mark === null) break;
      if (within === 'document') {
        yield* itemsOf(text.slice(0, mark.index), start, isTooLong);
        [isFound, isTooLong] = [true, false];
      }
      const opened: keyof typeof ENDS | null = within === null ? openedBy(mark[0]) : null;
      drop(mark.index + (opened === 'comment' ? '<!'.length : mark[0].length));
      [within, start] = [opened, place];
    }
    if (within === 'document' && text.length <= MAX_RECORD_BYTES) continue;
    isTooLong ||= within === 'document';
    drop(text.length - MAX_TAG);
  }
  if (within === 'document')
    throw new FeedError(`The page ends inside the script that begins at line ${start.line}.`);
  if (!isFound) throw new FeedError('The page has no JSON-LD: no script of the type application/ld+json.');
}

/** What a comment or tag opens. A script that is closed by its own tag, as in XHTML, holds nothing. */
function openedBy(tag: string): keyof typeof ENDS | null {
  if (tag === '<!--') return 'comment';
  if (IS_JSON_LD.test(tag)) return 'document';
  return tag.endsWith('/>') ? null : 'script';
}

function itemsOf(text: string, start: Place, isTooLong: boolean): FeedItem[] {
  const bytes = Buffer.byteLength(text);
  const rejected = (error: string): FeedItem[] => [
    { line: start.line, bytes, raw: text.slice(0, MAX_RAW_TEXT), error },
  ];
  if (isTooLong || bytes > MAX_RECORD_BYTES)
    return rejected(`record: is longer than ${MAX_RECORD_BYTES / 1024 / 1024} MB`);
  return text.includes('\ufffd') ? rejected(NOT_UTF8) : readScript(text, start);
}
