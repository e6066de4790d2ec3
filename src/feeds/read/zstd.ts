import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadFile } from '../../platform/thread-file.js';
import { ByteReader } from './byte-reader.js';
import { FeedError } from './item.js';
import type { Packed, Unpacked } from './zstd-thread.js';

/** The maximum window of a frame (RFC 8878, section 3.1.1.1.2), because the library allocates what a frame declares. */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;

/** The maximum size of a block, compressed and decompressed (RFC 8878, section 3.1.1.2.4). */
const MAX_BLOCK_BYTES = 128 * 1024;

/** The time limit for a zstd block, which takes milliseconds unless it declares absurd lengths. */
const BLOCK_DEADLINE_MS = 10_000;

/** The number of zstd blocks after which data with many nearly empty blocks is rejected. */
const CHECKED_AFTER_BLOCKS = 1_000;
const MIN_AVERAGE_BLOCK_BYTES = 64;

const FRAME = 0xfd2fb528;
/** Whether a zstd frame is skippable: it contains application data instead of compressed data. */
const isSkippable = (magic: number): boolean => magic >>> 4 === 0x184d2a5;
/** The type of a zstd block that repeats one byte. */
const RLE = 1;

/** Whether data begins with a zstd frame or a skippable frame. */
export const isZstd = (head: Buffer): boolean => /^(?:28b52ffd|5.2a4d18)/.test(head.toString('hex', 0, 4));

/** Decompresses zstd block by block in a worker thread. @throws FeedError after the last readable byte. */
export async function* readZstd(source: AsyncIterable<Buffer>, deadlineMs = BLOCK_DEADLINE_MS) {
  const input = new ByteReader(source, () => damaged('unexpected end'));
  let worker: Worker | undefined;
  const unpack = (part: Packed['part'], ...parts: Buffer[]) => {
    worker ??= startThread();
    return unpackIn(worker, { part, bytes: Uint8Array.from(Buffer.concat(parts)) }, deadlineMs);
  };
  const sizes = { blocks: 0, bytes: 0 };
  try {
    for (let magic = await input.next(4); magic !== null; magic = await input.next(4)) {
      if (isSkippable(magic.readUInt32LE())) await input.skip((await input.need(4)).readUInt32LE());
      else if (magic.readUInt32LE() === FRAME) yield* readFrame(magic, input, unpack, sizes);
      else throw damaged('there is no frame where one should begin');
    }
  } finally {
    await worker?.terminate();
    await input.close();
  }
}

async function* readFrame(
  magic: Buffer,
  input: ByteReader,
  unpack: (part: Packed['part'], ...parts: Buffer[]) => Promise<Buffer>,
  sizes: { blocks: number; bytes: number },
): AsyncGenerator<Buffer> {
  const { header, hasChecksum } = await readHeader(input);
  await unpack('header', magic, header);
  for (let isLast = false; !isLast;) {
    const start = await input.need(3);
    const bits = start.readUIntLE(0, 3);
    const size = bits >>> 3;
    if (size > MAX_BLOCK_BYTES) throw damaged('a block is longer than 128 kB');
    isLast = (bits & 1) === 1;
    const body = await input.need(((bits >>> 1) & 3) === RLE ? 1 : size);
    const chunks = [await unpack('block', start, body)];
    // The library returns the data of the last block only when the frame ends.
    if (isLast) chunks.push(await unpack('end', hasChecksum ? await input.need(4) : Buffer.alloc(0)));
    sizes.blocks += 1;
    for (const chunk of chunks) {
      sizes.bytes += chunk.length;
      if (chunk.length > 0) yield chunk;
    }
    if (sizes.blocks > CHECKED_AFTER_BLOCKS && sizes.bytes < MIN_AVERAGE_BLOCK_BYTES * sizes.blocks)
      throw new FeedError(
        `The zstd data consists of blocks that hold less than ${MIN_AVERAGE_BLOCK_BYTES} bytes each.`,
      );
  }
}

/** Decompresses a part of a zstd frame. @throws FeedError, after which the thread must be ended. */
async function unpackIn(worker: Worker, packed: Packed, deadlineMs: number): Promise<Buffer> {
  const late = AbortSignal.timeout(deadlineMs);
  const answer = once(worker, 'message', { signal: late });
  worker.postMessage(packed);
  let unpacked: Unpacked;
  try {
    [unpacked] = (await answer) as [Unpacked];
  } catch (error) {
    throw late.aborted ? damaged('a block takes too long to unpack') : error;
  }
  if ('damage' in unpacked) throw damaged(unpacked.damage);
  return Buffer.from(unpacked.bytes.buffer, unpacked.bytes.byteOffset, unpacked.bytes.length);
}

function startThread(): Worker {
  const { url, execArgv } = threadFile(import.meta.url, 'zstd-thread');
  return new Worker(url, execArgv === undefined ? {} : { execArgv });
}

/** Reads a zstd frame header after its magic number. @throws FeedError if the window is too large. */
async function readHeader(input: ByteReader): Promise<{ header: Buffer; hasChecksum: boolean }> {
  const descriptor = await input.need(1);
  const flags = descriptor.readUInt8();
  const isSingleSegment = (flags & 0x20) !== 0;
  const windowBytes = await input.need(isSingleSegment ? 0 : 1);
  const dictionary = await input.need([0, 1, 2, 4][flags & 3] ?? 0);
  const contentSize = await input.need([isSingleSegment ? 1 : 0, 2, 4, 8][flags >>> 6] ?? 0);
  const window = isSingleSegment ? sizeIn(contentSize) : windowOf(windowBytes.readUInt8());
  if (window > MAX_WINDOW_BYTES)
    throw new FeedError(
      'The zstd data need a window above 8 MB, which is not read here: pack them without --ultra and --long.',
    );
  return {
    header: Buffer.concat([descriptor, windowBytes, dictionary, contentSize]),
    hasChecksum: (flags & 4) !== 0,
  };
}

/** The content size in a zstd frame header; in a field of two bytes it is stored minus 256. */
function sizeIn(field: Buffer): number {
  if (field.length === 8) return Number(field.readBigUInt64LE());
  return field.readUIntLE(0, field.length) + (field.length === 2 ? 256 : 0);
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 7);
}

const damaged = (why: string) => new FeedError(`The zstd data is cut off or damaged (${why}).`);
