import { Readable } from 'node:stream';
import { assert } from 'chai';
import { FeedError, PackingError, readFeed } from '../../../src/feeds/read/feed.js';
import { readZstd } from '../../../src/feeds/read/zstd.js';

/** Creates a zstd block that repeats one byte. */
const repeated = (byte: string, times: number, isLast: boolean): Buffer => {
  const block = Buffer.alloc(4, byte);
  block.writeUIntLE((times << 3) | (1 << 1) | Number(isLast), 0, 3);
  return block;
};
const MAGIC = Buffer.from('28b52ffd', 'hex');
/**
 * Creates a zstd frame.
 * @param exponent the size of the frame's window is 2^(10 + exponent) bytes.
 */
const frame = (exponent: number, ...blocks: Buffer[]): Buffer =>
  Buffer.concat([MAGIC, Buffer.from([0, exponent << 3]), ...blocks]);

/**
 * Decompresses zstd data that arrives in chunks.
 * @param step the size of the chunks in bytes.
 */
async function unpack(packed: Buffer, step = packed.length, deadlineMs?: number): Promise<string> {
  const chunks = Array.from({ length: Math.ceil(packed.length / step) }, (_, i) =>
    packed.subarray(i * step, (i + 1) * step),
  );
  const unpacked = [];
  for await (const piece of readZstd(Readable.from(chunks), deadlineMs)) unpacked.push(piece);
  return Buffer.concat(unpacked).toString();
}

async function refusal(packed: Buffer, deadlineMs?: number): Promise<string> {
  try {
    await unpack(packed, packed.length, deadlineMs);
  } catch (error) {
    assert.instanceOf(error, FeedError);
    return (error as FeedError).message;
  }
  return 'none';
}

describe('zstd', () => {
  it('is decompressed from chunks of any size, with several frames, checksums and skippable frames', async () => {
    // The output of `printf 'kettle kettle kettle kettle
    // ' | zstd`, which contains a checksum and the content size.
    const written = Buffer.from('KLUv/QRYdQAAQGtldHRsZSAKAQCiixGoi0yo', 'base64');
    const skippable = Buffer.from('502a4d1803000000abcdef', 'hex');
    const all = Buffer.concat([
      skippable,
      frame(10, repeated('a', 3, false), repeated('b', 2, true)),
      frame(13, repeated('c', 131_072, true)),
    ]);
    for (const step of [all.length, 1, 7]) {
      assert.strictEqual(await unpack(all, step), `aaabb${'c'.repeat(131_072)}`);
    }
    assert.strictEqual(await unpack(written, 1), 'kettle kettle kettle kettle\n');
  });

  // Without the limit of the window, 38 bytes took 2 GB and blocked the process for 7 s.
  it('with a window above 8 MB is rejected before memory is allocated for it', async () => {
    const before = process.memoryUsage().arrayBuffers;
    for (const exponent of [14, 17, 20]) {
      const packed = frame(exponent, ...Array<Buffer>(8).fill(repeated('a', 1, false)));
      assert.match(await refusal(packed), /need a window above 8 MB/);
    }
    // In a frame with a single segment, the content size is the size of the window.
    const single = Buffer.concat([MAGIC, Buffer.from([0xa0]), Buffer.from('ffffff7f', 'hex')]);
    assert.match(await refusal(single), /need a window above 8 MB/);
    assert.isBelow(process.memoryUsage().arrayBuffers - before, 8 * 1024 * 1024);
  });

  it('with many nearly empty blocks, or a block that is too long, is rejected', async () => {
    const empty = Array<Buffer>(5_000).fill(repeated('a', 0, false));
    assert.match(await refusal(frame(13, ...empty)), /blocks that hold less than 64 bytes each/);
    const long = Buffer.alloc(3);
    long.writeUIntLE((131_073 << 3) | 2, 0, 3);
    assert.match(await refusal(frame(13, long)), /a block is longer than 128 kB/);
  });

  // If the main thread decompressed it, a block of 14 bytes would block the process for minutes.
  it('whose block declares absurd lengths is given up without blocking the process', async () => {
    // The block has 65,000 sequences, each of which repeats 65,539 bytes; its tables have one symbol.
    const body = Buffer.from([8, 0x41, 255, 0, 0x7f, 0b01010100, 0, 0, 52, 255, 255, 255, 255, 1]);
    const head = Buffer.alloc(3);
    head.writeUIntLE((body.length << 3) | (2 << 1) | 1, 0, 3);
    const endless = frame(13, repeated('a', 100, false), head, body);
    let turns = 0;
    const timer = setInterval(() => (turns += 1), 10);
    assert.match(await refusal(endless, 1_000), /a block takes too long to unpack/);
    clearInterval(timer);
    assert.isAbove(turns, 1);
  });

  it('that is cut off, or followed by other data, is rejected', async () => {
    const whole = frame(10, repeated('a', 3, true));
    for (let length = 1; length < whole.length; length += 1)
      assert.match(await refusal(whole.subarray(0, length)), /cut off or damaged/, String(length));
    assert.match(await refusal(Buffer.concat([whole, Buffer.from('rest')])), /no frame where one should/);
  });
});

describe('a feed of which only JSON is accepted', () => {
  it('is not decompressed unless it is gzip', async () => {
    for (const packed of [
      frame(10, repeated('a', 3, true)),
      Buffer.from('502a4d1803000000abcdef', 'hex'),
      Buffer.from('504b03040000', 'hex'),
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
    ]) {
      const items = readFeed(Readable.from([packed]), { onlyJson: true });
      const error: unknown = await items.next().catch((thrown: unknown) => thrown);
      assert.instanceOf(error, PackingError);
    }
  });
});
