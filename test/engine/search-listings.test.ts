// Chaos only (oracles, sampled): it writes fifty thousand listings.
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, errors } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { createElasticsearch } from '../../src/engine/client.js';
import { toApiError } from '../../src/http/errors.js';
import { getListings } from '../../src/engine/documents.js';
import { currentCatalogue, type Selection, type Slice } from '../../src/engine/queries/selection.js';
import { searchListings } from '../../src/engine/search-listings.js';
import { BY_UPDATE } from '../../src/engine/queries/sorts.js';
import { openSnapshot } from '../../src/engine/snapshot.js';
import { useApi } from '../support/api.js';
import { startGate } from '../support/gate.js';
import { startProxy } from '../support/proxy.js';
import { elasticsearchUrl } from '../support/services.js';
import { listening } from '../support/server.js';
import { until } from '../support/until.js';

const idOf = (listing: Buffer): number => (JSON.parse(listing.toString()) as { id: number }).id;

/** Reads a page of listings, and checks that the answer is not parsed. */
async function searchPage(es: Client, index: string, selection: Selection, slice: Slice) {
  const { total, hits } = await searchListings(es, currentCatalogue(index), selection, { slice });
  assert.isTrue(hits.every(({ bytes }) => bytes !== undefined));
  return { total, listings: hits.flatMap(({ bytes }) => bytes ?? []) };
}

/** The number of listings is slightly larger than the result window, so that the last page needs a hop. */
const LISTINGS = 50_250;

describe('pages beyond the result window of Elasticsearch', function () {
  const api = useApi();
  before(async () => {
    const ids = Array.from({ length: LISTINGS }, (_, i) => i + 1);
    for (let start = 0; start < LISTINGS; start += 10_000) {
      const operations = ids.slice(start, start + 10_000).flatMap((id) => [
        { create: { _id: String(id) } },
        // Many listings have the same time, so that their order also depends on the id.
        { id, updated_at: new Date(id % 7).toISOString(), source: id % 2 === 0 ? 'even' : 'odd' },
      ]);
      await api.es.bulk({ index: api.products, operations });
    }
    await api.es.indices.refresh({ index: api.products });
  });

  const newestFirst = Array.from({ length: LISTINGS }, (_, i) => i + 1).sort(
    (a, b) => (b % 7) - (a % 7) || a - b,
  );

  for (const offset of [0, 49_900, 49_901, 49_950, 50_000, 50_200, LISTINGS - 1, LISTINGS, 1_000_000]) {
    it(`returns the page at the offset ${offset}`, async () => {
      const { total, listings } = await pageAt({ limit: 100, offset });
      assert.equal(total, LISTINGS);
      assert.deepEqual(listings.map(idOf), newestFirst.slice(offset, offset + 100));
    });
  }

  const deep = { limit: 100, offset: LISTINGS - 50 };
  const selection = { query: { match_all: {} }, sort: BY_UPDATE };
  /** Reads a page, again if a busy Elasticsearch has exceeded the deadline of a deep one. */
  const pageAt = (slice: Slice) =>
    until(() =>
      searchPage(api.es, api.products, selection, slice).catch((error: unknown) => {
        if (error instanceof errors.RequestAbortedError) return null;
        throw error;
      }),
    );
  /** Creates a client whose requests have no short deadlines of their own. */
  const client = (url: string) =>
    createElasticsearch(
      { nodes: [url], auth: null, caFile: null },
      { requestTimeout: 60_000, maxRetries: 1 },
    );

  /** Parsing the answers of the hops as a whole would block the event loop. */
  it('parses only the last sort key of each hop', async () => {
    const { parse } = JSON;
    const lengths: number[] = [];
    JSON.parse = (text: string, ...others: []) => {
      lengths.push(text.length);
      return parse(text, ...others) as unknown;
    };
    try {
      const { listings } = await pageAt(deep);
      assert.lengthOf(listings, 50);
    } finally {
      JSON.parse = parse;
    }
    assert.isNotEmpty(lengths);
    // The 200 sort keys of the second hop have about 7,000 characters.
    assert.isBelow(Math.max(...lengths), 200);
  });

  /** Without a deadline for all requests, this page would take four and a half seconds. */
  it('has one deadline for all requests of a page', async () => {
    const gate = await startGate(elasticsearchUrl);
    // Each request alone is shorter than the deadline of the page.
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

  /** A second request, to read the error, would add to the load. */
  it('sends one request to an Elasticsearch with full queues, and passes on its error', async () => {
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

  /** A second request after this error would add to the load. */
  it('sends one request to an Elasticsearch that rejects a document because of full queues', async () => {
    let asked = 0;
    // The answer of Elasticsearch with status 200 when its read queue, of a thousand requests, is full.
    const error = { type: 'es_rejected_execution_exception', reason: 'rejected execution' };
    const server = createServer((_request, response) => {
      asked += 1;
      response.writeHead(200, { 'Content-Type': 'application/json', 'X-elastic-product': 'Elasticsearch' });
      response.end(JSON.stringify({ docs: [{ error }] }));
    });
    const es = client(await listening(server));
    const outcome: unknown = await getListings(es, api.products, [1]).catch((refusal: unknown) => refusal);
    assert.equal(toApiError(outcome).status, 503);
    assert.equal(asked, 1);
    await es.close();
    server.closeAllConnections();
    server.close();
  });

  it('reads a snapshot from any offset, in its state when it was opened', async () => {
    const slice = { limit: 2_500, offset: LISTINGS - 1_234 };
    const snapshot = await openSnapshot(api.es, api.products, { match_all: {} }, slice);
    await api.es.delete({ index: api.products, id: String(LISTINGS - 5), refresh: true });
    const ids: number[] = [];
    for await (const page of snapshot.pages) ids.push(...page.map(idOf));
    await snapshot.close();
    assert.equal(snapshot.total, LISTINGS);
    const expected = Array.from({ length: 1_234 }, (_, i) => LISTINGS - 1_234 + i + 1);
    assert.deepEqual(ids, expected);
  });
});
