import { Readable } from 'node:stream';
import { assert } from 'chai';
import { markAbsent } from '../../../src/usecases/ingest/completion.js';
import { readFeed } from '../../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias, productsIndex } from '../../../src/engine/indices.js';
import { loadRecords } from '../../../src/usecases/ingest/load-records.js';
import { SeenListings } from '../../../src/usecases/ingest/listing-table.js';
import { removeIndices } from '../../support/reindexing.js';
import { indexPrefix as testPrefix } from '../../support/services.js';
import { connectEngine } from '../../support/engine.js';

describe('SeenListings', () => {
  it('contains the added listings, whatever their number', () => {
    const known = new SeenListings();
    assert.isTrue(known.empty);
    const added = Array.from({ length: 10_000 }, (_, i) => known.add('shop', `S${i % 5_000}`));
    assert.strictEqual(added.filter((isNew) => isNew).length, 5_000);
    assert.isTrue(Array.from({ length: 5_000 }, (_, i) => known.has('shop', `S${i}`)).every(Boolean));
    assert.isFalse(known.has('shop', 'S5000') || known.has('other', 'S1'));
  });
});

describe('marking absent listings', function () {
  const indexPrefix = `${testPrefix}-complete`;
  const alias = productsAlias(indexPrefix);
  const es = connectEngine({ requestTimeout: 30_000, maxRetries: 0 });
  const seen = new SeenListings();

  beforeEach(async () => {
    await removeIndices(es, indexPrefix);
    await ensureCatalogue(es, indexPrefix);
    const skus = Array.from({ length: 1_200 }, (_, i) => `S${i}`);
    const lines = skus.map((sku) => `${JSON.stringify({ sku, source: 'shop', name: 'Kettle' })}\n`);
    await loadRecords({ es, indexPrefix, records: readFeed(Readable.from(lines)) });
    for (const sku of skus.slice(0, 100)) seen.add('shop', sku);
    await es.indices.addBlock({ index: `${alias}-v1`, block: 'write' });
  });
  after(async () => {
    await removeIndices(es, indexPrefix);
    await es.close();
  });

  const mark = (giveUpAfterMs: number, onWait: (note: string) => void) =>
    markAbsent({
      es,
      indexPrefix,
      source: 'shop',
      seen,
      giveUpAfterMs,
      onWait,
      asOf: new Date().toISOString(),
      now: () => new Date(),
    });

  it('waits for the end of a reindex and marks listings in the new index', async () => {
    const swap = async () => {
      const next = `${alias}-v2`;
      await es.indices.create({ index: next, ...productsIndex });
      const dest = { index: next, version_type: 'external' } as const;
      await es.reindex({ source: { index: alias }, dest, refresh: true });
      await es.indices.updateAliases({
        actions: [{ remove: { index: `${alias}-v1`, alias } }, { add: { index: next, alias } }],
      });
    };
    let swapping: Promise<void> | null = null;
    const marked = await mark(60_000, () => void (swapping ??= swap()));
    assert.strictEqual(marked, 1_100);
    const count = async (index: string) =>
      (await es.count({ index, query: { term: { is_available: false } } })).count;
    assert.deepEqual([await count(`${alias}-v1`), await count(`${alias}-v2`)], [0, 1_100]);
  });

  it('gives up if the index remains blocked', async () => {
    try {
      await mark(700, () => undefined);
      assert.fail('it did not give up');
    } catch (error) {
      assert.match((error as Error).message, /accepted nothing for \d+ s .*is blocked for writes/);
    }
  });
});
