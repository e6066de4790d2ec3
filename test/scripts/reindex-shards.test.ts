import { Readable } from 'node:stream';
import { assert } from 'chai';
import { main as reindex } from '../../scripts/reindex.js';
import { generationName } from '../../src/engine/indices.js';
import { readFeed } from '../../src/feeds/read/feed.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { generateCatalogue } from '../../tools/sample-catalogue/catalogue.js';
import { useApi } from '../support/api.js';
import { run } from '../support/command.js';

const LISTINGS = 600;

const PATHS = [
  '/v1/search?sort=price_asc&limit=100&facets=brand,category,source,currency,availability,rating,price,attributes',
  '/v1/search?sort=price_desc&limit=100&offset=200',
  '/v1/search?sort=newest&limit=100',
  '/v1/search?sort=price_asc&group=product&limit=100',
  '/v1/deals?limit=100',
  '/v1/categories?include=prices',
  '/v1/products/export?limit=10000',
];

/**
 * Whether two pages differ in nothing but neighbours that have changed places. Their scores are equal but for the last bit, because
 * each shard adds up the same numbers in an order of its own.
 */
function haveNeighboursSwapped(before = '', after = ''): boolean {
  const [{ items: one, ...rest }, { items: other, ...otherRest }] = [before, after].map(
    (text) => JSON.parse(text) as { items: { id: number }[] },
  ) as [{ items: { id: number }[] }, { items: { id: number }[] }];
  assert.deepEqual(otherRest, rest);
  const ids = other.map(({ id }) => id);
  return (
    one.length === ids.length && one.every(({ id }, at) => [at - 1, at, at + 1].includes(ids.indexOf(id)))
  );
}

describe('npm run reindex with INDEX_SHARDS and INDEX_REPLICAS', () => {
  const api = useApi();

  const answers = async (paths: readonly string[]): Promise<Record<string, string>> => {
    const found: Record<string, string> = {};
    for (const path of paths) {
      const { status, text } = await api.get(path);
      assert.equal(status, 200, `${path}: ${text}`);
      found[path] = text;
    }
    return found;
  };
  const layoutOf = async (generation: number) => {
    const index = generationName(api.products, generation);
    const { [index]: found } = await api.es.indices.getSettings({ index });
    const { number_of_shards, number_of_replicas, auto_expand_replicas } = found?.settings?.index ?? {};
    return [number_of_shards, number_of_replicas, auto_expand_replicas];
  };

  it('answers as before, also by relevance, and golden queries do not refuse it', async () => {
    const now = new Date();
    const images = 'http://localhost/images';
    const sample = [...generateCatalogue({ seed: 8, listings: LISTINGS, now, imageBaseUrl: images })];
    const records = readFeed(Readable.from(sample.map((one) => `${JSON.stringify(one)}\n`)));
    await loadRecords({ es: api.es, indexPrefix: api.prefix, records });
    const names = sample.filter((_, at) => at % 30 === 0).map(({ name }) => String(name));
    const texts = [...names, ...names.map((name) => name.split(' ').slice(0, 2).join(' '))];
    const searches = texts.flatMap((text) => {
      const q = encodeURIComponent(text);
      return [`/v1/search?q=${q}&limit=50`, `/v1/search?q=${q}&limit=20&offset=20&match=any`];
    });
    const before = await answers([...PATHS, ...searches]);

    const env = { INDEX_PREFIX: api.prefix, INDEX_SHARDS: '3', INDEX_REPLICAS: '0' };
    const { code, out, err } = await run(reindex, [], { env });
    assert.equal(code, 0, err);
    assert.include(out, 'shards: 3');
    assert.deepEqual(await layoutOf(2), ['3', '0', 'false']);
    const shards = await api.es.cat.shards({ index: api.products, format: 'json' });
    for (const { docs } of shards) assert.isAbove(Number(docs), LISTINGS / 10);

    const after = await answers([...PATHS, ...searches]);
    for (const path of PATHS) assert.equal(after[path], before[path], path);
    const different = searches.filter((path) => before[path] !== after[path]);
    assert.isAtMost(different.length, searches.length / 20, `of ${searches.length}: ${different.join(' ')}`);
    for (const path of different) assert.isTrue(haveNeighboursSwapped(before[path], after[path]), path);

    const back = await run(reindex, ['--rollback'], { env: { INDEX_PREFIX: api.prefix } });
    assert.equal(back.code, 0, back.err);
    assert.deepEqual(await layoutOf(1), ['1', '0', '0-1']);
  });
});
