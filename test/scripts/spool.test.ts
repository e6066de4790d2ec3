import { Readable } from 'node:stream';
import { assert } from 'chai';
import { Spool } from '../../scripts/loading/spool.js';
import type { OpenFeed } from '../../src/usecases/ingest/feed-source.js';

const MB = 1024 ** 2;

/** A stream of pieces that counts how often it was opened and closed. */
function source(pieces: readonly (Buffer | Error)[]) {
  const counts = { opened: 0, closed: 0, read: 0 };
  async function* chunks() {
    for (const piece of pieces) {
      if (piece instanceof Error) throw piece;
      counts.read += 1;
      yield await Promise.resolve(piece);
    }
  }
  const start = (): OpenFeed => {
    counts.opened += 1;
    return { chunks: chunks(), position: () => 0, close: () => void (counts.closed += 1) };
  };
  return { spool: new Spool(start), counts };
}

const pieces = (count: number, bytes: number) =>
  Array.from({ length: count }, (_, at) => Buffer.alloc(bytes, at + 1));
const readAll = (feed: OpenFeed) => Readable.from(feed.chunks).toArray() as Promise<Buffer[]>;

describe('Spool', () => {
  for (const [kind, bytes] of [
    ['in memory', 100],
    ['in a file', 3 * MB],
  ] as const)
    it(`returns a stream from its beginning to each reader, ${kind}`, async () => {
      const stream = pieces(6, bytes);
      const { spool, counts } = source(stream);
      const first = spool.open();
      assert.deepEqual(Buffer.concat(await readAll(first)), Buffer.concat(stream));
      assert.strictEqual(first.position(), 6 * bytes);
      first.close();
      const second = spool.open();
      spool.release();
      assert.deepEqual(Buffer.concat(await readAll(second)), Buffer.concat(stream));
      assert.deepEqual(counts, { opened: 1, closed: 0, read: 6 });
      second.close();
      assert.strictEqual(counts.closed, 1);
    });

  it('goes on with the stream where an earlier reader stopped', async () => {
    const stream = pieces(5, 2 * MB);
    const { spool, counts } = source(stream);
    const first = spool.open();
    const reader = first.chunks[Symbol.asyncIterator]();
    for (let read = 0; read < 3; read += 1) await reader.next();
    first.close();
    assert.deepEqual(counts, { opened: 1, closed: 0, read: 3 });
    assert.deepEqual(Buffer.concat(await readAll(spool.open())), Buffer.concat(stream));
  });

  it('repeats the error with which the stream ended', async () => {
    const { spool } = source([...pieces(2, 10), new Error('cut off')]);
    for (let nth = 0; nth < 2; nth += 1) {
      const feed = spool.open();
      const reader = feed.chunks[Symbol.asyncIterator]();
      assert.deepEqual((await reader.next()).value, Buffer.alloc(10, 1));
      await reader.next();
      assert.instanceOf(await reader.next().catch((error: unknown) => error), Error);
      feed.close();
    }
  });

  it('keeps nothing of a stream that is not read again', async () => {
    const { spool, counts } = source(pieces(4, 3 * MB));
    const feed = spool.open();
    spool.release();
    await readAll(feed);
    feed.close();
    assert.strictEqual(counts.closed, 1);
    assert.isEmpty(await readAll(spool.open()), 'the stream has ended');
  });

  it('fails for all readers if the temporary folder does not take the stream', async () => {
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = '/dev/null';
    try {
      const { spool } = source(pieces(4, 3 * MB));
      for (let nth = 0; nth < 2; nth += 1) {
        const failed = await readAll(spool.open()).catch((error: unknown) => error);
        assert.match(String(failed), /FeedError: .*read twice.*\/dev\/null does not accept it .*TMPDIR/);
      }
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });
});
