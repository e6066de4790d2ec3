// Chaos only (commands, sampled, 2 min): it runs the schedule of several sources with every guard.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert } from 'chai';
import { main as explainMain } from '../../scripts/explain.js';
import { main as ingestMain } from '../../scripts/ingest.js';
import { main as sourcesMain } from '../../scripts/sources.js';
import { main as syncMain } from '../../scripts/sync.js';
import { Runs, type RunRecord } from '../../src/sources/runs.js';
import { readSourceStates } from '../../src/sources/source-states.js';
import { keepSome } from '../support/chaos.js';
import { ends, LOAD_ONLY, run, startCommand } from '../support/command.js';
import { until } from '../support/until.js';
import { syncing } from '../support/syncing.js';
import { testCatalogue } from '../support/test-catalogue.js';
import { startServer, type TestServer } from '../usecases/images/server.js';
import { storedIndex } from '../../src/platform/stored.js';

const catalogue = testCatalogue('sync');
const { env, es, file, prefix } = catalogue;
const { clear, folder, source, sync } = syncing(catalogue);

const HEADER = 'sku,name,price,currency,brand,is_available\n';
const rows = (count: number, price = (i: number) => `${i + 1}0.00`, first = 0): string =>
  Array.from(
    { length: count },
    (_, i) => `S${i + first},Kettle ${i + first},${price(i)},EUR,Bolt,true\n`,
  ).join('');
const feed = (...args: Parameters<typeof rows>): string => HEADER + rows(...args);

const DAILY = { folder: '..', files: 'a.csv', schedule: '15 6 * * *' } as const;
const one = ({ runs }: { runs: RunRecord[] }): RunRecord => {
  assert.lengthOf(runs, 1);
  return runs[0] as RunRecord;
};
/** The listings of a source by SKU. */
const stored = async (code: string) =>
  new Map(
    [...(await catalogue.stored()).values()].flatMap(({ listing }) =>
      listing.source === code ? [[listing.sku, listing]] : [],
    ),
  );

describe('npm run sync', function () {
  beforeEach(clear);
  after(catalogue.remove);

  it('loads each source when it is due, and records the run', async () => {
    source('shop_a', { ...DAILY, owner: 'team', map: 'maps/a.yaml', expected_freshness: '36h' });
    source('by_name', { folder: '..', files: 'b.csv' });
    writeFileSync(
      path.join(folder, 'maps/a.yaml'),
      'fields: {sku: sku, name: name, price: price, currency: currency}\n',
    );
    writeFileSync(path.join(folder, 'broken.yaml'), 'folder: x\nschedule: every day\n');
    const size = feed(3).length + 'oops,,,,,\n'.length;
    file('a.csv', `${feed(3)}oops,,,,,\n`);
    file('b.csv', feed(1));
    const first = await sync('2026-03-01T00:00:00Z');
    assert.isFalse(first.areValid);
    assert.match(first.said, /broken\.yaml:2: schedule: must be a cron expression/);
    const { run: id, map, ...loaded } = one(first);
    assert.deepInclude(loaded, {
      name: 'shop_a',
      outcome: 'refused',
      rule: 'max_rejected',
      files: ['a.csv'],
      bytes: size,
      started_at: '2026-03-01T00:00:00Z',
    });
    file('a.csv', feed(3));
    assert.lengthOf((await sync('2026-03-01T06:14:59Z')).runs, 0);
    const second = one(await sync('2026-03-01T06:15:00Z'));
    assert.deepInclude(second, { outcome: 'loaded', rule: null, reason: null, map });
    assert.deepInclude(second.counts, { records: 3, new: 3, rejected: 0, vanished: 0 });
    assert.match(map?.version ?? '', /^[0-9a-f]{12}$/);
    assert.lengthOf((await sync('2026-03-01T06:16:00Z')).runs, 0);
    // A file that was not written again is not loaded again, and its data is not fresher.
    assert.strictEqual(one(await sync('2026-03-02T06:15:00Z')).outcome, 'not_modified');
    const [state] = (await readSourceStates(es, prefix)).filter((each) => each.file === 'shop_a');
    assert.deepInclude(state, {
      source: 'shop_a',
      responsible: 'team',
      next_run_at: '2026-03-03T06:15:00Z',
      fresh_at: '2026-03-01T06:15:00Z',
      expected_freshness_s: 129_600,
    });
    // With another map, the same file is loaded again.
    writeFileSync(
      path.join(folder, 'maps/a.yaml'),
      'fields: {sku: sku, name: name, price: price, currency: currency, brand: brand}\n',
    );
    const mapped = one(await sync('2026-03-03T06:15:00Z'));
    assert.deepInclude(mapped.counts, { changed: 3 });
    assert.notDeepEqual(mapped.map, map);
    await es.indices.refresh({ index: `${prefix}-runs` });
    const outcomes = (await new Runs(es, prefix).last('shop_a', 10)).map(({ outcome }) => outcome);
    assert.deepEqual(outcomes, ['loaded', 'not_modified', 'loaded', 'refused']);
    assert.isTrue((await new Runs(es, prefix).read([id])).has(id));
    // A source without a schedule is loaded by its name.
    assert.deepInclude(one(await sync('2026-03-03T06:16:00Z', ['by_name'])), {
      outcome: 'loaded',
      name: 'by_name',
    });
  });

  it('loads a source again if it belongs to another shop, which is the owner of its listings', async () => {
    file('a.csv', feed(2));
    const owners: (string | undefined)[] = [];
    for (const [day, shop] of [undefined, 'Kettle House', 'Kettle House', 'Kettles'].entries()) {
      source('shop_owned', { ...DAILY, ...(shop === undefined ? {} : { shop }) });
      const { outcome } = one(await sync(`2026-03-0${day + 1}T06:15:00Z`));
      assert.strictEqual(outcome, day === 2 ? 'not_modified' : 'loaded');
      owners.push((await stored('shop_owned')).get('S0')?.internal.owner);
    }
    const kept = 'shop:Kettle House';
    assert.deepEqual(owners, ['source:shop_owned', kept, kept, 'shop:Kettles']);
  });

  it('records by how much the median price has moved, of the prices whose currency is still the same', async () => {
    source('shop_moved', DAILY);
    file('a.csv', feed(5));
    await sync('2026-03-01T06:15:00Z');
    const dollars = rows(2, () => '900.00', 3).replaceAll('EUR', 'USD');
    file('a.csv', feed(3, (i) => `${(i + 1) * (i === 0 ? 10 : 11)}.00`) + dollars);
    const run = one(await sync('2026-03-02T06:15:00Z'));
    assert.deepInclude(run, { outcome: 'loaded', price_change_pct: 0 });
  });

  it('loads every new file of a folder in order, if it is told to, and waits at one that is refused', async () => {
    const name = 'shop_deltas';
    mkdirSync(path.join(catalogue.folder, name));
    const write = (file: string, content: string, time: string) => {
      const target = path.join(catalogue.folder, name, file);
      writeFileSync(target, content);
      utimesSync(target, new Date(time), new Date(time));
    };
    const deltas = { folder: `../${name}`, every_file: true, complete: false, schedule: '15 6 * * *' };
    const loadedAt = async (time: string) =>
      (await sync(time)).runs.map(({ outcome, files }) => `${outcome} ${files.join()}`);
    source(name, deltas);
    write(
      'b.csv',
      feed(2, (i) => `${i + 1}1.00`),
      '2026-02-28T01:00:00Z',
    );
    write(
      'a.csv',
      feed(1, () => '12.00'),
      '2026-02-28T02:00:00Z',
    );
    write(
      'c.csv',
      feed(1, () => '13.00', 1),
      '2026-02-28T02:00:00Z',
    );
    assert.deepEqual(await loadedAt('2026-03-01T06:15:00Z'), [
      'loaded b.csv',
      'loaded a.csv',
      'loaded c.csv',
    ]);
    const prices = async () =>
      [...(await stored(name)).values()].map(({ internal }) =>
        internal.price_history.map(({ price }) => price),
      );
    assert.sameDeepMembers(await prices(), [
      ['11.00', '12.00'],
      ['21.00', '13.00'],
    ]);
    // Neither other options nor the removal of the loaded file make it load the outdated files again.
    rmSync(path.join(catalogue.folder, name, 'c.csv'));
    source(name, { ...deltas, currency: 'EUR' });
    assert.deepEqual(await loadedAt('2026-03-02T06:15:00Z'), ['not_modified a.csv']);
    write('d.csv', HEADER + 'oops,,,,,\n', '2026-03-02T01:00:00Z');
    write(
      'e.csv',
      feed(1, () => '14.00'),
      '2026-03-02T02:00:00Z',
    );
    assert.deepEqual(await loadedAt('2026-03-03T06:15:00Z'), ['refused d.csv']);
    write(
      'd.csv',
      feed(1, () => '13.50'),
      '2026-03-02T01:30:00Z',
    );
    assert.deepEqual(await loadedAt('2026-03-04T06:15:00Z'), ['loaded d.csv', 'loaded e.csv']);
    assert.deepEqual(
      (await prices()).find(([first]) => first === '11.00'),
      ['11.00', '12.00', '13.50', '14.00'],
    );
  });

  describe('with a feed that would do harm', function () {
    const cases: Record<string, { guards?: object; content: string; reason: RegExp; map?: true }> = {
      max_rejected: {
        guards: { max_rejected: 5 },
        content: `${feed(18)}oops,,,,,\nagain,,,,,\n`,
        reason:
          /^2 of the 20 records so far are rejected: 10 %, above the 5 % of guards\.max_rejected of shop_max_rejected\.yaml/,
      },
      max_vanished: {
        guards: { max_vanished: 10 },
        content: feed(10),
        reason: /^10 of the 20 available listings of shop_max_vanished are not in the feed/,
      },
      max_price_change: {
        content: feed(20, (i) => `${i + 1}000.00`),
        reason: /^The median price of 20 compared listings has risen by a factor of 100/,
      },
      strict_columns: {
        guards: { strict_columns: true },
        content: feed(20)
          .replaceAll(/^(.*)$/gm, '$1,x')
          .replace('is_available,x', 'is_available,colour')
          .trimEnd()
          .replace(/\n,x$/, ''),
        reason: /^No listing has the columns "colour"/,
      },
      allow_missing: {
        content: feed(20)
          .replaceAll(/,Bolt,/g, ',')
          .replace(',brand,', ','),
        reason:
          /^The feed lacks columns that its source had[^]*brand[^]*guards\.allow_missing: \[brand\] in shop_allow_missing\.yaml/,
      },
      allow_repeats: { content: feed(20) + rows(20) + rows(20), reason: /^40 of the first 60 records/ },
      allow_empty: { content: HEADER, reason: /^The feed contains no record/ },
      unidentified: {
        content: `${feed(19)},No SKU,1.00,EUR,,\n`,
        reason: /^1 of the rejected records lack a readable source or SKU/,
      },
    };
    for (const [rule, { guards = {}, content, reason }] of Object.entries(cases))
      it(`is stopped by ${rule}`, async () => {
        const name = `shop_${rule}`;
        source(name, { ...DAILY, guards: {} });
        file('a.csv', feed(20));
        await sync('2026-03-01T06:15:00Z');
        const before = await stored(name);
        source(name, { ...DAILY, guards });
        file('a.csv', content);
        const run = one(await sync('2026-03-02T06:15:00Z'));
        assert.deepInclude(run, { outcome: 'refused', rule });
        assert.match(run.reason ?? '', reason);
        for (const [sku, { price, is_available }] of await stored(name))
          if (before.has(sku)) assert.deepInclude(before.get(sku), { price, is_available });
        // It is not repeated before the next day, and then it is, although the file has not changed.
        assert.lengthOf((await sync('2026-03-02T12:00:00Z')).runs, 0);
        assert.strictEqual(one(await sync('2026-03-03T06:15:00Z')).outcome, 'refused');
      });

    it('is stopped if the currency of all prices has changed', async () => {
      source('shop_eur', DAILY);
      file('a.csv', feed(5));
      await sync('2026-03-01T06:15:00Z');
      file('a.csv', feed(5).replaceAll('EUR', 'USD'));
      const run = one(await sync('2026-03-02T06:15:00Z'));
      assert.deepInclude(run, { outcome: 'refused', rule: 'max_price_change' });
      assert.match(run.reason ?? '', /^5 of the 5 compared prices are in USD, and were in EUR/);
    });

    keepSome(this, 3);
  });

  describe('from a server', () => {
    let server: TestServer;
    let other: TestServer;
    let seen: Record<string, unknown>[] = [];
    /** Responses wait for this. */
    let gate: Promise<void> = Promise.resolve();
    let answer: (since: string | undefined) => {
      status: number;
      headers?: Record<string, string>;
      body?: string;
    };
    before(async () => {
      other = await startServer(({ headers }, response) => {
        seen.push(headers);
        response.writeHead(404).end();
      });
      server = await startServer(({ headers }, response) => {
        seen.push(headers);
        const { status, headers: own = {}, body = '' } = answer(headers['if-modified-since']);
        void gate.then(() => response.writeHead(status, own).end(body));
      });
    });
    after(() => Promise.all([server.stop(), other.stop()]));
    beforeEach(() => {
      seen = [];
    });
    const remote = () => ({ url: server.url('/feed.csv'), schedule: '15 6 * * *', allow_private: true });

    it('sends credentials only to it, and never shows them', async () => {
      const secrets = { SOURCE_USER: 'us-er', SOURCE_PASSWORD: 'pa$$ word/1', SOURCE_KEY: 'k=3y' };
      writeFileSync(path.join(folder, 'token'), 'to-ken-5\n');
      source('shop_secret', {
        ...remote(),
        url: server.url('/{part}/feed.csv?v=1&apikey={part}'),
        credentials: {
          basic: { username: { env: 'SOURCE_USER' }, password: { env: 'SOURCE_PASSWORD' } },
          headers: { 'X-Token': { file: 'token' } },
          url: { part: { env: 'SOURCE_KEY' } },
        },
      });
      const all = { ...secrets, SOURCE_CREDENTIALS: folder };
      const written: string[] = [];
      const attempt = async (time: string, reply: ReturnType<typeof answer>) => {
        answer = () => reply;
        const result = await sync(time, [], {}, all);
        written.push(result.said, JSON.stringify(result.runs));
        return one(result);
      };
      assert.strictEqual(
        (await attempt('2026-03-01T06:15:00Z', { status: 200, body: feed(3) })).outcome,
        'loaded',
      );
      assert.strictEqual(server.requests.at(-1), '/k%3D3y/feed.csv?v=1&apikey=k%3D3y');
      const login = Buffer.from('us-er:pa$$ word/1').toString('base64');
      assert.deepInclude(seen[0], { authorization: `Basic ${login}`, 'x-token': 'to-ken-5' });
      const refused = await attempt('2026-03-02T06:15:00Z', { status: 401 });
      assert.strictEqual(refused.outcome, 'failed');
      assert.match(
        refused.reason ?? '',
        /\/\{part\}\/feed\.csv cannot be fetched: the server responds with status 401/,
      );
      // A redirect to another server gets no credentials.
      seen = [];
      const to = { location: other.url('/elsewhere') };
      assert.strictEqual(
        (await attempt('2026-03-03T06:15:00Z', { status: 302, headers: to })).outcome,
        'failed',
      );
      assert.notProperty(seen[1], 'authorization');
      assert.notProperty(seen[1], 'x-token');
      // A missing credential is named, and nothing is requested.
      seen = [];
      const missing = one(await sync('2026-03-04T06:15:00Z', [], {}, { ...all, SOURCE_KEY: '' }));
      assert.deepInclude(missing, {
        outcome: 'failed',
        reason: 'The environment variable SOURCE_KEY is not set.',
      });
      assert.isEmpty(seen);
      await es.indices.refresh({ index: `${prefix}-*` });
      for (const index of [storedIndex(prefix, 'sources'), `${prefix}-runs`]) {
        const { hits } = await es.search({ index, size: 100 });
        assert.isNotEmpty(hits.hits, index);
        written.push(JSON.stringify(hits.hits));
      }
      for (const secret of [
        ...Object.values(secrets),
        'to-ken-5',
        login,
        'k%3D3y',
        encodeURIComponent('pa$$ word/1'),
      ])
        assert.notInclude(written.join('\n'), secret);
    });

    it('loads a feed again only if it has changed, as far as its time tells', async () => {
      source('shop_timed', { ...remote(), expected_freshness: '2d' });
      const made = 'Sun, 01 Mar 2026 04:00:00 GMT';
      answer = (since) =>
        since === made
          ? { status: 304 }
          : { status: 200, headers: { 'last-modified': made, etag: '"1"' }, body: feed(3) };
      assert.strictEqual(one(await sync('2026-03-01T06:15:00Z')).outcome, 'loaded');
      assert.deepInclude(one(await sync('2026-03-02T06:15:00Z')), { outcome: 'not_modified', bytes: 0 });
      const [state] = await readSourceStates(es, prefix);
      assert.strictEqual(state?.fresh_at, '2026-03-01T04:00:00Z');
      // A feed without a time has been seen now, so it is loaded again.
      answer = () => ({ status: 200, headers: { etag: '"2"' }, body: feed(3) });
      assert.strictEqual(one(await sync('2026-03-03T06:15:00Z')).outcome, 'loaded');
      assert.deepInclude(one(await sync('2026-03-04T06:15:00Z')), {
        outcome: 'loaded',
        bytes: feed(3).length,
      });
      const { listing } = (await catalogue.stored()).get('shop_timed/S0') ?? {};
      assert.strictEqual(listing?.internal.observed_at, '2026-03-04T06:15:00Z');
    });

    it('repeats a run that failed after five minutes, and loads several sources side by side', async () => {
      for (const name of ['a', 'b', 'c', 'd', 'e'])
        source(name, { ...remote(), url: server.url(`/${name}.csv`) });
      answer = () => ({ status: 404 });
      const failed = await sync('2026-03-01T06:15:00Z', [], { parallel: 2 });
      assert.deepEqual(
        failed.runs.map(({ outcome }) => outcome),
        Array(5).fill('failed'),
      );
      assert.isAtMost(server.peak(), 2);
      assert.lengthOf((await sync('2026-03-01T06:19:59Z')).runs, 0);
      answer = () => ({ status: 200, body: feed(2) });
      const again = await sync('2026-03-01T06:20:00Z', [], { parallel: 2 });
      assert.deepEqual(
        again.runs.map(({ outcome }) => outcome),
        Array(5).fill('loaded'),
      );
      assert.lengthOf((await sync('2026-03-01T06:30:00Z')).runs, 0);
    });

    it('leaves a source alone while another process loads it, and after that until it is due again', async () => {
      source('shop_once', { ...remote(), url: server.url('/held.csv') });
      answer = () => ({ status: 200, body: feed(2) });
      let release: () => void = () => undefined;
      gate = new Promise((resolve) => {
        release = resolve;
      });
      const other = startCommand('scripts/sync.ts', ['--sources', folder, ...LOAD_ONLY], env);
      await until(() => Promise.resolve(seen.length === 1));
      const busy = await sync(new Date(), ['shop_once']);
      assert.isEmpty(busy.runs);
      assert.match(busy.said, /Another sync of shop_once is at work \(process \d+ on /);
      release();
      await ends(other.ended, 0, { out: /shop_once: loaded 2 records/ });
      assert.isEmpty((await sync(new Date())).runs);
      assert.lengthOf(seen, 1);
    });
  });

  it('watches: it loads what becomes due, finds new and changed files, and outlives broken ones', async () => {
    source('shop_w', { ...DAILY, schedule: '0 * * * *' });
    file('a.csv', feed(2));
    file('b.csv', feed(2));
    let hour = 0;
    const stop = new AbortController();
    const { said } = await sync(
      '2026-03-01T00:00:00Z',
      [],
      {
        watch: true,
        onIdle: () => {
          hour += 1;
          if (hour === 2) source('shop_v', { ...DAILY, files: 'b.csv' });
          if (hour === 3) writeFileSync(path.join(folder, 'shop_w.yaml'), 'folder: [');
          if (hour === 4) stop.abort();
          return Promise.resolve();
        },
        wait: () => Promise.resolve(),
      },
      {},
      { now: () => new Date(Date.UTC(2026, 2, 1, hour)), signal: stop.signal },
    );
    assert.deepEqual(
      said
        .split('\n')
        .filter((line) => /loaded|not modified|shop_w\.yaml/.test(line))
        .map((line) => line.replace(/^.*\/|( records| since).*$/g, '')),
      [
        'shop_w: loaded 2',
        'shop_w: not modified',
        'shop_w: not modified',
        'shop_v: loaded 2',
        said
          .split('\n')
          .find((line) => line.includes('shop_w.yaml'))
          ?.replace(/^.*\//, '') ?? 'a finding',
      ],
    );
  });

  it('explains which run, line and map set each field of a listing', async () => {
    source('shop_l', { ...DAILY, map: 'maps/l.yaml' });
    writeFileSync(
      path.join(folder, 'maps/l.yaml'),
      'fields: {sku: sku, name: name, price: price, currency: currency}\n',
    );
    file('a.csv', feed(2));
    const first = one(await sync('2026-03-01T06:15:00Z'));
    file('a.csv', `${HEADER}${rows(1, () => '25.00', 1)}`);
    source('shop_l', { ...DAILY, map: 'maps/l.yaml', guards: { max_vanished: 100 } });
    const second = one(await sync('2026-03-02T06:15:00Z'));
    const listings = await stored('shop_l');
    const explained = async (sku: string) =>
      (await ends(run(explainMain, ['--id', String(listings.get(sku)?.id)], { env }), 0)).out.replaceAll(
        / +/g,
        ' ',
      );
    const map = `maps/l.yaml ${first.map?.version}`;
    const kept = await explained('S1');
    assert.include(kept, `name Kettle 1 2026-03-01T06:15:00Z ${first.run} a.csv 3 ${map}\n`);
    assert.include(kept, `price 25.00 2026-03-02T06:15:00Z ${second.run} a.csv 2 ${map}\n`);
    assert.include(kept, `2026-03-02T06:15:00Z ${second.run} a.csv 2 ${map} loaded price\n`);
    assert.include(
      await explained('S0'),
      `is_available false 2026-03-02T06:15:00Z ${second.run} a.csv absent ${map}\n`,
    );
    // A feed that npm run ingest loads is a run as well.
    const patch = file(
      'l.ndjson',
      `${JSON.stringify({ sku: 'S1', source: 'shop_l', price: '24.00', brand: 'Bolt', description: 'Two\nlines' })}\n`,
    );
    await ends(run(ingestMain, [patch, '--patch', ...LOAD_ONLY], { env }), 0);
    assert.match(await explained('S1'), /brand Bolt \S+ \S+ l\.ndjson 1 ?\n/);
    assert.match(await explained('S1'), /description Two lines \S+ \S+ l\.ndjson 1 ?\n/);
    // Its price has replaced that of the second run.
    assert.include(await explained('S1'), `2026-03-02T06:15:00Z ${second.run} a.csv 2 ${map} loaded none\n`);
    await ends(run(explainMain, ['--id', '1'], { env }), 1, { err: /There is no listing 1/ });
    await ends(run(explainMain, [], { env }), 2, { err: /State the query/ });
  });

  it('has commands that check, list and add source files', async () => {
    const sources = (...args: string[]) => run(sourcesMain, [...args, '--sources', folder], { env });
    await ends(sources('check'), 1, { err: /has no source files/ });
    await ends(
      sources('add', 'shop_c', '--folder', '..', '--files', 'a.csv', '--schedule', '15 6 * * *'),
      0,
      { out: /schedule: 15 6 \* \* \*/ },
    );
    await ends(sources('add', 'shop_c', '--folder', '..'), 1, { err: /exists already/ });
    await ends(sources('add', '../x', '--folder', '..'), 2);
    await ends(sources('add', 'b', '--url', 'https://a.example/?token=x'), 1, { err: /is a secret/ });
    await ends(sources('check'), 0, { out: /1 source file is valid/ });
    file('a.csv', `${feed(9)}oops,,,,,\n`);
    await ends(run(syncMain, ['--sources', folder, ...LOAD_ONLY], { env }), 4, {
      out: /shop_c: loaded 10 records: 9 new/,
    });
    await ends(run(syncMain, ['nothing', '--sources', folder, ...LOAD_ONLY], { env }), 1, {
      err: /There is no source "nothing". The sources are shop_c/,
    });
    await ends(sources('list'), 0, { out: /shop_c +15 6 \* \* \* +\S+Z +loaded +10/ });
    const [listed] = JSON.parse((await sources('list', '--json')).out) as Record<string, unknown>[];
    assert.deepInclude(listed, { name: 'shop_c', outcome: 'loaded', rejected: 1, stale: false });
    writeFileSync(path.join(folder, 'twin.yaml'), 'folder: ..\nsource: shop_c\n');
    await ends(sources('check'), 1, {
      err: /twin\.yaml:1: source: shop_c\.yaml is of the source "shop_c", too/,
    });
  });
});
