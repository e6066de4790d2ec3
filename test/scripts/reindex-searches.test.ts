// Runs first: it takes longest.
// Chaos only (oracles, sampled): it reindexes four times, with hundreds of searches each time.
import { Readable } from 'node:stream';
import type { estypes } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { main } from '../../scripts/reindex.js';
import { meanOverlap, overlapOf } from '../../src/usecases/reindex/golden-searches.js';
import type { SearchHit } from '../../src/engine/index-samples.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { generateCatalogue } from '../../tools/sample-catalogue/catalogue.js';
import { type Gate, startGate } from '../support/gate.js';
import { type Outcome, run, ends } from '../support/command.js';
import { removeIndices } from '../support/reindexing.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';
import { connectEngine } from '../support/engine.js';

const LISTINGS = 500;

describe('searches that a reindex changes', function () {
  const prefix = `${indexPrefix}-searches`;
  const alias = productsAlias(prefix);
  const es = connectEngine({ requestTimeout: 60_000, maxRetries: 2 });
  let gate: Gate;

  before(async () => {
    gate = await startGate(elasticsearchUrl);
    await ensureCatalogue(es, prefix);
    const imageBaseUrl = 'http://localhost/sample/images';
    const records = [
      ...generateCatalogue({ seed: 7, listings: LISTINGS, now: new Date('2026-11-01'), imageBaseUrl }),
    ];
    const lines = Readable.from(records.map((record) => `${JSON.stringify(record)}\n`));
    await loadRecords({ es, indexPrefix: prefix, records: readFeed(lines) });
  });
  after(async () => {
    await removeIndices(es, prefix);
    await gate.close();
    await es.close();
  });

  const reindex = (...args: string[]): Promise<Outcome> => reindexThrough(elasticsearchUrl, args);
  const reindexThrough = (url: string, args: string[] = []): Promise<Outcome> =>
    run(main, args, { env: { ELASTICSEARCH_URL: url, INDEX_PREFIX: prefix } });
  const live = async () => Object.keys(await es.indices.getAlias({ name: alias }));
  const [v2, v3] = [`${alias}-v2`, `${alias}-v3`];
  /** Changes the analyzers of an index as a careless change of mappings/products.json would. */
  const breakAnalyzers = async (index: string) => {
    const analyzer = { type: 'custom', tokenizer: 'whitespace', filter: ['lowercase', 'asciifolding'] };
    const analysis = {
      analyzer: { product_name: analyzer, product_text: analyzer, product_words: analyzer },
    };
    await es.indices.close({ index });
    await es.indices.putSettings({ index, settings: { analysis } as estypes.IndicesIndexSettings });
    await es.indices.open({ index });
  };

  it('pass if nothing changed', async () => {
    const { code, out, err } = await reindex();
    assert.equal(code, 0, err);
    assert.notMatch(out, /golden searches have other/);
    assert.deepEqual(await live(), [v2]);
  });

  it('are displayed and stop it if a broken analyzer changes many', async () => {
    gate.watch(async ({ line, answer }) => {
      if (line === `PUT /${v3}` && answer !== undefined) await breakAnalyzers(v3);
    });
    const { code, err, out } = await reindexThrough(gate.url);
    assert.equal(code, 3, out);
    assert.match(
      out,
      /\d+ of \d+ golden searches have other listings among the first ten; \d\d\.\d % are the same:/,
    );
    assert.match(out, /^ +same +found +search +first before +first after$/m);
    assert.match(out, /^ +\d+ % +\d+ > \d+ {2}\S.* {2}\S/m);
    assert.match(err, /fewer than 95 % of the listings/);
    assert.match(err, /The alias stays where it is/);
    assert.deepEqual(await live(), [v2]);
    const { [v2]: found } = await es.indices.getSettings({ index: v2 });
    assert.notEqual(String(found?.settings?.index?.blocks?.write), 'true', 'loads go on');
  });

  it('are accepted by an option of the reindex alone', async () => {
    await ends(reindex('--accept-differences', '--clean'), 2, { err: /no meaning with --clean/ });
    await ends(reindex('--accept-differences'), 0);
    assert.deepEqual(await live(), [v3]);
  });

  it('are compared by the overlap of the longer first page', () => {
    const hits = (...ids: number[]): SearchHit[] =>
      ids.map((id) => ({ id, source: 's', sku: String(id), name: 'n' }));
    assert.equal(overlapOf([], []), 1);
    assert.equal(overlapOf(hits(1), []), 0);
    assert.equal(overlapOf(hits(1, 2, 3, 4), hits(4, 3)), 0.5);
    assert.equal(overlapOf(hits(1), hits(1, 2, 3, 4)), 0.25);
    const changed = { query: 'q', before: [], after: [], overlap: 0.5 };
    assert.equal(meanOverlap([changed, changed], 10), 0.9);
    assert.equal(meanOverlap([], 0), 1);
  });
});
