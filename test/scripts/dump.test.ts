// Chaos only (commands, sampled): it dumps a catalogue and restores it.
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { assert } from 'chai';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { main } from '../../scripts/dump.js';
import { main as ingest } from '../../scripts/ingest.js';
import { ensureCatalogue } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { LOAD_ONLY, run, ends } from '../support/command.js';
import { assertSorted, record, withoutChanges } from '../support/listings.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';

const catalogue = testCatalogue('dump');
const { env, es, folder, prefix } = catalogue;
const dump = (...args: string[]) => run(main, args, { env });

const load = (text: string, dryRun = false) =>
  loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from([text])), dryRun });

describe('npm run dump', function () {
  const history = [
    { price: '12.00', at: '2026-01-01T00:00:00Z' },
    { price: '90.00', at: '2026-01-02T00:00:00Z', declared: true },
    { price: '10.00', at: '2026-02-01T00:00:00Z' },
  ];
  const delivery = { price: '4.90', currency: 'EUR', to: 'DE', free_from: '30.00' };
  before(async () => {
    await ensureCatalogue(es, prefix);
    const many = Array.from({ length: 1_500 }, (_, i) => record({ sku: `S${i}`, source: 'shop_b' }));
    const one = {
      sku: 'K',
      name: 'Kessel “ö”',
      price_history: history,
      metadata: { a: [1] },
      category_path: ['A', 'B'],
      gtin: '4006381333931',
      list_price: '19.90',
      delivery,
      condition: 'used',
    };
    await load(
      ndjson([record({ ...one, is_available: true, last_checked: '2026-02-01T00:00:00Z' }), ...many]),
    );
  });
  after(catalogue.remove);

  it('rejects a source that no listing has ever had, and writes no file', async () => {
    const file = path.join(folder, 'nosuch.ndjson');
    const what = /No listing has ever had the source "nosuch"; no file was written\. The sources are shop_/;
    await ends(dump('--out', file, '--source', 'nosuch'), 2, { out: /^$/, err: what });
    assert.isFalse(existsSync(file));
  });

  it('writes the documents of another kind, of which there may be none', async () => {
    const file = path.join(folder, 'runs.ndjson');
    const document = { run_id: 'r-1', outcome: 'done' };
    await es.index({ index: `${prefix}-runs`, id: 'r-1', document, refresh: true });
    await ends(dump('--out', file, '--kind', 'runs'), 0, { out: /^1 documents of runs in / });
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')), { _id: 'r-1', _source: document });
    await ends(dump('--out', file, '--kind', 'rules'), 0, { out: /^0 documents of rules in / });
    assert.equal(readFileSync(file, 'utf8'), '');
    for (const args of [['--history'], ['--source', 'shop_b'], ['--out', 'all.parquet']])
      await ends(dump('--out', file, '--kind', 'runs', ...args), 2, {
        err: /--kind runs has no meaning with/,
      });
    await ends(dump('--out', file, '--kind', 'leases'), 2, { err: /--kind must be one of products, / });
    rmSync(file);
  });

  it('NDJSON contains each listing once, sorted by id, and loads to the same catalogue', async () => {
    const file = path.join(folder, 'all.ndjson.gz');
    await ends(dump('--out', file, '--history'), 0, { out: /^1,501 listings/ });
    const text = gunzipSync(readFileSync(file)).toString();
    const rows = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const ids = rows.map(({ id }) => Number(id));
    assertSorted(ids, 'ascending');
    assert.strictEqual(new Set(rows.map(({ sku }) => sku)).size, 1_501);
    const kettle = rows.find(({ sku }) => sku === 'K');
    const stated = { gtin: ['4006381333931'], list_price: '19.90', delivery, condition: 'used' };
    assert.deepInclude(kettle, { price_history: history, ...stated });
    assert.deepInclude(await load(text, true), { read: 1_501, unchanged: 1_501 });
  });

  it('restores listings exactly, with the times at which they changed and were seen', async () => {
    const before = testCatalogue('dumped');
    const after = testCatalogue('restored');
    const load = async (
      name: string,
      records: ({ sku: string } & Record<string, unknown>)[],
      day: string,
    ) => {
      const args = ['--observed-at', `2026-10-${day}T06:00:00Z`, '--allow-missing', 'price,currency,brand'];
      const feed = before.file(name, ndjson(records.map((one) => record({ source: 'shop', ...one }))));
      await ends(run(ingest, [feed, ...args, ...LOAD_ONLY], { env: before.env }), 0);
    };
    const listings = async ({ stored }: typeof before) =>
      [...(await stored()).values()]
        .map(({ listing }) => withoutChanges(listing))
        .sort((a, b) => a.id - b.id);
    try {
      await before.empty();
      await after.empty();
      const dated = { last_checked: '2026-10-01T00:00:00Z', price_history: history };
      const first = [
        { sku: 'A' },
        { sku: 'B', ...dated },
        { sku: 'C', price: '5.00' },
        { sku: 'D' },
        { sku: 'E', delivery, condition: 'refurbished' },
        { sku: 'F', price_from: true },
      ];
      await load('1.ndjson', first, '01');
      await load('2.ndjson', [{ sku: 'A' }, { sku: 'C', price: null }, { sku: 'D', currency: 'USD' }], '08');
      await load('3.ndjson', [{ sku: 'A' }, { sku: 'C', price: null }, { sku: 'D', currency: 'USD' }], '15');
      const dumped = path.join(before.folder, 'exact.ndjson.gz');
      await ends(run(main, ['--out', dumped, '--history'], { env: before.env }), 0);
      await ends(run(ingest, [dumped, ...LOAD_ONLY], { env: after.env }), 0);
      const expected = await listings(before);
      assert.deepInclude(expected.find(({ sku }) => sku === 'A')?.internal.price_history[0], {
        seen_until: '2026-10-15T06:00:00Z',
      });
      assert.deepEqual(await listings(after), expected);
      await ends(run(ingest, [dumped, ...LOAD_ONLY], { env: after.env }), 0, { out: / 6 {2}unchanged$/m });
      assert.deepEqual(await listings(after), expected);
    } finally {
      await before.remove();
      await after.remove();
    }
  });

  it('Parquet has typed columns, and JSON text for nested values', async () => {
    const file = path.join(folder, 'a.parquet');
    assert.strictEqual((await dump('--out', file, '--source', 'shop_a', '--history')).code, 0);
    const bytes = readFileSync(file);
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    });
    assert.lengthOf(rows, 1);
    const row = rows[0] ?? {};
    assert.typeOf(row['id'], 'bigint');
    assert.deepInclude(row, {
      sku: 'K',
      name: 'Kessel “ö”',
      price: 10,
      list_price: 19.9,
      is_available: true,
      brand: null,
    });
    assert.deepEqual(row['category_path'], ['A', 'B']);
    assert.deepEqual(row['gtin'], ['4006381333931']);
    assert.deepEqual(row['observed_at'], new Date('2026-02-01T00:00:00Z'));
    assert.deepEqual(row['last_checked'], new Date('2026-02-01T00:00:00Z'));
    assert.strictEqual(row['group_id'], row['id']);
    const { schema } = parquetMetadata(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    const price = schema.find(({ name }) => name === 'price');
    assert.include(price, { type: 'INT64', converted_type: 'DECIMAL', scale: 4 });
    assert.deepEqual(JSON.parse(String(row['price_history'])), history);
    assert.deepEqual(JSON.parse(String(row['delivery'])), delivery);
    assert.strictEqual((await dump('--out', path.join(folder, 'all.csv'))).code, 2);
    assert.sameMembers(readdirSync(folder), ['all.ndjson.gz', 'a.parquet']);
  });
});
