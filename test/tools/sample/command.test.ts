import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { assert } from 'chai';
import { main } from '../../../tools/sample.js';
import { generateCatalogue } from '../../../tools/sample-catalogue/catalogue.js';
import { run } from '../../support/command.js';
import { OPTIONS } from './sample.js';
import { program } from '../../support/program.js';

const FIXED = ['--now', OPTIONS.now.toISOString(), '--image-base', `${OPTIONS.imageBaseUrl}/`];

const sample = (...args: string[]) => run(main, args);

describe('npm run sample', () => {
  let folder = '';
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sample-'));
  });
  after(() => {
    rmSync(folder, { recursive: true });
  });

  it('writes the records to a file, compressed if its name ends in .gz, or to standard output', async () => {
    const expected = Array.from(
      generateCatalogue({ ...OPTIONS, seed: 7, listings: 120 }),
      (record) => `${JSON.stringify(record)}\n`,
    ).join('');
    const args = ['--listings', '120', '--seed', '7', ...FIXED];
    const [plain, compressed] = [path.join(folder, 'a.ndjson'), path.join(folder, 'a.ndjson.gz')];
    assert.equal((await sample(...args)).out, expected);
    assert.equal((await sample(...args, '--out', plain)).code, 0);
    assert.equal(readFileSync(plain, 'utf8'), expected);
    const { code, out, err } = await sample(...args, '--out', compressed);
    assert.deepEqual([code, out], [0, '']);
    assert.include(err, '120 listings');
    assert.equal(gunzipSync(readFileSync(compressed)).toString(), expected);
  });

  it('writes which listings are the same product, as pairs and as single rows', async () => {
    const truth = path.join(folder, 'truth.csv');
    const out = path.join(folder, 'b.ndjson');
    assert.equal(
      (await sample('--listings', '120', '--seed', '7', ...FIXED, '--out', out, '--truth', truth)).code,
      0,
    );
    const rows = (file: string) =>
      readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(','));
    const [pairHeader, ...pairs] = rows(truth);
    assert.deepEqual(pairHeader, ['a_source', 'a_sku', 'b_source', 'b_sku']);
    const [listingHeader, ...listings] = rows(path.join(folder, 'truth_sources.csv'));
    assert.deepEqual(listingHeader, ['a_source', 'a_sku', 'product', 'brand', 'model']);
    const [quantityHeader, ...quantities] = rows(path.join(folder, 'truth_quantities.csv'));
    assert.deepEqual(quantityHeader, ['source', 'sku', 'quantity', 'unit']);
    assert.deepEqual(
      quantities.map(([source, sku]) => [source, sku]),
      listings.map(([source, sku]) => [source, sku]),
    );
    assert.includeMembers([...new Set(quantities.map(([, , , unit]) => unit))], ['', 'piece', 'ml']);
    const feed = readFileSync(out, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { source: string; sku: string; brand: string });
    assert.deepEqual(
      listings.map(([source, sku, , brand]) => [source, sku, brand]),
      feed.map(({ source, sku, brand }) => [source, sku, brand]),
    );
    const product = new Map(listings.map(([source, sku, number]) => [`${source} ${sku}`, number]));
    const sizes = new Map<string, number>();
    for (const number of product.values()) sizes.set(number ?? '', (sizes.get(number ?? '') ?? 0) + 1);
    const expected = [...sizes.values()].reduce((sum, size) => sum + size * (size - 1), 0);
    assert.equal(new Set(pairs.map(String)).size, expected);
    for (const [a, b, c, d] of pairs) assert.equal(product.get(`${a} ${b}`), product.get(`${c} ${d}`));
    // If a shop states a model, it must be the model of the product.
    const stated = feed.flatMap((record, at) => {
      const { metadata } = record as unknown as { metadata: { model?: string } | null };
      return metadata?.model === undefined ? [] : [[metadata.model, listings[at]?.[4]]];
    });
    assert.isNotEmpty(stated);
    for (const [model, known] of stated) assert.equal(model, known);
  });

  it('rejects an invalid command line or output file', async () => {
    assert.include((await sample('--help')).out, '--listings');
    const wrong = [
      ['--listings', '0'],
      ['--listings', '1e3'],
      ['--seed', '-1'],
      ['--now', 'today'],
      ['--image-base', 'x'],
      ['--unknown'],
      ['file'],
      ['--out', ''],
    ];
    for (const args of wrong) {
      const { code, err } = await sample(...args, '--');
      assert.equal(code, 2, args.join(' '));
      assert.notInclude(err, '    at ', args.join(' '));
    }
    const { code, err } = await sample('--out', path.join(folder, 'missing', 'a'));
    assert.equal(code, 1);
    assert.match(err, /missing\/a cannot be written \(ENOENT\)\.\n$/);
  });

  it('ends silently when its reader closes the pipe', async () => {
    const child = spawn(process.execPath, [...program('tools/sample.ts'), '--listings', '1000000'], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const closed = once(child, 'close');
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    assert.equal(first.toString('utf8', 0, 8), '{"sku":"');
    child.stdout.destroy();
    assert.deepEqual(await closed, [0, null]);
    assert.notMatch(errors, /EPIPE|Error/);
  });
});
