import { setImmediate as turn } from 'node:timers/promises';
import { Decompress } from 'fzstd';
import { FeedError } from './item.js';

/**
 * The window that RFC 8878 (section 3.1.1.1.2) recommends every decoder to support. The library allocates the window that
 * a frame header declares, up to 2 GB, before the first block, and moves all of it for each block.
 */
const MAX_WINDOW_BYTES = 8 * 1024 * 1024;

/** No block may be longer, packed or unpacked (RFC 8878, section 3.1.1.2.4). */
const MAX_BLOCK_BYTES = 128 * 1024;

/** Each block moves the whole window in memory, so that data of many nearly empty blocks is refused. */
const JUDGED_BLOCKS = 1_000;
const MIN_AVERAGE_BLOCK_BYTES = 64;

const FRAME = 0xfd2fb528;
const isSkippable = (magic: number): boolean => magic >>> 4 === 0x184d2a5;
const RLE = 1;

/**
 * Unpacks zstd, one block at a time. Every frame header is checked before the library sees it.
 * @throws FeedError after the last readable byte.
 */
export async function* readZstd(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const input = new Input(source);
  const sizes = { blocks: 0, bytes: 0 };
  try {
    for (let magic = await input.next(4); magic !== null; magic = await input.next(4)) {
      if (isSkippable(magic.readUInt32LE())) await input.skip((await input.need(4)).readUInt32LE());
      else if (magic.readUInt32LE() === FRAME) yield* readFrame(magic, input, sizes);
      else throw damaged('there is no frame where one should begin');
    }
  } finally {
    await input.close();
  }
}

async function* readFrame(
  magic: Buffer,
  input: Input,
  sizes: { blocks: number; bytes: number },
): AsyncGenerator<Buffer> {
  const { header, hasChecksum } = await readHeader(input);
  const unpacked: Buffer[] = [];
  const library = new Decompress((chunk) => unpacked.push(Buffer.from(chunk)));
  const push = (bytes: Buffer, final: boolean) => {
    try {
      // The library keeps what it is given.
      library.push(Uint8Array.from(bytes), final);
    } catch (error) {
      throw damaged((error as Error).message);
    }
  };
  push(Buffer.concat([magic, header]), false);
  for (let isLast = false; !isLast;) {
    const start = await input.need(3);
    const bits = start.readUIntLE(0, 3);
    const size = bits >>> 3;
    if (size > MAX_BLOCK_BYTES) throw damaged('a block is longer than 128 kB');
    isLast = (bits & 1) === 1;
    const body = await input.need(((bits >>> 1) & 3) === RLE ? 1 : size);
    push(Buffer.concat([start, body]), false);
    if (isLast) push(hasChecksum ? await input.need(4) : Buffer.alloc(0), true);
    sizes.blocks += 1;
    for (const chunk of unpacked.splice(0)) {
      sizes.bytes += chunk.length;
      if (chunk.length > 0) yield chunk;
    }
    if (sizes.blocks > JUDGED_BLOCKS && sizes.bytes < MIN_AVERAGE_BLOCK_BYTES * sizes.blocks)
      throw new FeedError(
        `The zstd data consists of blocks that hold less than ${MIN_AVERAGE_BLOCK_BYTES} bytes each.`,
      );
    // Signals and other requests are handled between blocks.
    await turn();
  }
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
