import { createInflateRaw } from 'node:zlib';
import { ByteReader } from './byte-reader.js';
import { inflate } from './inflate.js';
import { FeedError } from './item.js';

/** Signatures of the parts of a zip archive, see APPNOTE.TXT of PKWARE, section 4.3. */
const LOCAL_HEADER = 0x04034b50;
const DESCRIPTOR = 0x08074b50;
const DIRECTORY_ENTRY = 0x02014b50;
const ZIP64_END = 0x06064b50;
const ZIP64_LOCATOR = 0x07064b50;
const END = 0x06054b50;

const STORED = 0;
const DEFLATED = 8;

/** The maximum number of files in a zip archive, which limits the work for many empty files. */
const MAX_FILES = 10_000;

/** Files in a zip archive that are ignored: folders, and hidden files that archivers add. */
const IGNORED = /(^|\/)(\.|__MACOSX\/)|\/$/;

/** Files in a zip archive that accompany a feed: texts for people, and pictures. */
const ACCOMPANYING =
  /(^|\/)(?:read[ _-]?me|licen[cs]e|changelog|copying|notice)[^/]*?(?:\.(?:txt|html?|rtf))?$|\.(?:md|pdf|docx?|png|jpe?g|gif|svg|webp)$/i;

/** Thrown if a zip archive is damaged or cut off. */
export class ZipError extends FeedError {
  override name = 'ZipError';
}

const damaged = (why: string) => new ZipError(`The zip archive is damaged (${why}).`);

export const isZip = (head: Buffer): boolean => head.length >= 4 && head.readUInt32LE() === LOCAL_HEADER;

/** A file in a zip archive. Its chunks can be read once, before the next file is requested. */
interface ZipFile {
  name: string;
  chunks: AsyncIterable<Buffer>;
}

/** Reads the files of a zip archive from a stream, by the headers before each file. @throws ZipError after the last readable byte. */
export async function* readZip(source: AsyncIterable<Buffer>): AsyncGenerator<ZipFile> {
  const input = new ByteReader(source, () => new ZipError('The zip archive is cut off.'));
  let files = 0;
  let entries = 0;
  try {
    let signature = await readSignature(input);
    for (; signature === LOCAL_HEADER; signature = await readSignature(input)) {
      entries += 1;
      if (entries > MAX_FILES)
        throw new ZipError(`The zip archive holds more than ${MAX_FILES.toLocaleString('en-US')} files.`);
      const header = await readLocalHeader(input);
      let isRead = false;
      const chunks = (async function* () {
        isRead = true;
        yield* readContent(input, header);
      })();
      if (!IGNORED.test(header.name) && !ACCOMPANYING.test(header.name)) {
        files += 1;
        yield { name: header.name, chunks };
      }
      if (!isRead && header.size !== null) await input.skip(header.size);
      else for await (const _ of chunks);
    }
    await skipDirectory(input, signature);
    if (files === 0) throw new ZipError('The zip archive contains no file.');
  } finally {
    await input.close();
  }
}

const readSignature = async (input: ByteReader): Promise<number> => (await input.need(4)).readUInt32LE();

interface LocalHeader {
  name: string;
  method: number;
  isEncrypted: boolean;
  /** The compressed size of the file in bytes; null if it is stated only after the data. */
  size: number | null;
}

async function readLocalHeader(input: ByteReader): Promise<LocalHeader> {
  const fixed = await input.need(26);
  const flags = fixed.readUInt16LE(2);
  const name = await input.need(fixed.readUInt16LE(22));
  const extra = await input.need(fixed.readUInt16LE(24));
  const size = fixed.readUInt32LE(14);
  return {
    name: name.toString((flags & 0x800) === 0 ? 'latin1' : 'utf8'),
    method: fixed.readUInt16LE(4),
    isEncrypted: (flags & 1) !== 0,
    size: (flags & 8) !== 0 ? null : size === 0xffffffff ? zip64Size(extra) : size,
  };
}

/** The compressed size in the ZIP64 field, in which it comes after the uncompressed size. */
function zip64Size(extra: Buffer): number {
  for (let at = 0; at + 20 <= extra.length; at += 4 + extra.readUInt16LE(at + 2))
    if (extra.readUInt16LE(at) === 1) return Number(extra.readBigUInt64LE(at + 12));
  throw damaged('a size is missing');
}

async function* readContent(input: ByteReader, header: LocalHeader): AsyncGenerator<Buffer> {
  const { method, size, isEncrypted } = header;
  if (isEncrypted) throw new ZipError('The zip archive is encrypted, which is not supported.');
  if (method === STORED) yield* size === null ? readStored(input) : input.take(size);
  else if (method === DEFLATED) {
    const packedBytes = yield* inflateContent(input);
    if (size === null) await skipDescriptor(input);
    else if (packedBytes !== size) throw damaged(`${header.name} has another size than stated`);
  } else throw damaged(`unknown compression type ${method}`);
}

/** Decompresses a file of a zip archive up to its end mark. @returns the compressed size in bytes. */
async function* inflateContent(input: ByteReader): AsyncGenerator<Buffer, number> {
  let last: Buffer = Buffer.alloc(0);
  let read = 0;
  async function* chunks() {
    for (;;) {
      last = await input.chunk();
      read += last.length;
      yield last;
    }
  }
  const decompressor = createInflateRaw();
  const surplus = yield* inflate(chunks(), decompressor, damaged);
  input.unread(last.subarray(last.length - surplus));
  return read - surplus;
}

/** Skips a data descriptor: an optional signature, a checksum and two sizes of 4 bytes, or 8 in ZIP64. */
async function skipDescriptor(input: ByteReader): Promise<void> {
  const bytes = await input.need(24);
  const sizes = bytes.readUInt32LE() === DESCRIPTOR ? 8 : 4;
  const end = [LOCAL_HEADER, DIRECTORY_ENTRY].includes(bytes.readUInt32LE(sizes + 8))
    ? sizes + 8
    : sizes + 16;
  input.unread(bytes.subarray(end));
}

/** Reads an uncompressed file of unknown size up to a data descriptor that states exactly this size. */
async function* readStored(input: ByteReader): AsyncGenerator<Buffer> {
  let buffer: Buffer = Buffer.alloc(0);
  let passed = 0;
  for (;;) {
    buffer = Buffer.concat([buffer, await input.chunk()]);
    let searched = 0;
    for (let at = indexOfDescriptor(buffer, 0); at >= 0; at = indexOfDescriptor(buffer, at + 1)) {
      if (at + 12 > buffer.length) break;
      if (buffer.readUInt32LE(at + 8) === passed + at) {
        yield buffer.subarray(0, at);
        input.unread(buffer.subarray(at));
        return skipDescriptor(input);
      }
      searched = at + 1;
    }
    // The last bytes are kept until more arrive, because they may be the beginning of a data descriptor.
    const end = Math.max(searched, buffer.length - 12);
    yield buffer.subarray(0, end);
    passed += end;
    buffer = buffer.subarray(end);
  }
}

const SIGNATURE = Buffer.from('504b0708', 'hex');
const indexOfDescriptor = (buffer: Buffer, from: number): number => buffer.indexOf(SIGNATURE, from);

/** Reads the directory at the end of a zip archive, so that an archive that is cut off there is noticed. */
async function skipDirectory(input: ByteReader, first: number): Promise<void> {
  for (let signature = first; signature !== END; signature = await readSignature(input)) {
    if (signature === DIRECTORY_ENTRY) {
      const entry = await input.need(42);
      await input.skip(entry.readUInt16LE(24) + entry.readUInt16LE(26) + entry.readUInt16LE(28));
    } else if (signature === ZIP64_END) await input.skip(Number((await input.need(8)).readBigUInt64LE()));
    else if (signature === ZIP64_LOCATOR) await input.skip(16);
    else throw damaged('there is no file where one should begin');
  }
}
