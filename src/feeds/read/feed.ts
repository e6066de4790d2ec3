import { namesColumns } from './csv-dialect.js';
import { type CsvOptions, readCsv } from './csv.js';
import { decode, declaredEncoding, markedEncoding } from './encoding.js';
import { readGzip } from './gzip.js';
import { FeedError, type FeedItem, PackingError } from './item.js';
import { JsonArraySplitter } from './json-array.js';
import { JsonRecordsSplitter } from './json-records.js';
import { JsonDocumentSplitter, readJson } from './json.js';
import { skipLines } from './lines.js';
import { NdjsonSplitter } from './ndjson.js';
import { isOldWorkbook, isWorkbook, readWorkbook } from './workbook.js';
import { readXml } from './xml.js';
import { readZip, ZipError } from './zip.js';
import { readZstd } from './zstd.js';

export { DELIMITERS } from './csv-dialect.js';
export { isEncoding } from './encoding.js';
export { FeedError, type FeedItem, PackingError } from './item.js';

export const FEED_FORMATS = ['ndjson', 'json', 'csv', 'xml'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];

/** How a feed is written, where its first bytes do not tell. */
export interface FeedOptions extends CsvOptions {
  format?: FeedFormat | undefined;
  /** Only JSON is read, as a list or one record a line, plain or gzip. Nothing else is unpacked. */
  jsonAlone?: boolean | undefined;
  /** Of the text, as `TextDecoder` names it. */
  encoding?: string | undefined;
  /** Where the records stand in a JSON document (`data.products`), or the name of their elements in XML, or of their sheet. */
  records?: string | undefined;
  /** So many lines come before the feed. */
  skipLines?: number | undefined;
  /** A longer JSON record is rejected unread. */
  maxRecordBytes?: number | undefined;
  /** A feed that is longer when it is unpacked is refused, at this point. */
  maxBytes?: number | undefined;
  /** A JSON object over several lines is one record. */
  document?: boolean | undefined;
}

type Chunks = AsyncIterable<Buffer | string>;

/**
 * Reads a feed of any size, record by record: NDJSON, a JSON array, CSV or XML, plain or compressed (gzip, zstd, zip), as
 * its first bytes tell; or a sheet of a workbook (.xlsx) of up to 64 MB. Of a zip archive every file is read. A record that cannot be read is an item with an `error`, and reading goes on behind it.
 * Text is UTF-8, UTF-16 with its byte order mark, or what an XML declaration says.
 * @throws FeedError where the feed as a whole is broken, e.g. cut off; all that was complete was given out before.
 * @throws PackingError for a zip archive, zstd or a workbook where only JSON is read.
 */
export async function* readFeed(source: Chunks, options: FeedOptions = {}): AsyncGenerator<FeedItem> {
  const [head, rest] = await peek(source, (bytes) => bytes.length >= MAGIC_BYTES);
  const packed = withHead(head, rest);
  if (options.jsonAlone === true && (isZip(head) || isZstd(head) || isOldWorkbook(head)))
    throw new PackingError('Only plain or gzip JSON is read here, not zstd, zip archives or workbooks.');
  if (isOldWorkbook(head))
    throw new FeedError('This is a workbook of an old kind, or with a password: save it as .xlsx or CSV.');
  if (isWorkbook(head)) {
    const sheet = readWorkbook(packed, { sheet: options.records, skipLines: options.skipLines });
    return yield* readText(sheet, { ...options, format: 'csv', delimiter: 'comma' });
  }
  const within = limit(options.maxBytes);
  if (isZip(head)) return yield* readArchive(packed, within, options);
  yield* readPlain(within(unpacked(head, packed)), options);
}

/** Each file of an archive is a feed of its own. */
async function* readArchive(
  packed: AsyncIterable<Buffer>,
  within: ReturnType<typeof limit>,
  options: FeedOptions,
): AsyncGenerator<FeedItem> {
  for await (const { name, chunks } of readZip(packed)) {
    try {
      for await (const item of readPlain(within(chunks), options)) yield { ...item, file: name };
    } catch (error) {
      if (!(error instanceof FeedError) || error instanceof ZipError) throw error;
      throw new FeedError(`${name} in the archive: ${error.message}`);
    }
  }
}

async function* readPlain(bytes: AsyncIterable<Buffer>, options: FeedOptions): AsyncGenerator<FeedItem> {
  const text = await decoded(bytes, options.encoding);
  yield* readText(skipLines(text, options.skipLines ?? 0), options);
}

/** @param plain what is behind the lines that come before the feed, in UTF-8. */
async function* readText(plain: AsyncIterable<Buffer>, options: FeedOptions): AsyncGenerator<FeedItem> {
  const { lines, chunks: begun } = await fromFirstText(plain);
  const [text, chunks] = await peek(begun, hasLine);
  if (text.every(isBlank)) return;
  const feed = withHead(text, chunks);
  const line = 1 + (options.skipLines ?? 0) + lines;
  switch (options.format ?? formatOf(text, options)) {
    case 'ndjson':
      checkObjects(text);
      return yield* readJson(feed, objectSplitter(text, line, options), options.maxRecordBytes);
    case 'json':
      return yield* readJson(
        feed,
        options.records === undefined
          ? new JsonArraySplitter({ line })
          : new JsonRecordsSplitter(options.records, line),
        options.maxRecordBytes,
      );
    case 'xml':
      return yield* readXml(feed, { records: options.records, line });
    case 'csv':
      return yield* readCsv(feed, { ...options, line });
  }
}

/** @throws FeedError where the first line is of another format: each line by itself would only be no JSON. */
function checkObjects(text: Buffer): void {
  const [line = ''] = /^[^\r\n]*/.exec(text.toString().trimStart()) ?? [];
  if (/^[{[]/.test(line)) return;
  const looks = line.startsWith('<') ? 'XML' : namesColumns(line) ? 'CSV' : null;
  if (looks === null) return;
  const shown = JSON.stringify(line.slice(0, 60).toWellFormed());
  throw new FeedError(
    `This looks like ${looks} and not like JSON: it begins ${shown}. A record is a JSON object such as {"sku": "A1", "source": "shop", "name": "Kettle"}, one a line or in an array.`,
  );
}

function objectSplitter(text: Buffer, line: number, { records, document }: FeedOptions) {
  if (records !== undefined) return new JsonRecordsSplitter(records, line);
  if (!isIndented(text)) return new NdjsonSplitter(line);
  if (document === true) return new JsonDocumentSplitter(line);
  throw new FeedError(
    'The feed is one JSON document and no list of records; say where they stand in it, as in --records products.',
  );
}

/** Whether the first line ends within its object, as it does where a document is written over several lines. */
function isIndented(text: Buffer): boolean {
  const end = text.indexOf('\n');
  return end >= 0 && /[{[,:]\s*$/.test(text.subarray(0, end).toString());
}

/** What tells how a feed is packed, and in an archive the name of its first file. */
const MAGIC_BYTES = 60;

function unpacked(head: Buffer, chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  if (isGzip(head)) return readGzip(chunks);
  return isZstd(head) ? readZstd(chunks) : chunks;
}

const isGzip = (head: Buffer): boolean => head.toString('hex', 0, 2) === '1f8b';
/** A frame, or a skippable frame that may stand before it. */
const isZstd = (head: Buffer): boolean => /^(?:28b52ffd|5.2a4d18)/.test(head.toString('hex', 0, 4));
const isZip = (head: Buffer): boolean => head.toString('hex', 0, 4) === '504b0304';

/** Passes on so many bytes, of all that it is given. @throws FeedError at the byte that is too many. */
function limit(most = Infinity): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  let bytes = 0;
  return async function* (source) {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > most) throw new FeedError(`it is longer than ${most / 1024 / 1024} MB when unpacked`);
      yield chunk;
    }
  };
}

/** As UTF-8. */
async function decoded(source: AsyncIterable<Buffer>, encoding?: string): Promise<AsyncIterable<Buffer>> {
  const [head, rest] = await peek(source, (bytes) => bytes.length >= 200);
  const chunks = withHead(head, rest);
  const { encoding: name } = new TextDecoder(
    markedEncoding(head) ?? encoding ?? declaredEncoding(head) ?? 'utf-8',
  );
  return name === 'utf-8' ? chunks : decode(chunks, name);
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
/** Space, tab, and line ends. */
const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a;
const isMark = (byte: number, index: number): boolean => byte === BYTE_ORDER_MARK[index];

function skipMark(bytes: Buffer): Buffer {
  return bytes.length >= 3 && bytes.subarray(0, 3).every(isMark) ? bytes.subarray(3) : bytes;
}

const LONGEST_LINE = 64 * 1024;

/** Looks for text. A loop, since megabytes of blanks may be sent on purpose. */
function firstText(bytes: Buffer): { found: boolean; lines: number; lineAt: number } {
  let lines = 0;
  let lineAt = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0;
    if (!isBlank(byte)) return { found: true, lines, lineAt };
    if (byte !== 0x0a) continue;
    lines += 1;
    lineAt = at + 1;
  }
  return { found: false, lines, lineAt };
}

/** Enough of the start to tell format and delimiter by: text, to the end of its line. */
function hasLine(text: Buffer): boolean {
  const start = text.findIndex((byte) => !isBlank(byte));
  return start >= 0 && (text.indexOf('\n', start) >= 0 || text.length > LONGEST_LINE);
}

/**
 * Leaves out a byte order mark, and the blank lines before the first that is not, of which there may be any number.
 * @returns how many lines that were.
 */
async function fromFirstText(
  source: AsyncIterable<Buffer>,
): Promise<{ lines: number; chunks: AsyncIterable<Buffer> }> {
  const [head, rest] = await peek(source, (bytes) => bytes.length >= 3);
  let lines = 0;
  /** From the start of its last line on. */
  let text = skipMark(head);
  for (;;) {
    const { found, lineAt, ...more } = firstText(text);
    lines += more.lines;
    text = text.subarray(lineAt);
    if (found) return { lines, chunks: withHead(text, rest) };
    const next = await rest.next();
    if (next.done === true) return { lines, chunks: withHead(text, rest) };
    // Nobody begins a line with so many blanks.
    if (text.length > LONGEST_LINE) text = text.subarray(text.length);
    text = Buffer.concat([text, toBuffer(next.value)]);
  }
}

function formatOf(text: Buffer, { jsonAlone = false }: FeedOptions): FeedFormat {
  const character = String.fromCharCode(text.find((byte) => !isBlank(byte)) ?? 0);
  if (character === '[') return 'json';
  if (jsonAlone) return 'ndjson';
  if (character === '<') return 'xml';
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
