import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadFile } from '../../platform/thread-file.js';
import { FeedError } from './item.js';
import type { Packed, Unpacked } from './zstd-thread.js';

/**
 * The window that RFC 8878 (section 3.1.1.1.2) recommends every decoder to support. The library allocates the window that
 * a frame header declares, up to 2 GB, before the first block, and moves all of it for each block.
 */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;

/** No block may be longer, packed or unpacked (RFC 8878, section 3.1.1.2.4). */
const MAX_BLOCK_BYTES = 128 * 1024;

/** A block of 128 kB takes milliseconds; one that states absurd lengths would take minutes. */
const BLOCK_DEADLINE_MS = 10_000;

/** Each block moves the whole window in memory, so that data of many nearly empty blocks is refused. */
const JUDGED_BLOCKS = 1_000;
const MIN_AVERAGE_BLOCK_BYTES = 64;

const FRAME = 0xfd2fb528;
const isSkippable = (magic: number): boolean => magic >>> 4 === 0x184d2a5;
const RLE = 1;

/**
 * Unpacks zstd, one block at a time, in a thread of its own: this one stays free for signals. Every frame header is checked
 * before the library sees it.
 * @throws FeedError after the last readable byte.
 */
export async function* readZstd(
  source: AsyncIterable<Buffer>,
  deadlineMs = BLOCK_DEADLINE_MS,
): AsyncGenerator<Buffer> {
  const input = new Input(source);
  const thread = new UnpackingThread(deadlineMs);
  const sizes = { blocks: 0, bytes: 0 };
  try {
    for (let magic = await input.next(4); magic !== null; magic = await input.next(4)) {
      if (isSkippable(magic.readUInt32LE())) await input.skip((await input.need(4)).readUInt32LE());
      else if (magic.readUInt32LE() === FRAME) yield* readFrame(magic, input, thread, sizes);
      else throw damaged('there is no frame where one should begin');
    }
  } finally {
    await thread.end();
    await input.close();
  }
}

async function* readFrame(
  magic: Buffer,
  input: Input,
  thread: UnpackingThread,
  sizes: { blocks: number; bytes: number },
): AsyncGenerator<Buffer> {
  const { header, hasChecksum } = await readHeader(input);
  await thread.unpack('header', magic, header);
  for (let isLast = false; !isLast;) {
    const start = await input.need(3);
    const bits = start.readUIntLE(0, 3);
    const size = bits >>> 3;
    if (size > MAX_BLOCK_BYTES) throw damaged('a block is longer than 128 kB');
    isLast = (bits & 1) === 1;
    const body = await input.need(((bits >>> 1) & 3) === RLE ? 1 : size);
    const chunks = [await thread.unpack('block', start, body)];
    // The library keeps the last block until the frame ends.
    if (isLast) chunks.push(await thread.unpack('end', hasChecksum ? await input.need(4) : Buffer.alloc(0)));
    sizes.blocks += 1;
    for (const chunk of chunks) {
      sizes.bytes += chunk.length;
      if (chunk.length > 0) yield chunk;
    }
    if (sizes.blocks > JUDGED_BLOCKS && sizes.bytes < MIN_AVERAGE_BLOCK_BYTES * sizes.blocks)
      throw new FeedError(
        `The zstd data consists of blocks that hold less than ${MIN_AVERAGE_BLOCK_BYTES} bytes each.`,
      );
  }
}

/** Runs the library in a thread, which starts with the first frame. */
class UnpackingThread {
  #worker: Worker | undefined;

  constructor(private readonly deadlineMs: number) {}

  /** @throws FeedError for parts that are damaged, or take longer than the deadline; the thread has to be ended then. */
  async unpack(part: Packed['part'], ...parts: Buffer[]): Promise<Buffer> {
    this.#worker ??= startThread();
    const late = AbortSignal.timeout(this.deadlineMs);
    const answer = once(this.#worker, 'message', { signal: late });
    this.#worker.postMessage({ part, bytes: Uint8Array.from(Buffer.concat(parts)) } satisfies Packed);
    let unpacked: Unpacked;
    try {
      [unpacked] = (await answer) as [Unpacked];
    } catch (error) {
      throw late.aborted ? damaged('a block takes too long to unpack') : error;
    }
    if ('damage' in unpacked) throw damaged(unpacked.damage);
    return Buffer.from(unpacked.bytes.buffer, unpacked.bytes.byteOffset, unpacked.bytes.length);
  }

  end = (): Promise<unknown> | undefined => this.#worker?.terminate();
}

function startThread(): Worker {
  const { url, execArgv } = threadFile(import.meta.url, 'zstd-thread');
  return new Worker(url, execArgv === undefined ? {} : { execArgv });
}

/** What stands between the magic number and the first block. @throws FeedError for a window that is too large. */
async function readHeader(input: Input): Promise<{ header: Buffer; hasChecksum: boolean }> {
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

/** A field of two bytes counts from 256. */
function sizeIn(field: Buffer): number {
  if (field.length === 8) return Number(field.readBigUInt64LE());
  return field.readUIntLE(0, field.length) + (field.length === 2 ? 256 : 0);
}

function windowOf(descriptor: number): number {
  const base = 2 ** (10 + (descriptor >>> 3));
  return base + (base / 8) * (descriptor & 7);
}

const damaged = (why: string) => new FeedError(`The zstd data is cut off or damaged (${why}).`);

/** Bytes of a stream, in the portions that are asked for. */
class Input {
  readonly #chunks: AsyncIterator<Buffer>;
  #held: Buffer = Buffer.alloc(0);

  constructor(source: AsyncIterable<Buffer>) {
    this.#chunks = source[Symbol.asyncIterator]();
  }

  /** @returns null at the end of the stream. @throws FeedError where it ends within the portion. */
  async next(size: number): Promise<Buffer | null> {
    const parts = [this.#held];
    let held = this.#held.length;
    while (held < size) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      parts.push(value);
      held += value.length;
    }
    const all = parts.length === 1 ? this.#held : Buffer.concat(parts);
    if (all.length === 0 && size > 0) return null;
    if (all.length < size) throw damaged('unexpected end');
    this.#held = all.subarray(size);
    return all.subarray(0, size);
  }

  /** @throws FeedError where the stream ends before. */
  async need(size: number): Promise<Buffer> {
    const bytes = await this.next(size);
    if (bytes === null) throw damaged('unexpected end');
    return bytes;
  }

  async skip(size: number): Promise<void> {
    for (let left = size; left > 0; left -= MAX_BLOCK_BYTES) await this.need(Math.min(left, MAX_BLOCK_BYTES));
  }

  close = (): Promise<unknown> | undefined => this.#chunks.return?.();
}
