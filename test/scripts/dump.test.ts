import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { gunzipSync } from 'node:zlib';
import { assert } from 'chai';
import { parquetReadObjects } from 'hyparquet';
import { main } from '../../scripts/dump.js';
import { ensureCatalogue } from '../../src/engine/indices.js';
import { loadFeed } from '../../src/usecases/ingest/load.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { run, ends } from '../support/command.js';
import { assertSorted, record } from '../support/listings.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';

const catalogue = testCatalogue('dump');
const { env, es, folder, prefix } = catalogue;
const dump = (...args: string[]) => run(main, args, { env });

const load = (text: string, dryRun = false) =>
  loadFeed({ es, indexPrefix: prefix, records: readFeed(Readable.from([text])), dryRun });

describe('npm run dump', function () {
  const history = [
    { price: '12.00', at: '2026-01-01T00:00:00Z' },
    { price: '90.00', at: '2026-01-02T00:00:00Z', declared: true },
    { price: '10.00', at: '2026-02-01T00:00:00Z' },
  ];
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
    };
    await load(
      ndjson([record({ ...one, is_available: true, last_checked: '2026-02-01T00:00:00Z' }), ...many]),
    );
  });
  after(catalogue.remove);

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
    assert.deepInclude(kettle, { price_history: history, gtin: ['4006381333931'], list_price: '19.90' });
    assert.deepInclude(await load(text, true), { read: 1_501, unchanged: 1_501 });
  });

  it('Parquet has typed columns, and JSON text for nested values', async () => {
    const file = path.join(folder, 'a.parquet');
    assert.strictEqual((await dump('--out', file, '--source', 'shop_a', '--history')).code, 0);
    const bytes = readFileSync(file);
    const rows = await parquetReadObjects({
      file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length),
    });
    const [row] = rows;
    assert.lengthOf(rows, 1);
    assert.typeOf(row?.['id'], 'bigint');
    assert.deepInclude(row, {
      sku: 'K',
      name: 'Kessel “ö”',
      price: '10.00',
      is_available: true,
      brand: null,
    });
    assert.deepEqual(JSON.parse(String(row?.['category_path'])), ['A', 'B']);
    assert.deepEqual(JSON.parse(String(row?.['price_history'])), history);
    assert.strictEqual((await dump('--out', path.join(folder, 'all.csv'))).code, 2);
    assert.sameMembers(readdirSync(folder), ['all.ndjson.gz', 'a.parquet']);
  });
});
