import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { assert } from 'chai';
import { createElasticsearch } from '../../src/engine/client.js';
import { toApiError } from '../../src/http/to-api-error.js';
import { getListings } from '../../src/engine/documents.js';
import { searchPage } from '../../src/engine/pages.js';
import { BY_UPDATE } from '../../src/engine/queries/listings.js';
import { openSnapshot } from '../../src/engine/snapshot.js';
import { startApi, type Api } from '../support/api.js';
import { startGate } from '../support/gate.js';
import { startProxy } from '../support/proxy.js';
import { elasticsearchUrl } from '../support/services.js';

const idOf = (listing: Buffer): number => (JSON.parse(listing.toString()) as { id: number }).id;

/** A little more than one request of the engine reaches into, so that a page beyond it has to hop. */
const LISTINGS = 50_250;

describe('pages beyond the engine’s window', function () {
  this.timeout(120_000);
  let api: Api;
  before(async () => {
    api = await startApi();
    const ids = Array.from({ length: LISTINGS }, (_, i) => i + 1);
    for (let start = 0; start < LISTINGS; start += 10_000) {
      const operations = ids.slice(start, start + 10_000).flatMap((id) => [
        { create: { _id: String(id) } },
        // Many share a time, so that the order depends on the id.
        { id, updated_at: new Date(id % 7).toISOString(), source: id % 2 === 0 ? 'even' : 'odd' },
      ]);
      await api.es.bulk({ index: api.products, operations });
    }
    await api.es.indices.refresh({ index: api.products });
  });
  after(() => api.stop());

  const newestFirst = Array.from({ length: LISTINGS }, (_, i) => i + 1).sort(
    (a, b) => (b % 7) - (a % 7) || a - b,
  );

  for (const offset of [0, 49_900, 49_901, 49_950, 50_000, 50_200, LISTINGS - 1, LISTINGS, 1_000_000]) {
    it(`gives the page at ${offset}`, async () => {
      const { total, listings } = await searchPage(api.es, api.products, selection, { limit: 100, offset });
      assert.equal(total, LISTINGS);
      assert.deepEqual(listings.map(idOf), newestFirst.slice(offset, offset + 100));
    });
  }

  const deep = { limit: 100, offset: LISTINGS - 50 };
  const selection = { query: { match_all: {} }, sort: BY_UPDATE };
  /** As the API's own: with its deadlines. */
  const client = (url: string) => createElasticsearch({ nodes: [url], auth: null, caFile: null });

  /** Seen to fail: with the hops' answers parsed as a whole. */
  it('reads no more of the sort keys on the way than the last', async () => {
    const { parse } = JSON;
    const lengths: number[] = [];
    JSON.parse = (text: string, ...others: []) => {
      lengths.push(text.length);
      return parse(text, ...others) as unknown;
    };
    try {
      const { listings } = await searchPage(api.es, api.products, selection, deep);
      assert.lengthOf(listings, 50);
    } finally {
      JSON.parse = parse;
    }
    assert.isNotEmpty(lengths);
    // Of 200 keys on the second hop, some 7,000 characters.
    assert.isBelow(Math.max(...lengths), 200);
  });

  /** Seen to fail: without the deadline of the page as a whole, with a page after four and a half seconds. */
  it('has a deadline for a page as a whole', async () => {
    const gate = await startGate(elasticsearchUrl);
    // Each request by itself is in time.
    gate.watch(({ answer }) => (answer === undefined ? undefined : sleep(1_500)));
    const es = client(gate.url);
    const outcome: unknown = await searchPage(es, api.products, selection, deep).catch(
      (error: unknown) => error,
    );
    assert.equal(toApiError(outcome).status, 503, String(outcome));
    assert.propertyVal(outcome, 'name', 'RequestAbortedError');
    await es.close();
    await gate.close();
  });

  /** Seen to fail: with the plain way asked for the error. */
  it('asks an engine with full queues once, and passes on what it says', async () => {
    const proxy = await startProxy(elasticsearchUrl);
    await proxy.set('refusing');
    const es = client(proxy.url);
    const slices = [{ limit: 20, offset: 0 }, deep];
    const reads: (() => Promise<unknown>)[] = [
      ...slices.map((slice) => () => searchPage(es, api.products, selection, slice)),
      () => getListings(es, api.products, [1, 2]),
    ];
    for (const read of reads) {
      proxy.requests.length = 0;
      const error: unknown = await read().catch((refusal: unknown) => refusal);
      assert.deepInclude(error, { name: 'ResponseError', message: 'es_rejected_execution_exception' });
      assert.equal(toApiError(error).status, 503);
      assert.lengthOf(proxy.requests, 1);
    }
    await es.close();
    await proxy.close();
  });

  /** Seen to fail: with every answer that tells of an error asked for again. */
  it('asks an engine once that says of a document what full queues are', async () => {
    let asked = 0;
    // What a real one answers then, inside of a 200; its read queue takes a thousand.
    const error = { type: 'es_rejected_execution_exception', reason: 'rejected execution' };
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-elastic-product': 'Elasticsearch' });
      response.end(JSON.stringify({ docs: [{ error }] }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const es = client(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const outcome: unknown = await getListings(es, api.products, [1]).catch((refusal: unknown) => refusal);
    assert.equal(toApiError(outcome).status, 503);
    assert.equal(asked, 1);
    await es.close();
    server.closeAllConnections();
    server.close();
  });

  it('reads a snapshot from any offset, as it was when it was opened', async () => {
    const slice = { limit: 2_500, offset: LISTINGS - 1_234 };
    const snapshot = await openSnapshot(api.es, api.products, { match_all: {} }, slice);
    await api.es.delete({ index: api.products, id: String(LISTINGS - 5), refresh: true });
    const ids: number[] = [];
    for await (const page of snapshot.pages) ids.push(...page.map(idOf));
    await snapshot.close();
    assert.equal(snapshot.total, LISTINGS);
    assert.deepEqual(
      ids,
      Array.from({ length: 1_234 }, (_, i) => LISTINGS - 1_234 + i + 1),
    );
  });
});
