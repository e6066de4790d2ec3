import { assert } from 'chai';
import { searchPage } from '../../src/elasticsearch/pages.js';
import { BY_UPDATE } from '../../src/queries/listings.js';
import { openSnapshot } from '../../src/elasticsearch/snapshot.js';
import { startApi, type Api } from '../support/api.js';

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
      const selection = {
        query: { match_all: {} },
        sort: BY_UPDATE,
      };
      const { total, listings } = await searchPage(api.es, api.products, selection, { limit: 100, offset });
      assert.equal(total, LISTINGS);
      assert.deepEqual(listings.map(idOf), newestFirst.slice(offset, offset + 100));
    });
  }

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
