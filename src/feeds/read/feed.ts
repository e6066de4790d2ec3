import { createGunzip } from 'node:zlib';
import { type StatedEncoding, toUtf8 } from './encoding.js';
import { type FeedFormat, type FormatOptions, readFormat } from './formats.js';
import { inflate } from './inflate.js';
import { FeedError, type FeedItem, PackingError } from './item.js';
import { peek, readFirstLine, skipLines, withHead } from './text.js';
import { isOldWorkbook, isWorkbook, readWorkbook } from './workbook.js';
import { isZip, readZip, ZipError } from './zip.js';
import { isZstd, readZstd } from './zstd.js';

export { DELIMITERS } from './csv-dialect.js';
export { FEED_FORMATS, type FeedFormat, UPLOAD_FORMATS } from './formats.js';
export { FeedError, type FeedItem, NOT_UTF8, PackingError } from './item.js';
export { isEncoding } from './encoding.js';

export interface FeedOptions extends FormatOptions, StatedEncoding {
  /** The format of the feed; it is detected by default. */
  format?: FeedFormat | undefined;
  /** Whether the feed must be JSON, as an array or one record per line, uncompressed or as gzip. */
  onlyJson?: boolean | undefined;
  skipLines?: number | undefined;
  /** The maximum size after decompression. Reading stops with an error when it is exceeded. */
  maxBytes?: number | undefined;
}

/** The bytes that show the compression and, in an archive, the name of the first file. */
const MAGIC_BYTES = 60;

const isGzip = (head: Buffer): boolean => head.toString('hex', 0, 2) === '1f8b';

/**
 * Reads a feed of any size, record by record: text in any of `FEED_FORMATS`, uncompressed or as gzip, zstd or zip, or a sheet
 * of a workbook (.xlsx), as its content shows. A record that cannot be read becomes an item with an `error`.
 * @throws FeedError if the feed as a whole is broken, such as cut off, after all complete records were returned.
 * @throws PackingError for a zip archive, zstd or a workbook if only JSON is accepted.
 */
export async function* readFeed(
  source: AsyncIterable<Buffer | string>,
  options: FeedOptions = {},
): AsyncGenerator<FeedItem> {
  yield* readPacked(source, options, { limited: sizeLimit(options.maxBytes), levels: MAX_LEVELS });
}

/** The maximum number of compressions of a feed within each other, such as gzip in a zip archive. */
const MAX_LEVELS = 2;

interface Unpacking {
  limited: ReturnType<typeof sizeLimit>;
  /** How many more layers of compression may follow. */
  levels: number;
}

/** The beginnings of files in compressions that are not supported, in hexadecimal. */
const UNSUPPORTED = [
  [/^425a683\d314159265359/, 'bzip2'],
  [/^fd377a585a00/, 'xz'],
  [/^377abcaf271c/, '7z'],
  [/^526172211a07/, 'RAR'],
] as const;

async function* readPacked(
  source: AsyncIterable<Buffer | string>,
  options: FeedOptions,
  { limited, levels }: Unpacking,
): AsyncGenerator<FeedItem> {
  const [head, rest] = await peek(source, (bytes) => bytes.length >= MAGIC_BYTES);
  const packed = withHead(head, rest);
  if (options.onlyJson === true && (isZip(head) || isZstd(head) || isOldWorkbook(head)))
    throw new PackingError('Only plain or gzip JSON is read here, not zstd, zip archives or workbooks.');
  if (isOldWorkbook(head))
    throw new FeedError('This is a workbook of an old kind, or with a password: save it as .xlsx or CSV.');
  const [, unsupported] = UNSUPPORTED.find(([magic]) => magic.test(head.toString('hex'))) ?? [];
  if (unsupported !== undefined)
    throw new FeedError(`The feed is compressed with ${unsupported}, which is not supported: use gzip.`);
  if (isWorkbook(head)) {
    const { records, skipLines: skipped, layout } = options;
    const sheet = readWorkbook(packed, { sheet: records, skipLines: skipped });
    const { quotes: _, ...withQuotes } = layout ?? {};
    return yield* readText(sheet, { ...options, format: 'csv', delimiter: 'comma', layout: withQuotes });
  }
  if (!isZip(head) && !isGzip(head) && !isZstd(head)) {
    const text = await toUtf8(levels === MAX_LEVELS ? limited(packed) : packed, options);
    return yield* readText(skipLines(text, options.skipLines ?? 0), options);
  }
  if (levels === 0) throw new FeedError(`The feed is compressed more than ${MAX_LEVELS} times.`);
  const within = { limited, levels: levels - 1 };
  if (isZip(head)) return yield* readArchive(packed, options, within);
  const unpacked = isGzip(head) ? inflate(packed, createGunzip(), damagedGzip) : readZstd(packed);
  yield* readPacked(limited(unpacked), options, within);
}

const damagedGzip = (why: string) => new FeedError(`The gzip data is cut off or damaged (${why}).`);

async function* readArchive(packed: AsyncIterable<Buffer>, options: FeedOptions, within: Unpacking) {
  for await (const { name, chunks } of readZip(packed)) {
    try {
      for await (const item of readPacked(within.limited(chunks), options, within))
        yield { file: name, ...item };
    } catch (error) {
      if (!(error instanceof FeedError) || error instanceof ZipError) throw error;
      throw new FeedError(`${name} in the archive: ${error.message}`);
    }
  }
}

async function* readText(utf8: AsyncIterable<Buffer>, options: FeedOptions): AsyncGenerator<FeedItem> {
  const text = await readFirstLine(utf8, 1 + (options.skipLines ?? 0));
  if (text !== null) yield* readFormat(text, options);
}

function sizeLimit(maxBytes = Infinity): (source: AsyncIterable<Buffer>) => AsyncGenerator<Buffer> {
  let bytes = 0;
  return async function* (source) {
    for await (const chunk of source) {
      bytes += chunk.length;
      if (bytes > maxBytes)
        throw new FeedError(`it is longer than ${maxBytes / 1024 / 1024} MB when unpacked`);
      yield chunk;
    }
  };
}
