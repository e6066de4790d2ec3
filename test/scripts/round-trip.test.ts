// Chaos only (commands, sampled): it exports a catalogue in every format and loads it again.
import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { main as ingest } from '../../scripts/ingest.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { type Api, startApi } from '../support/api.js';
import { LOAD_ONLY, run } from '../support/command.js';
import { record } from '../support/listings.js';

/** Listings with different names that only their GTIN identifies as one product. */
const BY_GTIN = [
  { sku: 'k1', source: 'shop_a', name: 'Kettle 1.7 L, stainless steel', gtin: '4006381333931' },
  {
    sku: 'k2',
    source: 'shop_b',
    name: 'Wasserkocher Edelstahl 1.7 L',
    gtin: ['4006381333931', '0036000291452'],
  },
  {
    sku: 'k3',
    source: 'shop_c',
    name: 'Kettle steel 1.7 L',
    gtin: '4006381333931',
    list_price: '59.90',
    condition: 'used',
    price_from: true,
  },
];
const ALIKE = ['shop_a', 'shop_b'].flatMap((source) =>
  ['WH-1000XM5', 'WF-C700N', '=SUM(1)'].map((model) => ({
    sku: `${model} ${source}`,
    source,
    brand: 'Sony',
    name: `Sony ${model} Headphones`,
    metadata: { model },
    gtin: null,
  })),
);

describe('an export that is loaded into an empty catalogue and linked', function () {
  const apis: Api[] = [];
  let first: Api;

  const catalogue = async (text: string): Promise<Api> => {
    const api = await startApi();
    apis.push(api);
    const env = { INDEX_PREFIX: api.prefix };
    const args = [...LOAD_ONLY, '--rejects', 'none', '-'];
    const loaded = await run(ingest, args, { env, stdin: text });
    assert.strictEqual(loaded.code, 0, loaded.err);
    const linked = await run(link, [], { env });
    assert.strictEqual(linked.code, 0, linked.err);
    return api;
  };
  const told = async ({ es, products }: Api) => {
    const { hits } = await es.search<StoredListing>({ index: products, size: 100, sort: [{ id: 'asc' }] });
    return hits.hits.flatMap(({ _source: listing }) => {
      if (listing === undefined) return [];
      const { id, price, currency, internal } = listing;
      const { group_id, gtins, list_price, condition, price_from } = internal;
      return [{ id, price, currency, group_id, gtins, list_price, condition, price_from }];
    });
  };

  before(async () => {
    const at = { last_checked: '2026-11-01T00:00:00Z' };
    const records = [...BY_GTIN, ...ALIKE].map((one, nth) =>
      record({ ...at, price: `${20 + nth}.50`, ...one }),
    );
    first = await catalogue(records.map((one) => `${JSON.stringify(one)}\n`).join(''));
  });
  after(() => Promise.all(apis.map((api) => api.stop())));

  for (const format of ['json', 'ndjson', 'csv']) {
    it(`has the same groups, prices and identifiers from ${format} with include=stated`, async () => {
      const plain = await first.get(`/v1/products/export?format=${format}`);
      assert.notInclude(plain.text, '4006381333931', 'a Product has none');
      const { status, text } = await first.get(
        `/v1/products/export?format=${format}&include=stated,condition,price_from`,
      );
      assert.strictEqual(status, 200, text);
      const again = await catalogue(text);
      const before = await told(first);
      assert.isBelow(new Set(before.map(({ group_id: group }) => group)).size, before.length);
      assert.deepEqual(await told(again), before);
    });
  }

  it('is not available in the feed formats of partners', async () => {
    const { status, body } = await first.get('/v1/products/export?format=google&include=stated');
    assert.strictEqual(status, 400);
    assert.match(body.detail, /include needs/);
    assert.strictEqual((await first.get('/v1/products/export?include=gtin')).status, 422);
  });
});
