import { isUtf8 } from 'node:buffer';
// Node's own decoder reads windows-1252 as ISO 8859-1 (nodejs/node#56542), which loses `€`, dashes and quotation marks.
import { TextDecoder } from '@exodus/bytes/encoding.js';
import { analyse } from 'chardet';
import { getEncoding } from 'encoding-sniffer';
import { findUtf8 } from '../../text/mojibake.js';
import { FeedError } from './item.js';
import { peek, withHead } from './text.js';

/** What is known about the encoding of a feed before it is read. */
export interface StatedEncoding {
  /** The encoding that the operator states. Only a byte order mark has precedence over it. */
  encoding?: string | undefined;
  /** Returns the encoding that the HTTP response of the feed states. Called after the first bytes were read. */
  charset?: (() => string | null) | undefined;
}

/** Whether text in an encoding such as `latin1`, `utf-16` or `shift_jis` can be decoded. */
export function isEncoding(name: string): boolean {
  try {
    new TextDecoder(name);
    return true;
  } catch {
    return false;
  }
}

/** The number of bytes at the beginning of a feed from which its encoding is determined. */
const SNIFFED_BYTES = 16 * 1024;

/**
 * Converts the text of a feed to UTF-8. The encoding is that of the byte order mark, else the one that the operator, the HTTP
 * response, or the `<meta>` element or XML declaration of the document states. Without any, it is UTF-8 or what `guessed`
 * is certain of. UTF-8 is passed on unchanged: the readers reject the records that are invalid.
 * @throws FeedError at the first line that is not in another encoding; for the beginning of the feed, before anything
 * is returned.
 */
export async function toUtf8(source: AsyncIterable<Buffer>, stated: StatedEncoding = {}) {
  const [head, rest] = await peek(source, (bytes) => bytes.length >= SNIFFED_BYTES);
  const chunks = withHead(head, rest);
  const name = (statedEncoding(head, stated) ?? guessed(head) ?? 'utf-8').toLowerCase();
  if (!isEncoding(name))
    throw new FeedError(`The feed is stated to be in the encoding ${name}, which is not supported.`);
  const text = name === 'utf-8' ? chunks : decode(chunks, name, stated.encoding !== undefined);
  const checked = withoutEscapes(text)[Symbol.asyncIterator]();
  const [first, others] = await peek({ [Symbol.asyncIterator]: () => checked }, (bytes) => bytes.length > 0);
  return withHead(first, others);
}

/** What the sniffer returns if nothing states the encoding. It is an encoding that no feed has. */
const NOT_STATED = 'x-user-defined';

/** The encoding that the feed or its operator states. */
function statedEncoding(head: Buffer, { encoding, charset }: StatedEncoding): string | undefined {
  const sniffed = (bytes: Buffer) =>
    getEncoding(bytes, {
      ...(encoding === undefined ? {} : { userEncoding: encoding }),
      transportLayerEncodingLabel: charset?.() ?? '',
      defaultEncoding: NOT_STATED,
      maxBytes: SNIFFED_BYTES,
    });
  // The cells of a CSV feed may contain HTML, so only its byte order mark counts.
  const isMarkup = /^[\s\0]*</.test(head.toString('latin1', 0, 1_000).replace(/^(?:ï»¿)+/, ''));
  const found = sniffed(isMarkup ? head : head.subarray(0, 3));
  if (found !== NOT_STATED) return found;
  // The XML declaration may follow blank lines or the warning of a program.
  const declaration = head.indexOf('<?xml');
  const declared = declaration > 0 ? sniffed(head.subarray(declaration)) : NOT_STATED;
  return declared === NOT_STATED ? undefined : declared;
}

/** The encodings whose detection is reliable even for short texts in many languages, see docs/dependencies.md. */
const RELIABLE: ReadonlySet<string> = new Set(['Shift_JIS', 'EUC-JP']);
const MIN_CONFIDENCE = 60;
const MIN_LEAD = 20;
const MIN_OTHER_BYTES = 30;

/** The escape sequences before Japanese characters in ISO-2022-JP, whose bytes are all ASCII. */
const ISO_2022_JP = /\x1b(?:\$[@B]|\([IJ])/;

/** The encoding of a text that states none and is not UTF-8, if it is certain. */
function guessed(head: Buffer): string | undefined {
  const utf16 = utf16Of(head);
  if (utf16 !== undefined) return utf16;
  const ascii = head.toString('latin1');
  if (ISO_2022_JP.test(ascii) && !/[\x80-\xff]/.test(ascii)) return 'iso-2022-jp';
  // The last character may be cut off, so up to three bytes at the end are ignored.
  if ([0, 1, 2, 3].some((cut) => isUtf8(head.subarray(0, Math.max(head.length - cut, 0))))) return undefined;
  const [best, next] = analyse(head);
  if (best === undefined || !RELIABLE.has(best.name)) return undefined;
  const isCertain =
    best.confidence >= MIN_CONFIDENCE &&
    best.confidence - (next?.confidence ?? 0) >= MIN_LEAD &&
    head.filter((byte) => byte > 0x7f).length >= MIN_OTHER_BYTES;
  return isCertain ? best.name : undefined;
}

/** UTF-16 without a byte order mark: each ASCII character has a zero byte, which no other encoding of text has. */
function utf16Of(head: Buffer): string | undefined {
  let [even, odd] = [0, 0];
  for (let at = head.indexOf(0); at >= 0; at = head.indexOf(0, at + 1)) {
    if (at % 2 === 0) even += 1;
    else odd += 1;
  }
  const isMost = (some: number, none: number) => none === 0 && some > 0 && some >= head.length / 10;
  if (isMost(odd, even)) return 'utf-16le';
  return isMost(even, odd) ? 'utf-16be' : undefined;
}

const ESCAPE = 0x1b;
const LINE_FEED = 0x0a;

/**
 * Passes text on up to an escape sequence of ISO 2022, behind which other characters would be read as ASCII. Other sequences,
 * such as colours, are control characters that a text may contain. @throws FeedError with the line.
 */
async function* withoutEscapes(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let line = 1;
  let isEscaped = false;
  let isBeginning = true;
  for await (const chunk of source) {
    const at = switchIn(chunk, isEscaped);
    line += lineFeeds(chunk.subarray(0, at));
    if (at !== undefined) {
      if (!isBeginning) yield chunk.subarray(0, chunk.subarray(0, at).lastIndexOf(LINE_FEED) + 1);
      throw new FeedError(
        `Line ${line} has an escape sequence of an encoding such as ISO-2022-JP; state the right encoding with --encoding.`,
      );
    }
    if (chunk.length > 0) [isEscaped, isBeginning] = [chunk.at(-1) === ESCAPE, false];
    yield chunk;
  }
}

function lineFeeds(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count += 1;
  return count;
}

/** The position in a chunk behind an ESC that begins the escape sequence of another character set; undefined if there is none. */
function switchIn(chunk: Buffer, isEscaped: boolean): number | undefined {
  const isSwitch = (at: number) => (chunk[at] ?? 0) >= 0x20 && (chunk[at] ?? 0) <= 0x2f;
  if (isEscaped && isSwitch(0)) return 0;
  for (let at = chunk.indexOf(ESCAPE); at >= 0; at = chunk.indexOf(ESCAPE, at + 1))
    if (isSwitch(at + 1)) return at + 1;
  return undefined;
}

/** Decodes text. @param isCertain whether the operator states the encoding, so that unusual texts are accepted. */
async function* decode(source: AsyncIterable<Buffer>, encoding: string, isCertain: boolean) {
  const decoder = new TextDecoder(encoding);
  const isUtf16 = encoding.startsWith('utf-16');
  let utf8 = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  let isBeginning = true;
  const refuse = (before: string, what: string): FeedError =>
    new FeedError(
      `Line ${line + lineEnds(before)} is not ${encoding}${what}; state the right encoding with --encoding.`,
    );

  function* decoded(chunk?: Buffer): Generator<Buffer> {
    const options = { stream: chunk !== undefined };
    const text = decoder.decode(chunk, options);
    if (!isUtf16 && chunk !== undefined) {
      let same = '';
      try {
        same = utf8.decode(chunk, options);
      } catch {
        utf8 = new TextDecoder('utf-8', { fatal: true });
      }
      const at = findUtf8(same);
      if (at >= 0) throw refuse(same.slice(0, at), ' but UTF-8');
    }
    const end = text.indexOf('\ufffd');
    if (end >= 0) {
      if (!isBeginning) yield Buffer.from(text.slice(0, text.lastIndexOf('\n', end) + 1));
      throw refuse(text.slice(0, end), '');
    }
    const odd = isCertain ? -1 : implausible(text, encoding);
    if (odd >= 0) throw refuse(text.slice(0, odd), ', because its words would be unreadable');
    line += lineEnds(text);
    isBeginning = false;
    yield Buffer.from(text);
  }

  for await (const chunk of source) yield* decoded(chunk);
  yield* decoded();
}

const lineEnds = (text: string): number => text.split('\n').length - 1;

/** Encodings of one byte for languages with Latin letters. */
const LATIN = /^(?:windows-125[02478]|iso-8859-(?:2|3|4|10|13|14|15|16)|macintosh)$/;
const LETTERS = /[À-ÖØ-öø-ɏ]/g;
const ONLY_LETTERS = /[À-ÖØ-öø-ɏ]{4,}/g;

/**
 * The position where a decoded text shows that it is in another encoding: a control character that no text has, or, in an
 * encoding for Latin letters, words of accented letters only, such as `Êîôåâàðêà`. -1 if it does not.
 */
function implausible(text: string, encoding: string): number {
  const control = text.search(/[\x80-\x84\x86-\x9f]/);
  if (control >= 0 || !LATIN.test(encoding)) return control;
  const words = text.match(ONLY_LETTERS) ?? [];
  const letters = text.match(LETTERS)?.length ?? 0;
  return words.join('').length >= letters / 2 && words.length > 0 ? text.search(ONLY_LETTERS) : -1;
}
