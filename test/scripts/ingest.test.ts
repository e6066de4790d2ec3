import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { errors } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { productsAlias } from '../../src/catalogue/indices.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { createElasticsearch } from '../../src/elasticsearch/client.js';
import { readConfig } from '../../src/config.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';

const prefix = `${indexPrefix}-ingest`;
const alias = productsAlias(prefix);
const root = path.join(import.meta.dirname, '../..');
const es = createElasticsearch(readConfig({ ELASTICSEARCH_URL: elasticsearchUrl }).elasticsearch, {
  requestTimeout: 60_000,
  maxRetries: 2,
});
const folder = mkdtempSync(path.join(tmpdir(), 'ingest-'));

function start(args: string[], env: NodeJS.ProcessEnv = {}): ChildProcess {
  return spawn(process.execPath, ['--import', 'tsx', path.join(root, 'scripts/ingest.ts'), ...args], {
    cwd: root,
    env: { ...process.env, ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: prefix, ...env },
  });
}

async function finish(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let out = '';
  let err = '';
  child.stdout?.on('data', (chunk) => (out += String(chunk)));
  child.stderr?.on('data', (chunk) => (err += String(chunk)));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

const ingest = (...args: string[]) => finish(start(args));

/** A file in the test's folder. */
function file(name: string, content: string | Buffer): string {
  const target = path.join(folder, name);
  writeFileSync(target, content);
  return target;
}

const ndjson = (records: unknown[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');

/** How many records a summary counts under a label. */
function counted(out: string, label: string): number {
  const match = new RegExp(`([\\d,]+) {2}${label}$`, 'm').exec(out);
  return Number(match?.[1]?.replaceAll(',', '') ?? NaN);
}

/** Every listing, by source and sku; with its version, which counts its writes. */
async function stored(): Promise<Map<string, { listing: StoredListing; version: number }>> {
  await es.indices.refresh({ index: alias });
  const { hits } = await es.search<StoredListing>({ index: alias, size: 10_000, version: true });
  return new Map(
    hits.hits.map(({ _source, _version = 0 }) => {
      if (_source === undefined) throw new Error('no _source');
      return [`${_source.source}/${_source.sku}`, { listing: _source, version: _version }];
    }),
  );
}

async function listing(key: string): Promise<StoredListing> {
  const found = (await stored()).get(key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found.listing;
}

/** How many listings there are, while a load creates the index. */
async function landed(): Promise<number> {
  try {
    await es.indices.refresh({ index: alias });
    return (await es.count({ index: alias })).count;
  } catch (error) {
    const { statusCode } = error as errors.ResponseError;
    if (statusCode === 404 || statusCode === 503) return 0;
    throw error;
  }
}

async function removeCatalogue(): Promise<void> {
  const indices = await es.indices.get({ index: `${alias}*`, allow_no_indices: true });
  for (const index of Object.keys(indices)) await es.indices.delete({ index });
}

describe('npm run ingest', function () {
  this.timeout(120_000);

  beforeEach(removeCatalogue);
  after(async () => {
    await removeCatalogue();
    await es.close();
    rmSync(folder, { recursive: true });
  });

  it('loads every format, plain and gzip, with prices as they were written', async () => {
    const csv =
      'sku,source,name,price,currency,category_path,is_available\r\nC,shop,"Ket\r\ntle",443164.00,SGD,"[""Home""]",yes\r\n';
    const files = [
      file('a.ndjson', '{"sku":"N","source":"shop","name":"Kettle","price":"0.10"}\n'),
      file(
        'b.json',
        '[{"sku":"J","source":"shop","name":"Kettle","price":"19.999"},{"sku":"J2","source":"shop","name":"K","price":19.9}]',
      ),
      file('c.csv', csv),
      file('d', gzipSync(csv.replace('C,shop', 'G,shop'))),
    ];
    const { code, out } = await ingest(...files);
    assert.strictEqual(code, 0, out);
    const prices = [...(await stored())].map(([key, found]) => [key, found.listing.price]);
    assert.deepEqual(Object.fromEntries(prices), {
      ...{
        'shop/N': '0.10',
        'shop/J': '19.999',
        'shop/J2': '19.90',
        'shop/C': '443164.00',
        'shop/G': '443164.00',
      },
    });
    const { category, is_available, name } = await listing('shop/C');
    assert.deepEqual(
      { category, is_available, name },
      { category: 'Home', is_available: true, name: 'Ket\r\ntle' },
    );
    assert.isFalse(files.some((name) => existsSync(`${name}.rejected.ndjson`)));
  });

  it('reads standard input', async () => {
    const child = start(['-']);
    child.stdin?.end('[{"sku":"1","source":"shop","name":"Kettle"}]');
    const { code, out } = await finish(child);
    assert.strictEqual(code, 0);
    assert.strictEqual(counted(out, 'new'), 1);
  });

  it('writes nothing the second time', async () => {
    const records = Array.from({ length: 50 }, (_, i) => ({
      ...{
        sku: `S${i}`,
        source: 'shop',
        name: `Kettle ${i}`,
        price: `${i + 1}.00`,
        metadata: { b: 1, a: [i] },
      },
      ...(i % 2 === 0
        ? { last_checked: '2026-01-05T00:00:00Z', price_history: [{ price: '9.00', at: '2026-01-01' }] }
        : {}),
    }));
    const feed = file('twice.ndjson', ndjson(records));
    assert.strictEqual(counted((await ingest(feed)).out, 'new'), 50);
    const first = await stored();
    const { out } = await ingest(feed);
    assert.strictEqual(counted(out, 'unchanged'), 50);
    assert.deepEqual(await stored(), first);
    assert.deepEqual([...new Set([...first.values()].map(({ version }) => version))], [1]);
  });

  it('knows the links of AFFILIATE_URLS, which an export has', async () => {
    const mine = { sku: 'A 1', source: 'shop', name: 'Kettle', buy_url: 'https://shop.example/a' };
    const exported = { ...mine, affiliate_url: 'https://go.example/?s=A%201' };
    const AFFILIATE_URLS = JSON.stringify({ shop: 'https://go.example/?s={sku}' });
    await ingest(file('mine.ndjson', ndjson([mine])));
    const again = file('exported.ndjson', ndjson([exported]));
    const { out } = await finish(start([again], { AFFILIATE_URLS }));
    assert.strictEqual(counted(out, 'unchanged'), 1, out);
    assert.isNull((await listing('shop/A 1')).affiliate_url);
  });

  it('keeps what it cannot take, with line, reasons and record, and lands the others', async () => {
    const bad = { sku: '2', source: 'shop', name: 'K', price: '$5', currency: 'XXQ' };
    const feed = file('bad.ndjson', `${ndjson([{ sku: '1', source: 'shop', name: 'K' }, bad])}not json\n`);
    const { code, out } = await ingest(feed);
    assert.strictEqual(code, 2);
    assert.strictEqual(counted(out, 'new'), 1);
    assert.strictEqual(counted(out, 'rejected'), 2);
    assert.strictEqual(counted(out, ' +currency: is not an ISO 4217 currency code'), 1);
    const rejects = readFileSync(`${feed}.rejected.ndjson`, 'utf8').trim().split('\n');
    assert.deepEqual(
      rejects.map((line) => JSON.parse(line) as unknown),
      [
        {
          line: 2,
          reasons: [
            'price: "$5" is not a positive decimal number (no sign, grouping or currency mark)',
            'currency: "XXQ" is not an ISO 4217 currency code',
          ],
          record: bad,
        },
        { line: 3, reasons: ['record: is not valid JSON'], record: 'not json' },
      ],
    );
    writeFileSync(feed, ndjson([{ ...bad, price: '5', currency: 'SGD' }]));
    assert.strictEqual((await ingest(feed)).code, 0);
    assert.isFalse(existsSync(`${feed}.rejected.ndjson`));
  });

  it('lands what is complete of a feed that is cut off, and fails', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => ({
      sku: String(i),
      source: 'shop',
      name: `Kettle ${Math.sin(i)}`,
    }));
    const gzip = gzipSync(ndjson(lines));
    const feed = file('cut.ndjson.gz', gzip.subarray(0, gzip.length - 100));
    const { code, out, err } = await ingest(feed, '--complete', 'shop');
    assert.strictEqual(code, 1);
    assert.match(err, /cut off or damaged/);
    assert.isAbove(counted(out, 'new'), 4_900);
    assert.strictEqual((await stored()).size, counted(out, 'new'));
  });

  it('ends in the same catalogue after being killed and run again', async () => {
    const records = Array.from({ length: 9_000 }, (_, i) => ({
      ...{ sku: `S${i % 8_000}`, source: 'shop', name: `Kettle ${i}`, price: `${i + 1}.00` },
      last_checked: `2026-01-0${1 + (i % 7)}T00:00:00Z`,
    }));
    const feed = file('killed.ndjson', ndjson(records));
    const whole = (await ingest(feed)).out;
    assert.strictEqual(counted(whole, 'new'), 8_000);
    const expected = await stored();
    await removeCatalogue();
    const child = start([feed]);
    while ((await landed()) === 0 && child.exitCode === null);
    child.kill('SIGKILL');
    await once(child, 'close');
    const before = (await stored()).size;
    assert.isTrue(before > 0 && before < 8_000, `killed after ${before} listings`);
    assert.strictEqual((await ingest(feed)).code, 0);
    const again = await stored();
    const timeless = (all: typeof again) =>
      Object.fromEntries([...all].map(([key, found]) => [key, { ...found.listing, updated_at: '' }]));
    assert.deepEqual(timeless(again), timeless(expected));
  });

  it('stops at Ctrl-C with all it counts landed', async () => {
    const child = start(['-']);
    const done = finish(child);
    child.stdin?.write(
      ndjson(Array.from({ length: 2_500 }, (_, i) => ({ sku: `${i}`, source: 'shop', name: 'K' }))),
    );
    while ((await landed()) < 2_000 && child.exitCode === null);
    child.kill('SIGINT');
    const { out } = await done;
    assert.strictEqual(child.signalCode, 'SIGINT');
    assert.match(out, /Running the load again is safe/);
    assert.strictEqual(counted(out, 'new'), 2_000);
  });

  it('marks as unavailable what a complete feed does not know', async () => {
    const feed = (count: number, more: unknown[] = []) =>
      file(
        'complete.ndjson',
        ndjson([
          ...Array.from({ length: count }, (_, i) => ({
            sku: `${i}`,
            source: 'shop',
            name: 'K',
            is_available: true,
          })),
          ...more,
        ]),
      );
    await ingest(
      file('other.ndjson', ndjson([{ sku: '9', source: 'other', name: 'K', is_available: true }])),
    );
    assert.strictEqual((await ingest(feed(10), '--complete', 'shop')).code, 0);
    const before = await stored();
    const dry = await ingest(feed(7), '--complete', 'shop', '--dry-run');
    assert.match(dry.out, /3 listings of shop are not in the feed: would be/);
    assert.deepEqual(await stored(), before);

    const rejected = { sku: '9', source: 'shop', name: 'K', price: 'free' };
    const { code, out } = await ingest(feed(7, [rejected]), '--complete', 'shop');
    assert.strictEqual(code, 2);
    assert.match(out, /2 listings of shop are not in the feed/);
    const after = await stored();
    const gone = [...after].filter(([, found]) => found.listing.is_available === false).map(([key]) => key);
    assert.sameMembers(gone, ['shop/7', 'shop/8']);
    const marked = after.get('shop/7')?.listing;
    const was = before.get('shop/7')?.listing;
    assert.isAbove(Date.parse(marked?.updated_at ?? ''), Date.parse(was?.updated_at ?? ''));
    assert.deepEqual({ ...marked, is_available: true, updated_at: was?.updated_at }, { ...was });

    await ingest(feed(7, [rejected]), '--complete', 'shop');
    assert.deepEqual(await stored(), after);
    const typo = await ingest(feed(7), '--complete', 'shpo');
    assert.strictEqual(typo.code, 1);
    assert.match(typo.err, /no listing of shpo/);
  });

  it('writes nothing in a dry run', async () => {
    const feed = file('dry.ndjson', `${ndjson([{ sku: '1', source: 'shop', name: 'K' }])}{"sku":"2"}\n`);
    const { code, out, err } = await ingest(feed, '--dry-run');
    assert.strictEqual(code, 2);
    assert.strictEqual(counted(out, 'new'), 1);
    assert.match(err, /line 2: source: is required; name: is required/);
    assert.isFalse(await es.indices.exists({ index: alias }));
    assert.isFalse(existsSync(`${feed}.rejected.ndjson`));
    await ingest(feed);
    const before = await stored();
    writeFileSync(feed, ndjson([{ sku: '1', source: 'shop', name: 'Kettle', price: '5' }]));
    assert.strictEqual(counted((await ingest(feed, '--dry-run')).out, 'price moved'), 1);
    assert.deepEqual(await stored(), before);
  });

  it('says what is wrong before anything is written', async () => {
    const feed = file('fine.ndjson', ndjson([{ sku: '1', source: 'shop', name: 'K' }]));
    const wrong: [string[], RegExp][] = [
      [[], /Name the feed files/],
      [[feed, path.join(folder, 'none.csv')], /none\.csv: no such file/],
      [[feed, folder], /is a directory/],
      [[feed, '--format', 'xml'], /ndjson, json, csv, not "xml"/],
      [[feed, '--compleet', 'shop'], /--compleet/],
    ];
    for (const [args, message] of wrong) {
      const { code, err } = await ingest(...args);
      assert.strictEqual(code, 1, args.join(' '));
      assert.match(err, message);
      assert.notMatch(err, / at .*\.ts:/);
    }
    const away = await finish(start([feed], { ELASTICSEARCH_URL: 'http://127.0.0.1:9' }));
    assert.strictEqual(away.code, 1);
    assert.match(
      away.err,
      /does not answer at http:\/\/127\.0\.0\.1:9\. Start one.*or set ELASTICSEARCH_URL/,
    );
    assert.isFalse(await es.indices.exists({ index: alias }));
    const help = await ingest('--help');
    assert.strictEqual(help.code, 0);
    assert.match(help.out, /Exit code: 0 all records landed, 2 all but the rejected ones, 1 failed/);
  });

  it('lands hostile text as text', async () => {
    const hostile =
      '{"sku":"<script>\\u0000","source":"shop","name":"\\ud800=cmd|/c calc \\u202e","description":"{\\"hits\\":1}","metadata":{"__proto__":{"x":1},"_source":{"id":5},"constructor":null}}';
    assert.strictEqual((await ingest(file('hostile.ndjson', hostile))).code, 0);
    const { name, description, metadata } = await listing('shop/<script>');
    assert.deepEqual({ name, description }, { name: '\ufffd=cmd|/c calc \u202e', description: '{"hits":1}' });
    assert.strictEqual(
      JSON.stringify(metadata),
      '{"__proto__":{"x":1},"_source":{"id":5},"constructor":null}',
    );
  });
});
