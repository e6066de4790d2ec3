import { createReadStream } from 'node:fs';
import path from 'node:path';
import { assert } from 'chai';
import { readFeed } from '../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { loadRecords, type Reject } from '../../src/usecases/ingest/load-records.js';
import { addSummaries, emptySummary } from '../../src/usecases/ingest/summary.js';
import { indexPrefix as testPrefix } from '../support/services.js';
import { connectEngine } from '../support/engine.js';

const DATA = path.join(import.meta.dirname, '../../../shared/data');
const FILES = ['icecat', 'abt_buy', 'amazon_google', 'bestbuy_phones'];
const LISTINGS: Record<string, number> = {
  icecat: 19_406,
  bestbuy: 3_291,
  google: 3_226,
  amazon: 1_363,
  buy: 1_092,
  abt: 1_081,
};

const indexPrefix = `${testPrefix}-data`;
const alias = productsAlias(indexPrefix);
const es = connectEngine({ requestTimeout: 60_000, maxRetries: 4 });

async function loadAll() {
  const rejects: Reject[] = [];
  let total = emptySummary();
  for (const name of FILES) {
    const records = readFeed(createReadStream(path.join(DATA, `${name}.ndjson.gz`)));
    const onReject = (reject: Reject) => void rejects.push(reject);
    total = addSummaries(total, await loadRecords({ es, indexPrefix, records, onReject }));
  }
  assert.deepEqual(rejects, []);
  return total;
}

describe('the public listings', function () {
  this.timeout(300_000);

  before(() => ensureCatalogue(es, indexPrefix));
  after(async () => {
    await es.indices.delete({ index: `${alias}-v1` });
    await es.close();
  });

  it('all load, and the second time nothing is written', async () => {
    assert.include(await loadAll(), { read: 29_459, created: 29_459 });
    const sources = await es.search<
      unknown,
      Record<'sources', { buckets: { key: string; doc_count: number }[] }>
    >({ index: alias, size: 0, track_total_hits: true, aggs: { sources: { terms: { field: 'source' } } } });
    const counts = sources.aggregations?.sources.buckets.map(({ key, doc_count }) => [key, doc_count]) ?? [];
    assert.deepEqual(Object.fromEntries(counts), LISTINGS);
    const writes = async () => {
      const { _all } = await es.indices.stats({ index: alias, metric: 'indexing' });
      return _all.primaries?.indexing?.index_total;
    };
    const before = await writes();
    assert.include(await loadAll(), { read: 29_459, unchanged: 29_459 });
    assert.strictEqual(await writes(), before);
  });
});
