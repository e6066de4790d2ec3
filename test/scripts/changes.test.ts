// Chaos only (commands, sampled): readers follow a catalogue while it is loaded, reindexed and rolled back.
import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { assert } from 'chai';
import { main as changes } from '../../scripts/changes.js';
import { main as reindex } from '../../scripts/reindex.js';
import { main as withdraw } from '../../scripts/withdraw.js';
import { useApi } from '../support/api.js';
import { outputOf, run } from '../support/command.js';
import {
  assertHasAll,
  mirrorOf,
  startChanging,
  startFollower,
  untilMoreIsWritten,
} from '../support/following.js';
import { record } from '../support/listings.js';

describe('npm run changes', () => {
  const api = useApi();
  let folder: string;
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'changes-'));
  });
  after(() => rm(folder, { recursive: true }));
  const mirror = (...args: string[]) => outputOf(changes, api.prefix, args);

  it('loses no acknowledged write while writers, a reindex and a rollback go on, for readers of any speed', async () => {
    const writers = ['shop_a', 'shop_b'].map((source) =>
      startChanging(api.es, api.prefix, { source, listings: 60, perSecond: 100, loadsPerSecond: 5 }),
    );
    const key = await api.key();
    const readers = [
      { name: 'fast', query: 'limit=1000', pauseMs: 0 },
      { name: 'slow', query: 'limit=20', pauseMs: 300 },
      { name: 'prices', query: 'kinds=new,price&limit=50', pauseMs: 100 },
    ].map((reader) => startFollower(() => api.url, { ...reader, key }));
    await untilMoreIsWritten(writers, 50);
    for (const args of [[], ['--rollback']]) {
      await outputOf(reindex, api.prefix, args);
      await untilMoreIsWritten(writers, 20);
    }
    for (const writer of writers) await writer.stop();
    for (const reader of readers) await reader.finish();
    await mirror('--out', join(folder, 'all.ndjson'));
    const checked = readers.map(({ name, listings, resyncs }) => {
      assert.isAtLeast(resyncs, 1, name);
      return assertHasAll(name, listings, writers);
    });
    assert.isAbove(checked[0] ?? 0, 100);
    assertHasAll('mirror', mirrorOf(readFileSync(join(folder, 'all.ndjson'), 'utf8')), writers);
  });

  it('continues a file, removes an incomplete page, and leaves a file equal to the export', async () => {
    const file = join(folder, 'all.ndjson');
    const complete = readFileSync(file, 'utf8');
    writeFileSync(file, `${complete}{"id":1,"kinds":["ne`);
    await api.load([record({ sku: 'late', source: 'shop_c' }), record({ sku: 'gone', source: 'shop_d' })]);
    assert.match(await mirror('--out', file), /^2 changes in /m);
    await outputOf(withdraw, api.prefix, ['--source', 'shop_d']);
    await mirror('--out', file);
    const lines = readFileSync(file, 'utf8');
    assert.isTrue(lines.startsWith(complete));
    const exported = (await api.ok('/v1/products/export?limit=10000')) as { id: number }[];
    const byId = (listings: Iterable<unknown>) =>
      [...(listings as Iterable<{ id: number }>)].sort((a, b) => a.id - b.id);
    assert.deepEqual(byId(mirrorOf(lines).values()), byId(exported));
  });

  it('ends when the reader of its output closes the pipe, also if it follows', async () => {
    const closed = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
    const out = new Writable({ write: (_chunk, _encoding, done) => done(closed) });
    const io = {
      stdin: Readable.from([]),
      out,
      err: new PassThrough(),
      signal: new AbortController().signal,
    };
    const env = { ...process.env, INDEX_PREFIX: api.prefix };
    assert.strictEqual(await changes(['--follow', '--kind', 'new'], env, io), 0);
  });

  it('filters, and refuses what it cannot continue', async () => {
    const unknown = await run(changes, ['--source', 'nosuch'], { env: { INDEX_PREFIX: api.prefix } });
    assert.strictEqual(unknown.code, 2);
    assert.match(unknown.err, /No listing has ever had the source "nosuch"; nothing was written/);
    const lines = (await mirror('--source', 'shop_c', '--kind', 'new')).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { product: { sku: string } }).product.sku),
      ['late'],
    );
    writeFileSync(join(folder, 'other.ndjson'), '');
    const { code, err } = await run(changes, ['--out', join(folder, 'other.ndjson')], {
      env: { INDEX_PREFIX: api.prefix },
    });
    assert.strictEqual(code, 1);
    assert.match(err, /other\.ndjson\.cursor/);
  });
});
