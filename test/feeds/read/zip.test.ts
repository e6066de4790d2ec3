import { Readable } from 'node:stream';
import { deflateRawSync } from 'node:zlib';
import { assert } from 'chai';
import { readZip, ZipError } from '../../../src/feeds/read/zip.js';

interface Entry {
  name: string;
  data: Buffer;
  isStored?: boolean;
  /**
   * Where the archive states the size of the file: in the local header, or in a descriptor behind the data.
   */
  size?: 'header' | 'signed descriptor' | 'bare descriptor' | 'zip64 descriptor' | 'zip64 header';
  flags?: number;
  method?: number;
}

/** Encodes numbers with two, four or eight bytes, little-endian. */
const numbers = (...pairs: [size: 2 | 4 | 8, value: number][]): Buffer =>
  Buffer.concat(
    pairs.map(([size, value]) => {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64LE(BigInt(value));
      return bytes.subarray(0, size);
    }),
  );

/** Creates an archive as programs write it to a file, or, with descriptors, to a pipe. */
function archive(...entries: Entry[]): Buffer {
  const files = entries.map((entry) => {
    const { name, data, isStored = false, size = 'header', flags = 0 } = entry;
    const packed = isStored ? data : deflateRawSync(data);
    const inHeader = size === 'header' ? packed.length : size === 'zip64 header' ? 0xffffffff : 0;
    const extra =
      size === 'zip64 header'
        ? numbers([2, 1], [2, 16], [8, data.length], [8, packed.length])
        : Buffer.alloc(0);
    const bits = flags | (size.endsWith('descriptor') ? 8 : 0);
    const method = entry.method ?? (isStored ? 0 : 8);
    const header = numbers(
      [4, 0x04034b50],
      [2, 20],
      [2, bits],
      [2, method],
      [4, 0],
      [4, 7],
      [4, inHeader],
      [4, inHeader],
      [2, name.length],
      [2, extra.length],
    );
    const wide = size === 'zip64 descriptor' ? 8 : 4;
    const descriptor = size.endsWith('descriptor')
      ? Buffer.concat([
          size === 'bare descriptor' ? Buffer.alloc(0) : numbers([4, 0x08074b50]),
          numbers([4, 7], [wide, packed.length], [wide, data.length]),
        ])
      : Buffer.alloc(0);
    return Buffer.concat([header, Buffer.from(name), extra, packed, descriptor]);
  });
  const directory = entries.map(({ name }) =>
    Buffer.concat([
      numbers([4, 0x02014b50]),
      Buffer.alloc(24),
      numbers([2, name.length]),
      Buffer.alloc(16),
      Buffer.from(name),
    ]),
  );
  const zip64End = Buffer.concat([
    numbers([4, 0x06064b50], [8, 44]),
    Buffer.alloc(44),
    numbers([4, 0x07064b50]),
    Buffer.alloc(16),
  ]);
  return Buffer.concat([...files, ...directory, zip64End, numbers([4, 0x06054b50]), Buffer.alloc(18)]);
}

async function read(
  packed: Buffer,
  { step = packed.length, skip = '' } = {},
): Promise<Record<string, string>> {
  const chunks = Array.from({ length: Math.ceil(packed.length / step) }, (_, i) =>
    packed.subarray(i * step, (i + 1) * step),
  );
  const files: Record<string, string> = {};
  for await (const { name, chunks: content } of readZip(Readable.from(chunks))) {
    if (name === skip) continue;
    const pieces: Buffer[] = [];
    for await (const piece of content) pieces.push(piece);
    files[name] = Buffer.concat(pieces).toString('latin1');
  }
  return files;
}

const refusal = (packed: Buffer): Promise<string> =>
  read(packed).then(
    () => 'none',
    (error: unknown) => {
      assert.instanceOf(error, ZipError);
      return (error as ZipError).message;
    },
  );

describe('readZip', () => {
  const text = 'sku,source,name\n1,s,Kettle\n'.repeat(20);
  // Data that looks like the parts of an archive: a reader that searches for signatures would end the file
  // there.
  const deceptive = Buffer.from('PK\x07\x08 0123456789abcdef PK\x03\x04 PK\x01\x02 PK\x05\x06 '.repeat(9));
  const last = { name: 'last.csv', data: Buffer.from(text) };

  for (const size of [
    'header',
    'signed descriptor',
    'bare descriptor',
    'zip64 descriptor',
    'zip64 header',
  ] as const) {
    for (const isStored of [false, true]) {
      // Stored data of unknown size can only be recognized by a signed descriptor.
      if (isStored && size === 'bare descriptor') continue;
      it(`reads a ${isStored ? 'stored' : 'deflated'} file with its size in the ${size}`, async () => {
        const packed = archive({ name: 'first.csv', data: deceptive, isStored, size }, last);
        const expected = { 'first.csv': deceptive.toString('latin1'), 'last.csv': text };
        for (const step of [packed.length, 1, 7, 100])
          assert.deepEqual(await read(packed, { step }), expected);
        assert.deepEqual(await read(packed, { skip: 'first.csv' }), { 'last.csv': text });
      });
    }
  }

  it('ignores folders, hidden files of archivers, and files that accompany a feed', async () => {
    const hidden = ['folder/', '__MACOSX/._a.csv', '.DS_Store', 'folder/.hidden'].concat([
      'README.txt',
      'docs/readme_first.html',
      'LICENSE',
      'notes.md',
      'logo.png',
    ]);
    const packed = archive(...hidden.map((name) => ({ name, data: Buffer.from('x') })), last);
    assert.deepEqual(Object.keys(await read(packed)), ['last.csv']);
    assert.strictEqual(
      await refusal(archive({ name: 'folder/', data: Buffer.alloc(0) })),
      'The zip archive contains no file.',
    );
  });

  it('rejects an archive that is cut off at any byte', async () => {
    const packed = archive({ name: 'first.csv', data: deceptive, size: 'signed descriptor' }, last);
    for (let length = 1; length < packed.length - 18; length += 1)
      assert.strictEqual(
        await refusal(packed.subarray(0, length)),
        'The zip archive is cut off.',
        String(length),
      );
  });

  it('rejects archives that are damaged, encrypted, or compressed in another way', async () => {
    const lzma = archive({ ...last, method: 14 });
    assert.strictEqual(await refusal(lzma), 'The zip archive is damaged (unknown compression type 14).');
    assert.match(await refusal(archive({ ...last, flags: 1 })), /is encrypted, which is not supported/);
    const broken = archive(last);
    broken.fill(0xff, 45, 80);
    assert.match(await refusal(broken), /^The zip archive is damaged \(/);
    const wrongSize = archive(last);
    wrongSize.writeUInt32LE(5, 18);
    assert.match(await refusal(wrongSize), /has another size than stated/);
    const gap = Buffer.concat([
      archive(last).subarray(0, -62 - 40),
      Buffer.from('not a part of an archive'.repeat(9)),
    ]);
    assert.notStrictEqual(await refusal(gap), 'none');
    const many = archive(
      ...Array.from({ length: 10_001 }, () => ({ name: 'a', data: Buffer.alloc(0), isStored: true })),
    );
    assert.match(await refusal(many), /more than 10,000 files/);
  });

  it('reads a file that expands a thousandfold in small pieces', async () => {
    const packed = archive({ name: 'zeros', data: Buffer.alloc(64 * 1024 * 1024) });
    let largest = 0;
    let bytes = 0;
    for await (const { chunks } of readZip(Readable.from([packed])))
      for await (const piece of chunks) {
        largest = Math.max(largest, piece.length);
        bytes += piece.length;
      }
    assert.strictEqual(bytes, 64 * 1024 * 1024);
    assert.isAtMost(largest, 64 * 1024);
  });
});
