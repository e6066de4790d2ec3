// Runs first: it takes longer than most if it is drawn.
// Chaos only (kills, sampled, 3 min): it runs the command from beginning to end with every option, and kills it at every point.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { errors } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { main } from '../../scripts/ingest.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { isChaos } from '../support/chaos.js';
import { LOAD_ONLY, ends, run, startCommand } from '../support/command.js';
import { startGate } from '../support/gate.js';
import { withoutChanges } from '../support/listings.js';
import { program } from '../support/program.js';
import { elasticsearchUrl } from '../support/services.js';
import { until } from '../support/until.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';

/** The number of records of a batch. */
const BATCH = 1_000;
/** The number of listings of a load that is killed. It exceeds one batch, and the second one waits for listings of the first. */
const KILLED = isChaos ? 4 * BATCH : BATCH + 200;
/** The number of listings of a load that is stopped otherwise. The last batch is not full. */
const STOPPED = isChaos ? 2.5 * BATCH : 1.5 * BATCH;

const root = path.join(import.meta.dirname, '../..');
const catalogue = testCatalogue('ingest');
const { alias, es, folder, file, stored } = catalogue;

const envOf = (more: NodeJS.ProcessEnv = {}) => ({ ...catalogue.env, ...more });
/** Starts the command as a process that a test can end. */
const start = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  startCommand('scripts/ingest.ts', [...args, ...LOAD_ONLY], envOf(env));
const ingestWith = (env: NodeJS.ProcessEnv, ...args: string[]) =>
  run(main, [...args, ...LOAD_ONLY], { env: envOf(env) });
const ingest = (...args: string[]) => ingestWith({}, ...args);

/** The number of records that a printed summary states for a label. */
function counted(out: string, label: string): number {
  const match = new RegExp(`([\\d,]+) {2}${label}$`, 'm').exec(out);
  return Number(match?.[1]?.replaceAll(',', '') ?? NaN);
}

async function listing(key: string): Promise<StoredListing> {
  const found = (await stored()).get(key);
  if (found === undefined) throw new Error(`there is no ${key}`);
  return found.listing;
}

/** Returns the number of listings, even while a load is creating the index. */
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

describe('npm run ingest', function () {
  beforeEach(catalogue.empty);
  after(catalogue.remove);

  it('loads every format, uncompressed and as gzip, with exact prices', async () => {
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
    await ends(ingest(...files), 0);
    const prices = [...(await stored())].map(([key, found]) => [key, found.listing.price]);
    assert.deepEqual(Object.fromEntries(prices), {
      'shop/N': '0.10',
      'shop/J': '19.999',
      'shop/J2': '19.90',
      'shop/C': '443164.00',
      'shop/G': '443164.00',
    });
    const { category, is_available, name } = await listing('shop/C');
    assert.deepEqual(
      { category, is_available, name },
      { category: 'Home', is_available: true, name: 'Ket tle' },
    );
    assert.isFalse(files.some((name) => existsSync(`${name}.rejected.ndjson`)));
  });

  it('reads standard input', async () => {
    const { child, ended } = start(['-']);
    child.stdin?.end('[{"sku":"1","source":"shop","name":"Kettle"}]');
    const { code, out } = await ended;
    assert.strictEqual(code, 0);
    assert.strictEqual(counted(out, 'new'), 1);
  });

  it('writes nothing the second time', async () => {
    const records = Array.from({ length: 50 }, (_, i) => ({
      sku: `S${i}`,
      source: 'shop',
      name: `Kettle ${i}`,
      price: `${i + 1}.00`,
      metadata: { b: 1, a: [i] },
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

  it('recognizes the links of AFFILIATE_URLS in an export', async () => {
    const mine = { sku: 'A 1', source: 'shop', name: 'Kettle', buy_url: 'https://shop.example/a' };
    const exported = { ...mine, affiliate_url: 'https://go.example/?s=A%201' };
    const AFFILIATE_URLS = JSON.stringify({ shop: 'https://go.example/?s={sku}' });
    await ingest(file('mine.ndjson', ndjson([mine])));
    const again = file('exported.ndjson', ndjson([exported]));
    const { out } = await ingestWith({ AFFILIATE_URLS }, again);
    assert.strictEqual(counted(out, 'unchanged'), 1, out);
    assert.isNull((await listing('shop/A 1')).affiliate_url);
  });

  it('writes rejected records with line and reasons to a file, and loads the others', async () => {
    const bad = { sku: '2', source: 'shop', name: 'K', price: '$5', currency: 'XXQ' };
    const feed = file('bad.ndjson', `${ndjson([{ sku: '1', source: 'shop', name: 'K' }, bad])}not json\n`);
    const { code, out } = await ingest(feed);
    assert.strictEqual(code, 4);
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
            'price: "$5" is not a positive decimal number (no sign, grouping or currency symbol)',
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

  it('loads the complete records of a feed that is cut off, and fails', async () => {
    const lines = Array.from({ length: STOPPED }, (_, i) => ({
      sku: String(i),
      source: 'shop',
      name: `Kettle ${Math.sin(i)}`,
    }));
    const gzip = gzipSync(ndjson(lines));
    const feed = file('cut.ndjson.gz', gzip.subarray(0, gzip.length - 100));
    const { code, out, err } = await ingest(feed, '--complete', 'shop');
    assert.strictEqual(code, 1);
    assert.match(err, /cut off or damaged/);
    assert.isAbove(counted(out, 'new'), STOPPED - 100);
    assert.strictEqual((await stored()).size, counted(out, 'new'));
  });

  it('leads to the same catalogue after it was killed and run again', async () => {
    const records = Array.from({ length: KILLED + 500 }, (_, i) => ({
      sku: `S${i % KILLED}`,
      source: 'shop',
      name: `Kettle ${i}`,
      price: `${i + 1}.00`,
      last_checked: `2026-01-0${1 + (i % 7)}T00:00:00Z`,
    }));
    const feed = file('killed.ndjson', ndjson(records));
    const whole = (await ingest(feed)).out;
    assert.strictEqual(counted(whole, 'new'), KILLED);
    const expected = await stored();
    await catalogue.empty();
    const gate = await startGate(elasticsearchUrl);
    const { child, ended } = start([feed], { ELASTICSEARCH_URL: gate.url });
    gate.watch(async ({ line, answer }) => {
      if (!line.endsWith('/_bulk') || answer === undefined) return;
      child.kill('SIGKILL');
      await ended;
      throw new Error('killed after its first batch');
    });
    await ended;
    await gate.close();
    const before = await landed();
    assert.isTrue(before > 0 && before < KILLED, `killed after ${before} listings`);
    assert.strictEqual((await ingest(feed)).code, 0);
    const again = await stored();
    const timeless = (all: typeof again) =>
      Object.fromEntries(
        [...all].map(([key, found]) => [key, { ...withoutChanges(found.listing), updated_at: '' }]),
      );
    assert.deepEqual(timeless(again), timeless(expected));
  });

  it('stops at Ctrl-C after loading all records that it counts', async () => {
    const { child, ended } = start(['-']);
    child.stdin?.write(
      ndjson(Array.from({ length: STOPPED }, (_, i) => ({ sku: `${i}`, source: 'shop', name: 'K' }))),
    );
    await until(async () => (await landed()) === STOPPED - BATCH / 2 || child.exitCode !== null);
    child.kill('SIGINT');
    const { out, signal } = await ended;
    assert.strictEqual(signal, 'SIGINT');
    assert.match(out, /Running the load again is safe/);
    assert.strictEqual(counted(out, 'new'), STOPPED - BATCH / 2);
  });

  it('marks listings that are missing in a complete feed as unavailable', async () => {
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
    await ends(ingest(feed(7, [rejected]), '--complete', 'shop'), 4, {
      out: /2 listings of shop are not in the feed/,
    });
    const after = await stored();
    const gone = [...after].filter(([, found]) => found.listing.is_available === false).map(([key]) => key);
    assert.sameMembers(gone, ['shop/7', 'shop/8']);
    const marked = after.get('shop/7')?.listing ?? assert.fail();
    const was = before.get('shop/7')?.listing ?? assert.fail();
    assert.isAbove(Date.parse(marked.updated_at), Date.parse(was.updated_at));
    const expected = { ...withoutChanges(marked), is_available: true, updated_at: was.updated_at };
    assert.deepEqual(expected, withoutChanges(was));

    await ingest(feed(7, [rejected]), '--complete', 'shop');
    assert.deepEqual(await stored(), after);
    await ends(ingest(feed(7), '--complete', 'shpo'), 3, { err: /no listing of shpo/ });
  });

  it('writes nothing in a dry run', async () => {
    const feed = file('dry.ndjson', `${ndjson([{ sku: '1', source: 'shop', name: 'K' }])}{"sku":"2"}\n`);
    const { code, out, err } = await ingest(feed, '--dry-run');
    assert.strictEqual(code, 4);
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

  it('reports errors before anything is written', async () => {
    const feed = file('fine.ndjson', ndjson([{ sku: '1', source: 'shop', name: 'K' }]));
    const wrong: [string[], RegExp, code?: number][] = [
      [[], /Name the feed files/],
      [[feed, path.join(folder, 'none.csv')], /none\.csv: no such file/, 1],
      [[feed, folder], /is a directory/, 1],
      [[feed, '--format', 'toml'], /ndjson, json, csv, xml, not "toml"/],
      [[feed, '--compleet', 'shop'], /--compleet/],
      [[feed, '--max-vanished', '101'], /--max-vanished must be a percentage/],
      [[feed, '--encoding', 'utf-9'], /--encoding must be an encoding .*not "utf-9"/],
      [[feed, feed], /Two feeds would write/, 1],
      [[feed, '--rejects', path.join(folder, 'none')], /cannot be written.*ENOENT.*--rejects none/, 1],
      [[feed, '--complete', ''], /--complete must not be empty/],
      [[feed, '--images', '--dry-run'], /--images cannot be combined with --dry-run/],
    ];
    for (const [args, message, expected = 2] of wrong) {
      const { code, err } = await ingest(...args);
      assert.strictEqual(code, expected, args.join(' '));
      assert.match(err, message);
      assert.notMatch(err, / at .*\.ts:/);
    }
    await ends(ingestWith({ ELASTICSEARCH_URL: 'http://127.0.0.1:9' }, feed), 1, {
      err: /does not respond at http:\/\/127\.0\.0\.1:9\. Start one.*or set ELASTICSEARCH_URL/,
    });
    assert.isFalse(await es.indices.exists({ index: alias }));
    const { out } = await ends(ingest('--help'), 0);
    assert.include(
      out.replaceAll('\n', ' '),
      'Exit code: 0 all records were loaded; 1 failed; 2 invalid use; 3 stopped by a guard; 4 all records but the rejected ones were loaded; 6 Elasticsearch accepted nothing for the time of --give-up-after; 130',
    );
  });

  it('states whether a load that ended early has loaded anything, and prints rejected lines', async () => {
    const whole = JSON.stringify({ sku: 'early', source: 'shop', name: 'Kettle' });
    const nameless = JSON.stringify({ sku: 'late', source: 'shop' });
    for (const [content, message] of [
      ['[{"sku": "a", "sou', /\nNothing was loaded\.\n/],
      [`[${nameless}, {"sku"`, /^line 1: name: [^]*\nNothing was loaded\.\n/],
      [`[${whole}, {"sku"`, /\nWhat is counted above has been loaded\. Running the load again is safe\.\n/],
    ] as const)
      await ends(ingest(file('early.json', content)), 1, { err: message });
    assert.include(
      (await ends(ingest(file('lines.ndjson', `${whole}\n${nameless}\n`)), 4)).err,
      'line 2: name: is required',
    );
  });

  const many = (from: number, to: number, fields: Record<string, unknown> = {}) =>
    Array.from({ length: to - from }, (_, i) => ({
      sku: `${from + i}`,
      source: 'shop',
      name: 'K',
      is_available: true,
      ...fields,
    }));
  const unavailable = async () =>
    [...(await stored())].filter(([, found]) => found.listing.is_available === false).map(([key]) => key);

  it('marks nothing if too many listings are missing or a rejected record is unidentified, and reports why', async () => {
    assert.strictEqual((await ingest(file('all.ndjson', ndjson(many(0, 100))))).code, 0);
    const five = file('five.ndjson', ndjson(many(0, 5)));
    for (const args of [[], ['--dry-run']]) {
      await ends(ingest(five, '--complete', 'shop', ...args), 3, {
        err: /95 of the 100 available listings of shop are not in the feed.*95 %, above the 30 % of --max-vanished/,
      });
    }
    const unreadable = `${ndjson(many(0, 98))}{"sku":9,"source":"shop","name":"K"}\n`;
    await ends(ingest(file('row.ndjson', unreadable), '--complete', 'shop'), 3, {
      err: /1 of the rejected records lack a readable source or SKU.*: 2 of the 100 available/,
    });
    assert.isEmpty(await unavailable());
    const meant = await ingest(five, '--complete', 'shop', '--max-vanished', '95%');
    assert.strictEqual(meant.code, 0, meant.err);
    assert.lengthOf(await unavailable(), 95);
  });

  it('marks nothing that was observed after the feed was made', async () => {
    const day = (number: number) => ({ last_checked: `2026-01-0${number}T08:00:00Z` });
    await ingest(file('one.ndjson', ndjson(many(0, 20, day(1)))));
    const yesterday = file('yesterday.ndjson', ndjson(many(0, 19, day(2))));
    await ingest(file('today.ndjson', ndjson([...many(0, 18, day(3)), ...many(20, 22, day(3))])));
    await ends(ingest(yesterday, '--complete', 'shop'), 0, {
      out: /1 listings of shop are not in the feed.*; 2 more stay available, because they were observed after the feed was made \(2026-01-02T08/,
    });
    assert.deepEqual(await unavailable(), ['shop/19']);

    const undated = file('undated.ndjson', ndjson(many(0, 18)));
    utimesSync(undated, new Date(), new Date('2026-01-02T12:00:00Z'));
    const old = file('old.ndjson', ndjson(many(0, 1, day(1))));
    await ends(ingest(old, '--complete', 'shop'), 3, {
      err: /20 of the 21.*above the 30 %.*\. 0 would have become.*; 20 more stay/,
    });
    assert.match((await ingest(undated, '--complete', 'shop')).out, /1 listings.*; 2 more stay/);
    assert.sameMembers(await unavailable(), ['shop/18', 'shop/19']);
  });

  it('accepts several complete sources', async () => {
    const both = (to: number) => [...many(0, to), ...many(0, to, { source: 'other' })];
    await ingest(file('both.ndjson', ndjson(both(10))));
    const complete = ['--complete', 'shop', '--complete', 'other'];
    await ends(ingest(file('both.ndjson', ndjson(both(9))), ...complete), 0, {
      out: /1 listings of shop are not.*\n1 listings of other are not/,
    });
    assert.sameMembers(await unavailable(), ['shop/9', 'other/9']);
  });

  it('accepts a feed without availability after listings were marked as unavailable', async () => {
    const csv = (to: number) =>
      file(
        'plain.csv',
        `sku,source,name,price,currency\n${many(0, to)
          .map(({ sku }) => `${sku},shop,K,5.00,SGD\n`)
          .join('')}`,
      );
    assert.strictEqual((await ingest(csv(10), '--complete', 'shop')).code, 0);
    assert.strictEqual((await ingest(csv(9), '--complete', 'shop')).code, 0);
    assert.deepEqual(await unavailable(), ['shop/9']);
    const again = await ingest(csv(9), '--complete', 'shop');
    assert.strictEqual(again.code, 0, again.err);
  });

  it('stops before the load if columns are missing or unknown', async () => {
    const header = 'sku,source,name,price,currency';
    const csv = (columns: string, price: string) =>
      file(
        'columns.csv',
        `${columns}\n${many(0, 3)
          .map(({ sku }) => `${sku},shop,K,${price},SGD\n`)
          .join('')}`,
      );
    await ingest(csv(header, '5.00'));
    const before = await stored();
    const renamed = csv('sku,source,name,Price,currency', '6.00');
    await ends(ingest(renamed), 3, {
      err: /price, which 3 of the 3 listings of shop.*; is it "Price"\?\nNothing was loaded.*--allow-missing price/,
    });
    const json = await ingest(file('columns.ndjson', ndjson(many(0, 2, { Price: '6', currency: 'SGD' }))));
    assert.match(json.err, /is it "Price"\?/);
    await ends(ingest(renamed, '--strict-columns'), 3, {
      err: /No listing has the columns "Price", and --strict-columns refuses them/,
    });
    assert.deepEqual(await stored(), before);
    await ends(ingest(renamed, '--allow-missing', 'price,brand'), 0, {
      out: /Unknown columns, which are not loaded: "Price"/,
    });
    assert.isNull((await listing('shop/1')).price);
    assert.strictEqual((await ingest(renamed)).code, 0, 'the last load had none either');

    const delivered = many(0, 3, { source: 'delivering', delivery: { price: '4.90' } });
    await ends(ingest(file('delivered.ndjson', ndjson(delivered))), 0);
    const silent = many(0, 3).map(({ sku }) => `${sku},delivering,K,5.00,SGD\n`);
    const withoutDelivery = file('silent.csv', `${header}\n${silent.join('')}`);
    await ends(ingest(withoutDelivery), 3, { err: /delivery, which 3 of the 3 listings of delivering/ });
    await ends(ingest(withoutDelivery, '--allow-missing', 'delivery,is_available'), 0);
  });

  it('stops if too many records are rejected or the feed is empty', async () => {
    const bad = (count: number) => many(0, count, { price: 'free' });
    const feed = file('bad.ndjson', ndjson([...bad(11), ...many(100, 1_080)]));
    await ends(ingest(feed, '--max-rejected', '1%'), 3, {
      err: /11 of the 991 records.*1\.1 %, above the 1 % of --max-rejected. Nothing of it was loaded/,
    });
    assert.strictEqual(await landed(), 0);
    const most = await ingest(feed, '--max-rejected', '1.2');
    assert.strictEqual(most.code, 4);
    const header = file('empty.csv', 'sku,source,name\n');
    await ends(ingest(header), 3, { err: /contains no record.*--allow-empty/ });
    assert.strictEqual((await ingest(header, '--allow-empty')).code, 0);
  });

  it('writes rejected records to the given folder, and fails at once if that is impossible', async () => {
    const feed = file('kept.ndjson', '{"sku":"1"}\n');
    const elsewhere = mkdtempSync(path.join(folder, 'rejects-'));
    assert.strictEqual((await ingest(feed, '--rejects', elsewhere)).code, 4);
    assert.isTrue(existsSync(path.join(elsewhere, 'kept.ndjson.rejected.ndjson')));
    assert.strictEqual((await ingest(feed, '--rejects', 'none')).code, 4);
    assert.isFalse(existsSync(`${feed}.rejected.ndjson`));
    const command = `exec "${process.execPath}" ${program('scripts/ingest.ts').join(' ')} <(cat "${feed}")`;
    const shell = spawn('bash', ['-c', command], { cwd: root, env: { ...process.env, ...envOf() } });
    let err = '';
    shell.stderr.on('data', (chunk) => (err += String(chunk)));
    const [code] = (await once(shell, 'close')) as [number];
    assert.strictEqual(code, 1);
    assert.match(err, /^\S*Rejected records cannot be written to .*--rejects DIR/);
  });

  it('writes nothing the second time if a listing is on several lines, near or far apart', async () => {
    const lines = [
      ...many(0, BATCH + 100, { price: '5.00' }),
      ...['6.00', 'free'].map((price) => ({ ...many(3, 4)[0], price })),
      ...['7.00', '8.00'].map((price) => ({ ...many(2_000, 2_001)[0], price })),
    ];
    const feed = file('lines.ndjson', ndjson(lines));
    const first = await ingest(feed);
    assert.strictEqual(counted(first.out, 'new'), BATCH + 101);
    assert.strictEqual(counted(first.out, 'repeated later in the feed'), 2);
    const before = await stored();
    const prices = ['3', '4', '2000'].map((sku) => before.get(`shop/${sku}`)?.listing.price);
    assert.deepEqual(prices, ['6.00', '5.00', '8.00']);
    assert.strictEqual(counted((await ingest(feed)).out, 'unchanged'), BATCH + 101);
    assert.deepEqual(await stored(), before);
  });

  it('stops at Ctrl-C while it marks listings, and while Elasticsearch does not respond', async () => {
    await ingest(file('all.ndjson', ndjson(many(0, 10))));
    const index = Object.keys(await es.indices.getAlias({ name: alias })).join();
    await es.indices.addBlock({ index, block: 'write' });
    const nine = file('nine.ndjson', ndjson(many(0, 9)));
    const abort = new AbortController();
    const waiting = await run(main, [nine, '--complete', 'shop'], {
      env: envOf(),
      signal: abort.signal,
      onError: (text) => {
        if (text.includes('is blocked for writes')) abort.abort();
      },
    });
    assert.strictEqual(waiting.code, 130);
    assert.match(waiting.out, /Interrupted.*Running the load again is safe/);
    await es.indices.putSettings({ index, settings: { 'index.blocks.write': false } });

    const gate = await startGate(elasticsearchUrl);
    const { child, ended } = start([nine, '--complete', 'shop'], { ELASTICSEARCH_URL: gate.url });
    gate.watch(({ line }) => {
      if (!line.endsWith('/_bulk')) return undefined;
      child.kill('SIGINT');
      return new Promise(() => undefined);
    });
    const hanging = await ended;
    assert.match(hanging.out, /Interrupted/);
    assert.strictEqual(hanging.signal, 'SIGINT');
    assert.isEmpty(await unavailable());
    await gate.close();
  });

  it('reports that Elasticsearch became unavailable while the index was created', async () => {
    const gate = await startGate(elasticsearchUrl);
    gate.watch(({ line }) => {
      if (line.startsWith('PUT ')) throw new Error('gone');
    });
    const feed = file('one.ndjson', ndjson(many(0, 1)));
    const { code, err } = await ingestWith({ ELASTICSEARCH_URL: gate.url }, feed);
    await gate.close();
    assert.strictEqual(code, 1);
    assert.match(err, /Elasticsearch at http.*: it does not respond.*\nRun this again when it is back/);
    assert.notMatch(err, / at .*\.[jt]s:/);
  });

  it('resolves relative paths in the folder in which npm was called', async () => {
    file('relative.ndjson', '{"sku":"1"}\n');
    await ends(start(['relative.ndjson'], { INIT_CWD: folder }).ended, 4);
    assert.isTrue(existsSync(path.join(folder, 'relative.ndjson.rejected.ndjson')));
  });

  it('stores hostile text unchanged', async () => {
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
