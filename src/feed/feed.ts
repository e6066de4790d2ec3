import { readCsv } from './csv.js';
import { decode, markedEncoding } from './encoding.js';
import { readGzip } from './gzip.js';
import type { FeedItem } from './item.js';
import { JsonArraySplitter } from './json-array.js';
import { readJson } from './json.js';
import { NdjsonSplitter } from './ndjson.js';

export { isEncoding } from './encoding.js';
export { FeedError, type FeedItem } from './item.js';

export const FEED_FORMATS = ['ndjson', 'json', 'csv'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

type Chunks = AsyncIterable<Buffer | string>;

/**
 * Reads a feed of any size, record by record: NDJSON, a JSON array or CSV, plain or gzip, as its first bytes tell. A
 * record that cannot be read is an item with an `error`, and reading goes on behind it.
 * Text is UTF-8, or UTF-16 with its byte order mark.
 * @param format instead of looking.
 * @param encoding of the text, as `TextDecoder` names it.
 * @throws FeedError where the feed as a whole is broken, e.g. cut off; all that was complete was given out before.
 */
export async function* readFeed(
  source: Chunks,
  { format, encoding }: { format?: FeedFormat | undefined; encoding?: string | undefined } = {},
): AsyncGenerator<FeedItem> {
  const plain = await decoded(await unzipped(source), encoding);
  const [head, chunks] = await peek(plain, hasText);
  const text = skipMark(head);
  if (head.length === 0 || text.every(isBlank)) return;
  switch (format ?? formatOf(text)) {
    case 'ndjson':
      return yield* readJson(withHead(text, chunks), new NdjsonSplitter());
    case 'json':
      return yield* readJson(withHead(text, chunks), new JsonArraySplitter());
    case 'csv':
      return yield* readCsv(withHead(text, chunks));
  }
}

async function unzipped(source: Chunks): Promise<AsyncIterable<Buffer>> {
  const [head, rest] = await peek(source, (bytes) => bytes.length >= 2);
  const chunks = withHead(head, rest);
  return head[0] === 0x1f && head[1] === 0x8b ? readGzip(chunks) : chunks;
}

/** As UTF-8. */
async function decoded(source: AsyncIterable<Buffer>, encoding = 'utf-8'): Promise<AsyncIterable<Buffer>> {
  const [head, rest] = await peek(source, (bytes) => bytes.length >= 2);
  const chunks = withHead(head, rest);
  const { encoding: name } = new TextDecoder(markedEncoding(head) ?? encoding);
  return name === 'utf-8' ? chunks : decode(chunks, name);
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const BLANKS = new Set([...' \t\r\n'].map((character) => character.charCodeAt(0)));
const isBlank = (byte: number): boolean => BLANKS.has(byte);
const isMark = (byte: number, index: number): boolean => byte === BYTE_ORDER_MARK[index];

function skipMark(bytes: Buffer): Buffer {
  return bytes.length >= 3 && bytes.subarray(0, 3).every(isMark) ? bytes.subarray(3) : bytes;
}

/** Enough of the start to tell the format by. */
function hasText(head: Buffer): boolean {
  if (head.length < 3) return false;
  return !skipMark(head).every(isBlank);
}

function formatOf(text: Buffer): FeedFormat {
  const character = String.fromCharCode(text.find((byte) => !isBlank(byte)) ?? 0);
  if (character === '[') return 'json';
  return character === '{' ? 'ndjson' : 'csv';
}

/** Reads until `enough` says so or the end; what was read, and the rest. */
async function peek(
  source: Chunks,
  enough: (head: Buffer) => boolean,
): Promise<[Buffer, AsyncIterator<Buffer | string>]> {
  const rest = source[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (!enough(head)) {
    const next = await rest.next();
    if (next.done === true) break;
    head = Buffer.concat([head, toBuffer(next.value)]);
  }
  return [head, rest];
}

async function* withHead(head: Buffer, rest: AsyncIterator<Buffer | string>): AsyncGenerator<Buffer> {
  try {
    yield head;
    for (let next = await rest.next(); next.done !== true; next = await rest.next())
      yield toBuffer(next.value);
  } finally {
    await rest.return?.();
  }
}

const toBuffer = (chunk: Buffer | string): Buffer => (typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
