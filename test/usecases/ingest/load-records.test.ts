// Runs first: it takes longer than most if it is drawn.
// Chaos only (oracles, sampled): it loads thousands of records.
import type { Client } from '@elastic/elasticsearch';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { assert } from 'chai';
import { readFeed } from '../../../src/feeds/read/feed.js';
import { GuardError } from '../../../src/usecases/ingest/guards.js';
import { ensureCatalogue, productsAlias, productsIndex } from '../../../src/engine/indices.js';
import type { StoredListing } from '../../../src/listing/listing.js';
import {
  LoadError,
  loadRecords,
  type LoadOptions,
  type Reject,
} from '../../../src/usecases/ingest/load-records.js';
import type { FeedRecord } from '../../../src/listing/listing.js';
import { createElasticsearch } from '../../../src/engine/client.js';
import { readConfig } from '../../../src/platform/config/config.js';
import { EXPORT_FORMATS } from '../../../src/usecases/export/formats.js';
import { isChaos, keepSome } from '../../support/chaos.js';
import { elasticsearchUrl, indexPrefix as testPrefix } from '../../support/services.js';
import { pluck } from '../../support/listings.js';
import { listening } from '../../support/server.js';

/** The number of records of three listings each that one load reads in several batches. */
const MANY = isChaos ? 4_500 : 500;
/** The number of listings that five loads write at the same time. */
const CONCURRENT = isChaos ? 2_500 : 300;
/** The number of observations of 60 listings that are loaded in two orders, in several batches. */
const OBSERVATIONS = isChaos ? 3_000 : 1_200;

const indexPrefix = `${testPrefix}-load`;
const alias = productsAlias(indexPrefix);
const connect = (url: string) =>
  createElasticsearch(readConfig({ ELASTICSEARCH_URL: url }).elasticsearch, {
    requestTimeout: 30_000,
    maxRetries: 0,
  });
const es = connect(elasticsearchUrl);

const feed = (records: object[]) =>
  readFeed(Readable.from(records.map((record) => `${JSON.stringify(record)}\n`)));

const load = (records: object[], options: Partial<LoadOptions> = {}) =>
  loadRecords({ es, indexPrefix, records: feed(records), ...options });

function records(count: number, fields: (i: number) => Partial<FeedRecord> = () => ({})): FeedRecord[] {
  return Array.from({ length: count }, (_, i) => ({
    sku: `S${i}`,
    source: 'shop',
    name: `Kettle ${i}`,
    ...fields(i),
  }));
}

async function stored(): Promise<StoredListing[]> {
  await es.indices.refresh({ index: alias });
  const { hits } = await es.search<StoredListing>({ index: alias, size: 10_000, sort: [{ id: 'asc' }] });
  return hits.hits.flatMap(({ _source }) => _source ?? []);
}

/** Returns the error with which a load gives up. */
const failureOf = (loading: Promise<unknown>): Promise<LoadError> =>
  loading.then(
    () => assert.fail('the load did not fail'),
    (error: unknown) => {
      assert.instanceOf(error, LoadError);
      return error as LoadError;
    },
  );

async function removeCatalogue(): Promise<void> {
  await es.indices.delete({ index: `${alias}-v1,${alias}-v2`, ignore_unavailable: true });
}

/**
 * Starts a proxy in front of Elasticsearch. `refuse` returns the status with which a request is rejected;
 * other requests wait for the promise that `hold` returns.
 */
async function startDoor(
  refuse: (path: string) => number | null,
  hold: (path: string) => Promise<void> | undefined = () => undefined,
): Promise<{ through: Client; close(): Promise<void> }> {
  const pass = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    await hold(incoming.url ?? '');
    const status = refuse(incoming.url ?? '');
    if (status !== null) {
      incoming.resume();
      outgoing.writeHead(status, {
        'content-type': 'application/json',
        'x-elastic-product': 'Elasticsearch',
      });
      outgoing.end(JSON.stringify({ error: { type: 'es_rejected_execution_exception' }, status }));
      return;
    }
    const { method, headers } = incoming;
    const onward = request(
      new URL(incoming.url ?? '/', elasticsearchUrl),
      { method: method ?? 'GET', headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  };
  const server = createServer((incoming, outgoing) => void pass(incoming, outgoing));
  const through = connect(await listening(server));
  return {
    through,
    async close() {
      await through.close();
      server.close();
    },
  };
}

describe('loading a feed', function () {
  beforeEach(async () => {
    await removeCatalogue();
    await ensureCatalogue(es, indexPrefix);
  });
  after(async () => {
    await removeCatalogue();
    await es.close();
  });

  it('stores listings in the public order of fields, under their id', async () => {
    await load(records(1, () => ({ price: '0.10', metadata: { z: 1, a: 2 } })));
    const { hits } = await es.search<StoredListing>({ index: alias });
    const [hit] = hits.hits;
    assert.strictEqual(hit?._id, String(hit?._source?.id));
    assert.match(
      JSON.stringify(hit?._source),
      /^{"id":\d+,"sku":"S0","source":"shop",.*"metadata":{"z":1,"a":2},"updated_at":"[^"]+","internal":/,
    );
    assert.strictEqual(hit?._source?.internal.price_units, 1_000);
  });

  it('keeps the order of the feed for one listing, in a batch and across batches', async () => {
    const now = records(MANY, (i) => ({ sku: 'now', price: `${i + 1}.00` }));
    const dated = now.map((record) => ({ ...record, sku: 'dated', last_checked: '2026-01-01T00:00:00Z' }));
    const others = records(MANY);
    const summary = await load(others.flatMap((other, i) => [other, now[i] ?? other, dated[i] ?? other]));
    assert.include(summary, { read: 3 * MANY, created: MANY + 2 });
    const prices = (await stored())
      .filter(({ price }) => price !== null)
      .map(({ sku, price }) => [sku, price]);
    assert.sameDeepMembers(prices, [
      ['now', `${MANY}.00`],
      ['dated', `${MANY}.00`],
    ]);
  });

  it('creates the same listings whatever the order of the observations', async () => {
    const observations = Array.from({ length: OBSERVATIONS }, (_, i) => ({
      sku: `S${i % 60}`,
      source: 'shop',
      name: `Kettle ${i % 7}`,
      price: `${1 + Math.floor(i / 60)}.00`,
      last_checked: new Date(Date.UTC(2026, 0, 1, i % 50, Math.floor(i / 60))).toISOString(),
    }));
    // The record of changes is that of the writes, which depends on the order.
    const timeless = (all: StoredListing[]) =>
      all.map(({ internal, ...listing }) => ({
        ...listing,
        updated_at: '',
        internal: { ...internal, changes: null },
      }));
    const now = () => new Date('2026-03-01T00:00:00Z');
    await load(observations, { now });
    const expected = timeless(await stored());
    assert.lengthOf(expected, 60);
    assert.lengthOf(expected[0]?.internal.price_history ?? [], OBSERVATIONS / 60);
    await removeCatalogue();
    await ensureCatalogue(es, indexPrefix);
    const shuffled = observations.map((_, i) => observations[(i * 1_009) % OBSERVATIONS] ?? {});
    await load(shuffled, { now });
    assert.deepEqual(timeless(await stored()), expected);
    const again = await load(observations, { now });
    assert.strictEqual(again.unchanged, OBSERVATIONS);
  });

  it('loses no record if loads run concurrently', async () => {
    const dated = (day: number) =>
      records(CONCURRENT, () => ({ price: `${day}.00`, last_checked: `2026-01-0${day}T00:00:00Z` }));
    const summaries = await Promise.all([1, 4, 2, 5, 3].map((day) => load(dated(day))));
    const total = (of: 'created' | 'rejected') => summaries.reduce((sum, one) => sum + one[of], 0);
    assert.deepEqual([total('created'), total('rejected')], [CONCURRENT, 0]);
    const all = await stored();
    assert.lengthOf(all, CONCURRENT);
    for (const { price, last_checked, internal } of all) {
      assert.strictEqual(price, '5.00');
      assert.strictEqual(last_checked, '2026-01-05T00:00:00Z');
      assert.deepEqual(pluck(internal.price_history, 'price'), ['1.00', '2.00', '3.00', '4.00', '5.00']);
    }
  });

  it('gives each listing its own id if ids collide, and finds it again', async () => {
    const many = records(300, (i) => ({ price: `${i + 1}.00` }));
    const ids = 400n;
    const both = await Promise.all([load(many.slice(0, 200), { ids }), load(many.slice(100), { ids })]);
    assert.strictEqual(both[0].created + both[1].created, 300);
    const all = await stored();
    assert.lengthOf(all, 300);
    assert.isTrue(all.every(({ id }) => id >= 1 && id <= 400));
    assert.deepEqual(new Set(all.map(({ sku }) => sku)), new Set(many.map(({ sku }) => sku)));
    const again = await load(many, { ids });
    assert.strictEqual(again.unchanged, 300);
    const moved = await load(
      [...many].reverse().map((record) => ({ ...record, price: '1000.00' })),
      { ids },
    );
    assert.strictEqual(moved.price_moved, 300);
    assert.deepEqual(pluck(await stored(), 'id', 'sku'), pluck(all, 'id', 'sku'));
  });

  it('changes nothing if an export is loaded again', async () => {
    await load([
      ...records(20, (i) => ({
        price: '19.999',
        currency: 'SGD',
        list_price: '30.00',
        gtin: ['4006381333931'],
        rating: '4.5',
        brand: `-B${i}`,
        description: `=1+${i},"quoted"\r\nline\ttab`,
        category_path: ['Home', 'Kitchen'],
        is_available: i % 2 === 0,
        metadata: { text: 'x,"y"', list: [1, null] },
        buy_url: 'https://shop.example/?a=1,2',
        ...(i % 3 === 0 ? { affiliate_url: 'https://partner.example/track/5' } : {}),
        ...(i % 4 === 0 ? { last_checked: '2026-01-01T00:00:00.500Z' } : {}),
      })),
      { sku: "'=A", source: '@shop', name: "'plain", metadata: 'text', buy_url: 'https://shop.example/a' },
      { sku: '\tB', source: 'shop', name: "''-", metadata: -5, description: '"' },
    ]);
    const before = await stored();
    const links = { publicUrl: 'https://catalogue.example/api', affiliateTemplates: {} };
    const listings = before.map(({ internal: _internal, ...listing }) =>
      Buffer.from(JSON.stringify(listing)),
    );
    const affiliateTemplates = { shop: 'https://go.example/?to={buy_url}' };
    for (const format of [EXPORT_FORMATS.csv, EXPORT_FORMATS.json, EXPORT_FORMATS.ndjson]) {
      const made = { ...links, affiliateTemplates };
      const exported = format.open + String(format.rows(listings, made, true)) + format.close;
      for (const link of ['https://go.example/?to=https', '/api/track/']) assert.include(exported, link);
      const summary = await loadRecords({
        es,
        indexPrefix,
        affiliateTemplates,
        records: readFeed(Readable.from([Buffer.from(exported)])),
      });
      assert.include(summary, { read: 22, unchanged: 22 }, format.contentType);
    }
    assert.deepEqual(await stored(), before);
  });

  for (const [what, request] of [
    ['a write', '_bulk'],
    ['the refresh at its end', '_refresh'],
  ] as const)
    it(`waits while Elasticsearch rejects ${what}, then continues`, async () => {
      const statuses = [429, 503, 502];
      const door = await startDoor((path) => (path.includes(request) ? (statuses.shift() ?? null) : null));
      const notes: string[] = [];
      const summary = await load(records(1_500), { es: door.through, onWait: (note) => notes.push(note) });
      assert.strictEqual(summary.created, 1_500);
      assert.lengthOf(notes, 3);
      assert.match(notes.join(), /status 429.*status 503.*status 502/s);
      await door.close();
    });

  it('sends smaller batches after Elasticsearch rejected one', async () => {
    let bulks = 0;
    const door = await startDoor((path) => (path.includes('_bulk') && ++bulks <= 2 ? 429 : null));
    const summary = await load(records(4_000), { es: door.through });
    assert.strictEqual(summary.created, 4_000);
    // Two batches were rejected, after which batches are smaller. If each batch had 1,000 records, there
    // would be six requests: four batches, two of which were sent twice.
    assert.isAbove(bulks, 7);
    await door.close();
  });

  it('waits while the index is blocked, then continues', async () => {
    await es.indices.putSettings({ index: alias, settings: { 'index.blocks.write': true } });
    const notes: string[] = [];
    const unblock = async (note: string) => {
      notes.push(note);
      await es.indices.putSettings({ index: alias, settings: { 'index.blocks.write': false } });
    };
    const summary = await load(records(10), { onWait: (note) => void unblock(note) });
    assert.strictEqual(summary.created, 10);
    assert.match(notes[0] ?? '', /cluster_block_exception/);
  });

  it('gives up if the index remains blocked', async () => {
    await es.indices.putSettings({ index: alias, settings: { 'index.blocks.write': true } });
    const { message } = await failureOf(load(records(10), { giveUpAfterMs: 700 }));
    assert.match(message, /accepted nothing for \d+ s .*is blocked for writes/);
  });

  it('reads listings again if the alias has moved to another index', async () => {
    await load(records(20, (i) => ({ price: `${i + 100}.00`, last_checked: '2026-01-01T00:00:00Z' })));
    const next = `${alias}-v2`;
    await es.indices.create({ index: next, ...productsIndex });
    const swap = async () => {
      await es.indices.addBlock({ index: `${alias}-v1`, block: 'write' });
      await es.indices.refresh({ index: alias });
      // The copied index has the same sequence numbers, but each listing differs from the one that was read
      // before.
      const script = { source: "ctx._source.internal.list_price = '900.00'" };
      await es.reindex({ source: { index: alias }, dest: { index: next }, script, refresh: true });
      await es.indices.updateAliases({
        actions: [
          { remove: { index: `${alias}-v1`, alias, must_exist: true } },
          { add: { index: next, alias } },
        ],
      });
    };
    let swapping: Promise<void> | null = null;
    const door = await startDoor(
      () => null,
      (path) => (path.includes('_bulk') ? (swapping ??= swap()) : undefined),
    );
    const later = records(20, () => ({ price: '9.00', last_checked: '2026-02-01T00:00:00Z' }));
    const summary = await load(later, { es: door.through });
    assert.include(summary, { read: 20, price_moved: 20 });
    await es.indices.refresh({ index: next });
    const { hits } = await es.search<StoredListing>({ index: next, size: 20 });
    assert.lengthOf(hits.hits, 20);
    for (const { _source } of hits.hits) {
      assert.strictEqual(_source?.price, '9.00');
      assert.strictEqual(_source?.internal.list_price, '900.00', 'what others wrote meanwhile is kept');
    }
    await door.close();
  });

  it('gives up if Elasticsearch rejects batches for too long, and reports what was loaded', async () => {
    let bulks = 0;
    const door = await startDoor((path) => (path.includes('_bulk') && ++bulks > 1 ? 429 : null));
    const told: [number, number][] = [];
    const onProgress: LoadOptions['onProgress'] = ({ read }, ahead) => void told.push([read, ahead]);
    const rejected = { sku: 'R', source: 'shop', name: '' };
    const error = await failureOf(
      load([...records(4_000), rejected], { es: door.through, giveUpAfterMs: 700, onProgress }),
    );
    assert.match(error.message, /Elasticsearch accepted nothing for \d+ s \(status 429\)/);
    assert.strictEqual(error.summary.created, 1_000);
    assert.lengthOf(await stored(), 1_000);
    assert.strictEqual(told[0]?.[0], 1_000);
    assert.deepEqual(told.at(-1), [1_001, 3_000], 'what was read ahead has not landed');
    await door.close();
  });

  it('rejects records that Elasticsearch refuses, and loads the others', async () => {
    await removeCatalogue();
    const mappings = { properties: { brand: { type: 'long' } } } as const;
    await es.indices.create({ index: `${alias}-v1`, mappings, aliases: { [alias]: {} } });
    const rejects: Reject[] = [];
    const summary = await load(
      records(4, (i) => ({ brand: i % 2 === 0 ? '5' : `B"${i}` })),
      { onReject: (reject) => void rejects.push(reject) },
    );
    assert.include(summary, { read: 4, created: 2, rejected: 2 });
    assert.deepEqual(summary.rejected_by_reason, { 'record: document_parsing_exception': 2 });
    assert.deepEqual(pluck(rejects, 'line'), [2, 4]);
    assert.match(rejects[0]?.reasons[0] ?? '', /failed to parse field \[brand\]/);
  });

  it('reports unknown columns, and rejects records with them if they are not allowed', async () => {
    const odd = [{ sku: 'A', source: 'shop', name: 'K', Price: '5', ['x'.repeat(500)]: 1 }];
    const summary = await load([...odd, ...records(1)]);
    assert.include(summary, { created: 2, rejected: 0 });
    assert.deepEqual(summary.unknown_columns, { Price: 1, ['x'.repeat(100)]: 1 });
    const rejects: Reject[] = [];
    const onReject = (reject: Reject) => void rejects.push(reject);
    await load([...records(1), { ...odd[0], price: '-1' }], { strictColumns: true, onReject });
    const summaries = rejects.map(({ line, reasons }) => [line, reasons.length, reasons[1]]);
    assert.deepEqual(summaries, [[2, 3, 'record: "Price" is not a column of a listing']]);
  });

  it('stops if too many records are rejected', async () => {
    const bad = records(500, (i) => ({ sku: `B${i}`, name: '' }));
    const most = [...records(2_000), ...bad, ...records(2_000, (i) => ({ sku: `L${i}` }))];
    const error = await failureOf(load(most, { maxRejected: 15 }));
    assert.instanceOf(error.cause, GuardError);
    assert.match(error.message, /353 of the 2353 records so far are rejected: 15 %/);
    assert.include(error.summary, { created: 2_000, rejected: 353 });
    assert.lengthOf(await stored(), 2_000);
    const first = await load(bad, { maxRejected: 100 });
    assert.strictEqual(first.rejected, 500);
  });

  it('never creates an index', async () => {
    await removeCatalogue();
    assert.match((await failureOf(load(records(2)))).message, /Elasticsearch rejects listings/);
    assert.isFalse(await es.indices.exists({ index: alias }));
  });

  keepSome(this, 9);
});
