import { assert } from 'chai';
import { main as followUp } from '../../scripts/follow-up.js';
import { main as ingest } from '../../scripts/ingest.js';
import { main as suggest } from '../../scripts/suggest.js';
import { main as withdraw } from '../../scripts/withdraw.js';
import { Lease, LeaseHeldError, readLease } from '../../src/engine/lease.js';
import { drainQueue } from '../../src/follow-up/drain-queue.js';
import { isFullPassDue, type PassSteps, runFullPass } from '../../src/follow-up/full-pass.js';
import { queueContext } from '../../scripts/jobs/follow-up.js';
import { connectEngine, type CommandEngine } from '../../scripts/shared/engine.js';
import { DAY_MS } from '../../src/listing/instant.js';
import { FOLLOW_UP, FULL_PASS } from '../../src/sources/follow-up-progress.js';
import { FollowUpQueue } from '../../src/sources/follow-up-queue.js';
import { Readable, Writable } from 'node:stream';
import { startApi } from '../support/api.js';
import { ends, run, startCommand } from '../support/command.js';
import { record } from '../support/listings.js';
import { ndjson, testCatalogue } from '../support/test-catalogue.js';
import { until } from '../support/until.js';
import { storedIndex } from '../../src/platform/stored.js';

/** A name without a number, because listings whose names differ only in numbers are a series. */
const nameOf = (sku: number) =>
  `Lantern of the kind ${[...String(sku)].map((digit) => 'abcdefghij'.charAt(Number(digit))).join('x')}`;
const lamp = (sku: number, more: Record<string, unknown> = {}) =>
  record({
    sku: `l${sku}`,
    source: `shop_${sku % 3}`,
    name: nameOf(sku),
    brand: 'Tarnby',
    category: 'Lanterns',
    price: `${20 + sku}.00`,
    ...more,
  });

describe('npm run follow-up', () => {
  const catalogue = testCatalogue('follow-up');
  const { env, es, file, prefix } = catalogue;
  const queue = new FollowUpQueue(es, prefix);
  let engine: CommandEngine;
  const io = (signal = new AbortController().signal) => ({
    stdin: Readable.from([]),
    out: new Writable({ write: (_chunk, _encoding, done) => done() }),
    err: new Writable({ write: (_chunk, _encoding, done) => done() }),
    signal,
  });
  before(() => {
    engine = connectEngine({ ...process.env, ...env });
  });
  after(async () => {
    await engine.es.close();
    await catalogue.remove();
  });
  beforeEach(async () => {
    await catalogue.empty();
    await load(Array.from({ length: 60 }, (_, sku) => lamp(sku)));
  });

  const load = async (records: unknown[], ...args: string[]) =>
    (await ends(run(ingest, [file('feed.ndjson', ndjson(records)), ...args], { env }), 0)).out;
  const work = () => ends(run(followUp, [], { env }), 0);
  const flagsOf = async (key: string) => (await catalogue.stored()).get(key)?.listing.internal.flags ?? [];
  const brands = async () => {
    await es.indices.refresh({ index: storedIndex(prefix, 'suggestions') });
    const { hits } = await es.search<{ text: string; count: number }>({
      index: storedIndex(prefix, 'suggestions'),
      query: { term: { type: 'brand' } },
      sort: [{ key: 'asc' }],
    });
    return hits.hits.map(({ _source }) => `${_source?.text} ${_source?.count}`);
  };
  const waiting = async () => {
    let entries = 0;
    for (const kind of ['listings', 'all', 'done'] as const)
      for await (const page of queue.entries(kind)) entries += page.length;
    return entries;
  };
  const twin = { source: 'shop_1', name: nameOf(1), price: '21.00' };

  it('is done by a small load itself, for what depends on its listings', async () => {
    assert.deepEqual(await brands(), ['Tarnby 60']);
    const out = await load([lamp(70, { ...twin, brand: 'Oskar' })]);
    assert.match(out, /^follow-up: the flags of 2 listings and 2 suggestions changed, in /m);
    assert.notMatch(out, /^(quality|suggestions|brands): /m);
    assert.deepEqual(await flagsOf('shop_1/l70'), ['duplicate', 'no_image']);
    assert.deepEqual(await flagsOf('shop_1/l1'), ['duplicate', 'no_image']);
    assert.deepEqual(await brands(), ['Oskar 1', 'Tarnby 60']);
    await load([lamp(70, { source: 'shop_1', name: 'Quite another lantern' })]);
    assert.deepEqual(await flagsOf('shop_1/l1'), ['no_image']);
    assert.deepEqual(await brands(), ['Tarnby 61'], 'no listing states the other brand any more');
    assert.strictEqual(await waiting(), 0);
    assert.strictEqual((await run(ingest, [file('same.ndjson', ndjson([lamp(2)]))], { env })).code, 0);
  });

  it('counts by sources in an index without owners', async () => {
    await es.indices.refresh({ index: catalogue.alias });
    await es.updateByQuery({
      index: catalogue.alias,
      script: { source: "ctx._source.internal.remove('owner')" },
      refresh: true,
    });
    const model = { model: 'TN-500' };
    await load([lamp(3, { metadata: model }), lamp(4, { metadata: model })], '--no-wait');
    await es.updateByQuery({
      index: catalogue.alias,
      script: { source: "ctx._source.internal.remove('owner')" },
      refresh: true,
    });
    assert.match((await work()).out, /^follow-up: the flags of 0 listings and 1 suggestions changed/m);
  });

  it('is a full pass after a large load', async () => {
    const { started_at: before } = await readLease(es, prefix, FULL_PASS);
    const out = await load(Array.from({ length: 20 }, (_, sku) => lamp(100 + sku)));
    assert.match(out, /^quality: /m);
    assert.match(out, /^suggestions: /m);
    assert.notMatch(out, /^follow-up: /m);
    assert.strictEqual(await waiting(), 0);
    assert.notStrictEqual((await readLease(es, prefix, FULL_PASS)).started_at, before);
  });

  it('follows a load with --no-wait, a load of many listings, and a withdrawal', async () => {
    assert.notMatch(await load([lamp(70, twin)], '--no-wait'), /^(follow-up|quality|suggestions): /m);
    assert.deepEqual(await flagsOf('shop_1/l1'), ['no_image']);
    assert.strictEqual(await waiting(), 1);
    assert.match((await work()).out, /^follow-up: the flags of 2 listings/m);
    assert.deepEqual(await flagsOf('shop_1/l1'), ['duplicate', 'no_image']);

    const skus = file('skus.txt', 'l70\n');
    await ends(run(withdraw, ['--source', 'shop_1', '--skus', skus], { env }), 0);
    assert.deepEqual(await flagsOf('shop_1/l1'), ['duplicate', 'no_image']);
    await work();
    assert.deepEqual(await flagsOf('shop_1/l1'), ['no_image']);
    assert.deepEqual(await brands(), ['Tarnby 60']);

    await load(
      Array.from({ length: 20 }, (_, sku) => lamp(100 + sku, { brand: 'Oskar' })),
      '--no-wait',
    );
    assert.deepEqual(await brands(), ['Tarnby 60']);
    const { out } = await work();
    assert.match(out, /^suggestions: /m);
    assert.deepEqual(await brands(), ['Oskar 20', 'Tarnby 60']);
    assert.strictEqual(await waiting(), 0);
    assert.strictEqual((await work()).out, '', 'nothing is due');
  });

  it('follows what a load wrote before its feed broke off', async () => {
    const cut = file('cut.json', `[${JSON.stringify(lamp(70, twin))},{"sku":`);
    await ends(run(ingest, [cut], { env }), 1);
    assert.deepEqual(await flagsOf('shop_1/l1'), ['no_image']);
    await work();
    assert.deepEqual(await flagsOf('shop_1/l1'), ['duplicate', 'no_image']);
  });

  it('runs a full pass a day after the last one', async () => {
    const context = queueContext(engine, io());
    assert.isFalse(await isFullPassDue(context));
    assert.isTrue(await isFullPassDue({ ...context, now: () => new Date(Date.now() + DAY_MS) }));
  });

  it('continues a full pass that was stopped with the first step that is not done', async () => {
    const done: string[] = [];
    const steps = (stop?: AbortController): PassSteps => ({
      brands: () => Promise.resolve(void done.push('brands')),
      quality: () => Promise.resolve(void (done.push('quality'), stop?.abort())),
      suggestions: () => Promise.resolve(void done.push('suggestions')),
    });
    const given = { resume: true, report: () => undefined };
    const stop = new AbortController();
    await runFullPass(queueContext(engine, io(stop.signal)), steps(stop), given);
    assert.deepEqual(done, ['brands', 'quality']);
    assert.isTrue(await isFullPassDue(queueContext(engine, io())));
    await runFullPass(queueContext(engine, io()), steps(), given);
    assert.deepEqual(done, ['brands', 'quality', 'quality', 'suggestions']);
    assert.isFalse(await isFullPassDue(queueContext(engine, io())));
  });

  it('never runs two full passes at once', async () => {
    const context = queueContext(engine, io());
    const given = { resume: false, report: () => undefined };
    let refused: unknown = null;
    const quality = async () => {
      refused = await runFullPass(context, { quality: () => assert.fail('a second one') }, given).catch(
        (error: unknown) => error,
      );
      const { code, err } = await run(suggest, [], { env });
      assert.strictEqual(code, 1);
      assert.include(err, 'full pass is at work');
    };
    await runFullPass(
      context,
      { brands: () => Promise.resolve(), quality, suggestions: () => Promise.resolve() },
      given,
    );
    assert.instanceOf(refused, LeaseHeldError);
  });

  it('repeats at the end of a full pass what was done while it was running', async () => {
    const context = queueContext(engine, io());
    const suggestions = async () => {
      const { code, out } = await run(ingest, [file('one.ndjson', ndjson([lamp(70, { brand: 'Oskar' })]))], {
        env,
      });
      assert.strictEqual(code, 0);
      assert.match(out, /^follow-up: /m);
      assert.deepEqual(await brands(), ['Oskar 1', 'Tarnby 60']);
      // The full pass had read the listings before, and now replaces what it built from them.
      await es.deleteByQuery({
        index: storedIndex(prefix, 'suggestions'),
        query: { term: { type: 'brand' } },
        refresh: true,
      });
    };
    await runFullPass(
      context,
      { brands: () => Promise.resolve(), quality: () => Promise.resolve(), suggestions },
      { resume: false, report: () => undefined },
    );
    assert.deepEqual(await brands(), ['Oskar 1']);
    assert.strictEqual(await waiting(), 0);
  });

  it('leaves a load to the process that is at work', async () => {
    await load([lamp(70, twin)], '--no-wait');
    const lease = await Lease.acquire(es, prefix, FOLLOW_UP, () => undefined);
    try {
      const refused = await drainQueue(queueContext(engine, io()), 0).catch((error: unknown) => error);
      assert.instanceOf(refused, LeaseHeldError);
      assert.match((await work()).err, /^Another follow-up is at work/m);
    } finally {
      await lease.release();
    }
    assert.strictEqual(await waiting(), 1);
  });

  it('watches until it is stopped', async () => {
    await load([lamp(70, twin)], '--no-wait');
    const { child, ended } = startCommand('scripts/follow-up.ts', ['--watch'], env);
    await until(async () => (await flagsOf('shop_1/l1')).includes('duplicate'));
    child.kill('SIGTERM');
    assert.strictEqual((await ended).signal, 'SIGTERM');
  });

  it('is shown by GET /v1/sources and in metrics', async () => {
    const api = await startApi({ METRICS_PORT: '0' });
    const own = { ...env, INDEX_PREFIX: api.prefix };
    const feed = (...records: unknown[]) => file('own.ndjson', ndjson(records));
    try {
      await ends(run(ingest, [feed(...Array.from({ length: 12 }, (_, sku) => lamp(sku)))], { env: own }), 0);
      await ends(run(ingest, [feed(lamp(70, twin)), '--no-wait'], { env: own }), 0);
      const { sources } = await api.ok('/v1/sources?include=follow_up');
      const of = (code: string) => sources.find((source: { code: string }) => source.code === code).follow_up;
      assert.isNotNull(of('shop_1').waiting_since);
      assert.isNotNull(of('shop_1').done_at, 'by the full pass of the first load');
      assert.isNull(of('shop_2').waiting_since);
      assert.notProperty((await api.ok('/v1/sources')).sources[0], 'follow_up');
      const text = await (await fetch(`${api.metricsUrl}/metrics`)).text();
      assert.match(text, /^catalog_follow_up_age_seconds (?:0\.\d+|[1-9])/m);
      assert.match(text, /^catalog_full_pass_timestamp_seconds 1\.?\d+/m);
      await ends(run(followUp, [], { env: own }), 0);
      for (const source of (await api.ok('/v1/sources?include=follow_up')).sources)
        assert.isNull(source.follow_up.waiting_since);
    } finally {
      await api.stop();
    }
  });
});
