// Runs first: it takes longest.
// Chaos only (oracles, sampled): it reindexes nine times, with hundreds of searches each time.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { estypes } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { main } from '../../scripts/reindex.js';
import { meanOverlap, overlapOf } from '../../src/usecases/reindex/golden-queries.js';
import type { SearchHit } from '../../src/engine/index-samples.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { ensureCatalogue, productsAlias } from '../../src/engine/indices.js';
import type { StoredListing } from '../../src/listing/listing.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { generateCatalogue } from '../../tools/sample-catalogue/catalogue.js';
import { type Gate, startGate } from '../support/gate.js';
import { type Outcome, run, ends } from '../support/command.js';
import { removeIndices } from '../support/reindexing.js';
import { elasticsearchUrl, indexPrefix } from '../support/services.js';
import { connectEngine } from '../support/engine.js';

const LISTINGS = 500;
/** The number of searches that are judged. Each is sent twice by each reindex. */
const JUDGED = 30;

describe('searches that a reindex changes', function () {
  const prefix = `${indexPrefix}-searches`;
  const alias = productsAlias(prefix);
  const folder = mkdtempSync(path.join(tmpdir(), 'judgements-'));
  const judgements = path.join(folder, 'judgements.csv');
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
    writeFileSync(judgements, `query,source,sku,rating\n${(await judged()).join('\n')}\n`);
  });
  after(async () => {
    rmSync(folder, { recursive: true });
    await removeIndices(es, prefix);
    await gate.close();
    await es.close();
  });

  /** Returns judgements in which listings of a category are relevant to its name in the singular. */
  const judged = async (): Promise<string[]> => {
    const { hits } = await es.search<StoredListing>({ index: alias, size: LISTINGS, sort: [{ id: 'asc' }] });
    const queryOf = (category: string | null | undefined) => category?.toLowerCase().replace(/s$/, '');
    const queries = [...new Set(hits.hits.flatMap(({ _source }) => queryOf(_source?.category) ?? []))];
    assert.isAbove(queries.length, JUDGED);
    const judged = new Set(queries.slice(0, JUDGED));
    return hits.hits.flatMap(({ _source: listing }) => {
      const { category, source, sku } = listing ?? {};
      const query = queryOf(category) ?? '';
      return judged.has(query) ? [`${query},${source},${sku},3`] : [];
    });
  };
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

  it('are not checked without judgements, and pass if nothing changed', async () => {
    const { code, out, err } = await reindex('--judgements', judgements, '--max-loss', '0');
    assert.equal(code, 0, err);
    const [, count, before, after] =
      /NDCG@10 of the (\d+) searches in .* was (0\.\d+) and is (0\.\d+)/.exec(out) ?? [];
    assert.equal(Number(count), JUDGED);
    assert.isAbove(Number(before), 0.9);
    assert.equal(after, before);
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

  it('stop it if judged relevance decreases too much, whatever else is accepted', async () => {
    await ends(reindex('--judgements', judgements, '--accept-differences'), 3, {
      err: /was 0\.9\d+ and is 0\.[0-8]\d+: a loss of more than --max-loss 0\.02/,
    });
    assert.deepEqual(await live(), [v2]);
    const more = ['--judgements', judgements, '--max-loss', '1'];
    assert.equal((await reindex(...more)).code, 3, 'the golden searches still have their say');
    const accepted = await reindex(...more, '--accept-differences');
    assert.equal(accepted.code, 0, accepted.err);
    assert.deepEqual(await live(), [v3]);
  });

  it('need judgements of this catalogue', async () => {
    const strange = path.join(folder, 'strange.csv');
    const refused: [string[], RegExp, code?: number][] = [
      [['--judgements', path.join(folder, 'none.csv')], /cannot read .*none\.csv/, 1],
      [
        ['--judgements', strange],
        /No search of .*strange\.csv finds a rated listing\. The file may belong to another catalogue/,
        1,
      ],
      [['--max-loss', '0.1'], /--max-loss needs --judgements/],
      [['--judgements', strange, '--max-loss', '2'], /--max-loss must be a number from 0 to 1, not "2"/],
      [['--judgements', strange, '--clean'], /--judgements has no meaning with --clean/],
    ];
    writeFileSync(strange, 'query,source,sku,rating\nkettle,elsewhere,K1,3\n');
    for (const [args, message, expected = 2] of refused) {
      const { code, err } = await reindex(...args);
      assert.equal(code, expected, args.join(' '));
      assert.match(err, message);
      assert.notMatch(err, / at .*\.ts:/);
    }
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

  it('must reach the floor if one is given', async () => {
    const floor = (least: unknown) => {
      const file = path.join(folder, 'floor.json');
      writeFileSync(file, JSON.stringify({ 'judgements.csv': least }));
      return reindex('--floor', file, '--accept-differences');
    };
    const before = await live();
    await ends(floor(0.99), 3, {
      err: /NDCG@10 of the \d+ searches in .*judgements\.csv is 0\.\d+: below the floor of 0\.99/,
    });
    assert.match((await floor('much')).err, /floor\.json must have the form \{"judgements\.csv": 0\.8\}/);
    assert.deepEqual(await live(), before);
    await ends(floor(0.1), 0, { out: /is 0\.\d+, at or above the floor of 0\.1/ });
  });
});
