// Runs first: it takes longer than most if it is drawn.
// Chaos only (kills, sampled, 3 min): it reindexes from beginning to end, and kills the command at every point.
import { Readable } from 'node:stream';
import type { estypes } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { main } from '../../scripts/reindex.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias, productsIndex } from '../../src/engine/indices.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { type Gate, startGate } from '../support/gate.js';
import { type Ended, type Outcome, run, startCommand, ends } from '../support/command.js';
import { found } from '../support/doctor.js';
import {
  assertNothingLost,
  fill,
  killPoints,
  reindexKilledAt,
  removeIndices,
  startWriter,
  type Writer,
} from '../support/reindexing.js';
import { mappingsOf } from '../support/earlier-schema.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';
import { isChaos, keepSome, sampled } from '../support/chaos.js';
import { connectEngine } from '../support/engine.js';

/**
 * The number of listings. In `npm run test:chaos`, it exceeds one batch of a load or of a copy. It is no multiple of ten, so that
 * writers write to many listings.
 */
const LISTINGS = isChaos ? 1_501 : 199;

describe('npm run reindex', function () {
  const prefix = `${indexPrefix}-reindex`;
  const alias = productsAlias(prefix);
  const [v1, v2] = [`${alias}-v1`, `${alias}-v2`];
  const es = connectEngine({ requestTimeout: 60_000, maxRetries: 2 });
  let gate: Gate;
  let writers: Writer[] = [];

  before(async () => {
    gate = await startGate(elasticsearchUrl);
  });
  beforeEach(async () => {
    gate.watch(() => undefined);
    await removeIndices(es, prefix);
  });
  afterEach(async () => {
    // The writers of a failed test are stopped, because they would write into the catalogue of the next test.
    await Promise.allSettled(writers.map((writer) => writer.stop()));
    writers = [];
  });
  after(async () => {
    await removeIndices(es, prefix);
    await gate.close();
    await es.close();
  });

  const catalogue = async () => {
    await ensureCatalogue(es, prefix);
    await fill(es, prefix, LISTINGS);
  };
  const through = () => ({ ELASTICSEARCH_URL: gate.url, INDEX_PREFIX: prefix });
  const start = (...args: string[]) => startCommand('scripts/reindex.ts', args, through());
  const reindex = (...args: string[]): Promise<Outcome> => run(main, args, { env: through() });
  /** What `npm run doctor` shows about the indices. */
  const statusNow = async () => (await found('index', through())).text;
  const live = async () => Object.keys(await es.indices.getAlias({ name: alias }));
  const isBlocked = async (index: string) => {
    const { [index]: found } = await es.indices.getSettings({ index });
    return String(found?.settings?.index?.blocks?.write) === 'true';
  };
  const fails = async (ended: Promise<Outcome>, message: RegExp, expected = 1) => {
    const { code, err, out } = await ended;
    assert.strictEqual(code, expected, out);
    assert.match(err, message);
    assert.notMatch(err, / at .*\.ts:/);
  };

  it('moves the alias to a full index with the current mappings, and keeps the old one without writes', async () => {
    const { properties, ...mappings } = productsIndex.mappings;
    const { merchant_id: _later, ...earlier } = properties ?? {};
    await es.indices.create({
      index: v1,
      settings: productsIndex.settings,
      aliases: { [alias]: {} },
      mappings: { ...mappings, dynamic: false, properties: earlier },
    });
    await fill(es, prefix, LISTINGS);
    const { code, out, err } = await reindex();
    assert.strictEqual(code, 0, err);
    assert.deepEqual(await live(), [v2]);
    assert.strictEqual((await es.count({ index: alias })).count, LISTINGS);
    const { [v2]: made } = await es.indices.get({ index: v2 });
    assert.deepEqual(made?.mappings?.properties?.['merchant_id'], properties?.['merchant_id']);
    assert.strictEqual(made?.settings?.index?.refresh_interval, '1s');
    assert.deepEqual([await isBlocked(v1), await isBlocked(v2)], [true, false]);
    assert.include(out, `copied ${LISTINGS.toLocaleString('en')} listings to ${v2}`);
    assert.match(out, /verified: counts, \d+ listings field by field, \d+ golden queries/);

    const status = await statusNow();
    assert.match(status, new RegExp(`${v2} .*live`));
    assert.match(status, new RegExp(`${v1} .*--rollback goes back to it; takes no writes`));
    const cleaned = await reindex('--clean');
    assert.match(cleaned.out, new RegExp(`${v1}: deleted`));
    assert.isFalse(await es.indices.exists({ index: v1 }));
    await fails(reindex('--rollback'), /no index to go back to/);
    assert.deepEqual(await live(), [v2]);
  });

  it('is due for an earlier build of the current schema, which takes loads as before', async () => {
    const { _meta, ...mappings } = mappingsOf(CURRENT_SCHEMA - 1);
    await es.indices.create({
      index: v1,
      settings: productsIndex.settings,
      aliases: { [alias]: {} },
      mappings: { ...mappings, _meta: { ...productsIndex.mappings._meta, schema_build: 0 } },
    });
    const lines = [`${JSON.stringify({ sku: 'K1', source: 'shop', name: 'Kettle', price: '1.00' })}\n`];
    const load = () => loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
    assert.strictEqual((await load()).created, 1);
    assert.deepInclude(await found('index', through()), { state: 'WARN', next: 'npm run reindex' });
    const { code, err } = await reindex();
    assert.strictEqual(code, 0, err);
    assert.strictEqual((await found('index', through())).state, 'OK');
    const { hits } = await es.search<StoredListing>({ index: v2, _source: ['internal.owner'] });
    assert.deepEqual(hits.hits[0]?._source?.internal, { owner: 'source:shop' } as object);
    assert.strictEqual((await load()).unchanged, 1);
  });

  it('computes fields anew that an earlier version has computed, also without a new schema', async () => {
    await ensureCatalogue(es, prefix);
    const lines = [1, 2].map((i) => `{"sku":"E${i}","source":"shop","name":"Kettle ${i}","price":"1.00"}\n`);
    await loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
    await es.indices.refresh({ index: v1 });
    const { hits } = await es.search<StoredListing>({ index: v1, sort: [{ sku: 'asc' }] });
    const [first, second] = hits.hits.map(({ _source }) => _source as StoredListing);
    assert.isDefined(first);
    assert.isDefined(second);
    const isEarlier = { kinds: ['vessel'], derivation: 1 };
    for (const [listing, internal] of [
      [first, isEarlier],
      [second, { kinds: ['vessel'] }],
    ] as const) {
      const document = { ...listing, internal: { ...listing.internal, ...internal } };
      await es.index({ index: v1, id: String(listing.id), document, version: 9, version_type: 'external' });
    }
    await ends(reindex(), 0);
    const kindsOf = async ({ id }: StoredListing) => {
      const { _source, _version } = await es.get<StoredListing>({ index: v2, id: String(id) });
      return { kinds: _source?.internal.kinds, version: _version };
    };
    assert.deepEqual(await kindsOf(first), { kinds: first.internal.kinds, version: 9 });
    assert.deepEqual(
      await kindsOf(second),
      { kinds: ['vessel'], version: 9 },
      'it is of the current version',
    );
  });

  it('goes back to an earlier build of the current schema, whose listings have its fields', async () => {
    await catalogue();
    await es.indices.putMapping({ index: v1, _meta: { ...productsIndex.mappings._meta, schema_build: 0 } });
    await ends(reindex(), 0);
    await ends(reindex('--rollback'), 0, { out: /verified: counts, \d+ listings field by field/ });
    assert.deepEqual(await live(), [v1]);
  });

  it('computes the fields of a new schema, and removes them again on a rollback', async () => {
    await es.indices.create({
      index: v1,
      settings: productsIndex.settings,
      aliases: { [alias]: {} },
      mappings: mappingsOf(2),
    });
    const ingest = async (records: object[]) => {
      const lines = records.map((record) => `${JSON.stringify(record)}\n`);
      const summary = await loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
      assert.strictEqual(summary.rejected, 0, JSON.stringify(summary));
      return summary;
    };
    const listings = Array.from({ length: LISTINGS }, (_, i) => ({
      sku: `U${i}`,
      source: 'shop',
      name: `Kettle ${i}`,
      price: '1.00',
      ...(i % 3 === 0 ? {} : { buy_url: `https://www.shop.example/p/${i}?utm_source=x` }),
    }));
    await ingest(listings);
    assert.strictEqual((await ingest(listings)).unchanged, LISTINGS, 'the old index takes loads as before');
    const urlOf = async (index: string, sku: string) => {
      await es.indices.refresh({ index });
      const { hits } = await es.search<StoredListing>({ index, query: { term: { sku } } });
      return hits.hits[0]?._source?.internal.url;
    };
    assert.isUndefined(await urlOf(v1, 'U1'));
    const done = await reindex();
    assert.strictEqual(done.code, 0, done.err);
    assert.strictEqual(await urlOf(v2, 'U1'), 'shop.example/p/1');
    assert.isNull(await urlOf(v2, 'U3'));
    assert.strictEqual((await ingest(listings)).unchanged, LISTINGS);
    await ingest([{ ...listings[1], buy_url: 'https://shop.example/new', price: '2.00' }]);
    assert.strictEqual(await urlOf(v2, 'U1'), 'shop.example/new');
    const back = await reindex('--rollback');
    assert.strictEqual(back.code, 0, back.err);
    assert.deepEqual(await live(), [v1]);
    assert.isUndefined(await urlOf(v1, 'U1'));
    assert.strictEqual(
      (await ingest([{ ...listings[1], buy_url: 'https://shop.example/new', price: '2.00' }])).unchanged,
      1,
    );
  });

  it('rolls back to fields that an earlier version computed otherwise, but not to a listing that differs', async () => {
    await es.indices.create({
      index: v1,
      settings: productsIndex.settings,
      aliases: { [alias]: {} },
      mappings: mappingsOf(CURRENT_SCHEMA - 1),
    });
    const lines = [1, 2, 3].map(
      (i) => `{"sku":"E${i}","source":"shop","name":"Kettle ${i}","price":"1.00"}\n`,
    );
    await loadRecords({ es, indexPrefix: prefix, records: readFeed(Readable.from(lines)) });
    const readAll = async () => {
      await es.indices.refresh({ index: v1 });
      const { hits } = await es.search<StoredListing>({ index: v1, version: true });
      return hits.hits as Required<estypes.SearchHit<StoredListing>>[];
    };
    const change = (hit: Required<estypes.SearchHit<StoredListing>>, internal: object) => {
      const { _id: id, _source, _version: version } = hit;
      const document = { ..._source, internal: { ..._source.internal, ...internal } };
      return es.index({ index: v1, id, document, version, version_type: 'external_gte' });
    };
    for (const hit of await readAll()) await change(hit, { kinds: ['vessel'] });
    await ends(reindex(), 0);
    await ends(reindex('--rollback'), 0, { out: /verified: counts, 3 listings field by field/ });
    await ends(reindex(), 0);

    await es.indices.putSettings({ index: v1, settings: { 'index.blocks.write': null } });
    for (const hit of await readAll()) await change(hit, { list_price: '9.00' });
    const message = /listing \d+: internal\.list_price differs\n.*--clean deletes/;
    await fails(reindex('--rollback'), message, 3);
    const { text, next } = await found('index', through());
    assert.match(text, /A rollback from .*--rollback continues it, --clean gives it up/s);
    assert.strictEqual(next, 'npm run reindex -- --rollback');
    await ends(reindex('--clean'), 0);
    assert.notInclude(await statusNow(), 'has not ended');
  });

  it('loses no write if it is killed at any point and run again during loads', async function () {
    this.timeout(240_000);
    await catalogue();
    writers = [0, 1].map((lane) => startWriter(es, prefix, LISTINGS, lane));
    // The kill point in the middle of the copy is left out, because so few listings are copied before their
    // number can be observed.
    const points = killPoints(prefix).filter(({ name }) => name !== 'in the middle of the copy');
    for (const point of sampled(points, 2)) await reindexKilledAt(gate, prefix, point);
    const last = await reindex();
    assert.strictEqual(last.code, 0, last.err);
    await Promise.all(writers.map((writer) => writer.stop()));
    assert.deepEqual(await live(), [v2]);
    assert.deepEqual([await isBlocked(v1), await isBlocked(v2)], [true, false]);
    const ledgers = writers.map(({ ledger }) => ledger);
    const writes = await assertNothingLost(es, prefix, LISTINGS, ledgers);
    assert.isAbove(writes, isChaos ? 500 : 0);
    assert.isFalse(await es.indices.exists({ index: `${alias}-v3` }));
  });

  it('loses no write of a load during the move, the rollback and another move', async () => {
    await catalogue();
    const writer = startWriter(es, prefix, LISTINGS, 0);
    writers.push(writer);
    const there = await reindex();
    assert.strictEqual(there.code, 0, there.err);
    const { loads } = writer;
    while (writer.loads < loads + 3) await new Promise((resolve) => setTimeout(resolve, 20));
    const back = await reindex('--rollback');
    assert.strictEqual(back.code, 0, back.err);
    assert.deepEqual(await live(), [v1]);
    assert.deepEqual([await isBlocked(v1), await isBlocked(v2)], [false, true]);
    const forward = await reindex('--rollback');
    assert.strictEqual(forward.code, 0, forward.err);
    assert.deepEqual(await live(), [v2]);
    await writer.stop();
    await assertNothingLost(es, prefix, LISTINGS, [writer.ledger]);
  });

  it('lets loads continue with the old index if the new one is wrong, and starts over', async () => {
    await catalogue();
    let spoiled = false;
    gate.watch(async ({ line, answer }) => {
      if (spoiled || line !== `PUT /${v1}/_block/write` || answer === undefined) return;
      spoiled = true;
      const script = { source: "ctx._source.brand = 'other'" };
      await es.updateByQuery({ index: v2, script, refresh: true });
    });
    await fails(reindex(), /listing \d+: version 1 became 2/, 3);
    assert.isTrue(spoiled);
    assert.deepEqual(await live(), [v1]);
    assert.isFalse(await isBlocked(v1));
    await ends(reindex(), 0, { out: /undoing an earlier reindex/ });
    await assertNothingLost(es, prefix, LISTINGS, []);
  });

  it('moves the alias despite different answers only with --accept-differences', async () => {
    const { mappings, settings } = productsIndex;
    const properties = { ...mappings.properties, category: { type: 'keyword', ignore_above: 3 } as const };
    await es.indices.create({
      index: v1,
      settings,
      aliases: { [alias]: {} },
      mappings: { ...mappings, properties },
    });
    await fill(es, prefix, LISTINGS);
    await fails(reindex(), /golden query: categories[^]*--accept-differences/, 3);
    assert.deepEqual(await live(), [v1]);
    assert.isFalse(await isBlocked(v1));
    const { code, out } = await reindex('--accept-differences');
    assert.strictEqual(code, 0);
    assert.match(out, /going on with .*-v2/);
    assert.match(out, /accepted:\n {2}golden query: categories/);
    assert.deepEqual(await live(), [v2]);
  });

  it('reports which listings the new index rejects, and keeps the alias', async () => {
    await catalogue();
    // The field was written by an older version of the service, before the mappings became strict.
    await es.indices.putMapping({ index: v1, dynamic: false });
    await es.update({ index: v1, id: await anId(), doc: { colour: 'red' }, refresh: true });
    await fails(
      reindex(),
      /-v2 does not take some of the listings.*\n +\d+: strict_dynamic_mapping_exception/,
    );
    assert.deepEqual(await live(), [v1]);
    assert.isFalse(await isBlocked(v1));
  });

  const anId = async () => (await es.search({ index: v1, size: 1 })).hits.hits[0]?._id ?? '';

  it('removes the write block if it is interrupted, and the next run continues', async () => {
    await catalogue();
    const { child, ended } = start();
    gate.watch(({ line, answer }) => {
      if (line === `PUT /${v1}/_block/write` && answer !== undefined) child.kill('SIGINT');
    });
    const { signal, out } = await ended;
    assert.strictEqual(signal, 'SIGINT');
    assert.match(out, /Interrupted; the alias is where it was/);
    assert.isFalse(await isBlocked(v1));
    assert.deepEqual(await live(), [v1]);
    gate.watch(() => undefined);
    await ends(reindex(), 0, { out: /going on with/ });
    assert.deepEqual(await live(), [v2]);
  });

  it('runs only once at a time', async () => {
    await catalogue();
    const others: Ended[] = [];
    gate.watch(async ({ line, answer }) => {
      if (line === `PUT /${v1}/_block/write` && answer !== undefined) {
        const env = { ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: prefix };
        others.push(await startCommand('scripts/reindex.ts', [], env).ended);
      }
    });
    assert.strictEqual((await reindex()).code, 0);
    assert.lengthOf(others, 1);
    assert.strictEqual(others[0]?.code, 1);
    assert.match(others[0]?.err ?? '', /Another reindex is at work \(process \d+/);
  });

  it('continues if only the alias was left to move', async () => {
    await catalogue();
    const [beforeSwap] = killPoints(prefix).filter(({ name }) => name === 'before the swap');
    assert.exists(beforeSwap);
    await reindexKilledAt(gate, prefix, beforeSwap);
    assert.isTrue(await isBlocked(v1));
    assert.match(await statusNow(), /A reindex from .*-v1 to .*-v2 has not ended \(swapping/);
    await ends(reindex('--rollback'), 0, { out: /finishing that first/ });
    assert.deepEqual(await live(), [v1]);
  });

  it('reports the progress of a copy', async () => {
    await catalogue();
    const { child, ended } = start();
    gate.watch(({ line, answer }) => {
      // The command is killed while it waits for the copy, which Elasticsearch continues.
      if (!line.startsWith('GET /_tasks/') || answer === undefined) return;
      child.kill('SIGKILL');
      throw new Error('killed');
    });
    await ended;
    gate.watch(() => undefined);
    await until(async () =>
      /has not ended[^]*Elasticsearch copies nothing to .*-v2 now/.test(await statusNow()),
    );

    const { task } = await es.reindex({
      wait_for_completion: false,
      requests_per_second: 10,
      conflicts: 'proceed',
      source: { index: v1, size: 100 },
      dest: { index: v2, version_type: 'external' },
    });
    try {
      const index = `${prefix}-reindex`;
      const doc = { move: { running: { task, covers: 1 } } };
      await es.update({ index, id: 'reindex', doc });
      // The copy is slowed down, so that Elasticsearch pauses after each hundred listings.
      const progress = new RegExp(
        `is copying to .*-v2: (\\d00) of ${LISTINGS.toLocaleString('en')} listings, (\\d+) %, \\d+/s, .* left\\.$`,
        'm',
      );
      const [, count, percent] = (await until(async () => progress.exec(await statusNow()))) ?? [];
      assert.strictEqual(Number(percent), Math.floor((100 * Number(count)) / LISTINGS));
    } finally {
      await es.tasks.cancel({ task_id: String(task), wait_for_completion: true });
    }
  });

  it('touches no index that does not belong to the service', async () => {
    await fails(reindex(), /There is no catalogue .*npm run ingest/);
    await es.indices.create({ index: v1, aliases: { [alias]: {} } });
    for (const args of [[], ['--rollback'], ['--clean']]) {
      await fails(reindex(...args), /points to .*-v1, which is not an index of this service/);
    }
    await es.indices.updateAliases({ actions: [{ remove: { index: v1, alias } }] });
    await es.indices.create({ index: `${alias}-v7`, ...productsIndex, aliases: { [alias]: {} } });
    const { out } = await reindex('--clean');
    assert.match(out, /-v1 is not an index of this service; left alone/);
    assert.isTrue(await es.indices.exists({ index: v1 }));
    assert.strictEqual((await reindex()).code, 0);
    assert.deepEqual(await live(), [`${alias}-v8`]);
    await es.indices.addBlock({ index: `${alias}-v8`, block: 'write' });
    await fails(reindex(), /-v8 is blocked for writes, and not by a reindex/);
    assert.isTrue(await isBlocked(`${alias}-v8`));
  });

  it('reports that Elasticsearch became unavailable, and continues in the next run', async () => {
    await catalogue();
    gate.watch(({ line }) => {
      if (line === `PUT /${v1}/_block/write`) throw new Error('cut off');
    });
    await fails(reindex(), /Elasticsearch: .*\nRun this again/);
    gate.watch(() => undefined);
    await ends(reindex(), 0, { out: /going on with/ });
    assert.deepEqual(await live(), [v2]);
  });

  it('rejects an invalid command line', async () => {
    await fails(reindex('--rolback'), /--rolback/, 2);
    await fails(reindex('--rollback', '--clean'), /Choose one of --rollback and --clean/, 2);
    await fails(reindex('--clean', '--accept-differences'), /no meaning with --clean/, 2);
    await ends(reindex('--help'), 0, { out: /Exit code: 0 done/ });
  });

  keepSome(this, 6);
});
