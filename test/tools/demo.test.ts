import { assert } from 'chai';
import { clearDemo, demoKey, linkSample } from '../../tools/demo.js';
import { generateCatalogue, SAMPLE_DEFAULTS } from '../../tools/sample-catalogue/catalogue.js';
import { type Api, startApi } from '../support/api.js';
import { offer } from '../support/listings.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';

describe('the sample of the demo', function () {
  let api: Api;
  before(async () => {
    api = await startApi();
    const sample = { ...SAMPLE_DEFAULTS, listings: 60, now: new Date(), imageBaseUrl: 'http://demo.example' };
    await api.load([...generateCatalogue(sample)]);
  });
  after(() => api.stop());

  const link = (signal: AbortSignal) =>
    linkSample({ ...process.env, ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: api.prefix }, signal);

  it('is linked, so that group=product and offers agree', async () => {
    assert.isFalse(await link(AbortSignal.abort()), 'a demo that was stopped');
    assert.isTrue(await link(new AbortController().signal));
    const { items } = (await api.get('/v1/search?group=product&limit=100')).body;
    assert.isAbove(Math.max(...items.map(({ group }: any) => group.offers)), 2);
    for (const { id, group } of items) {
      const { total, basis, linked_at } = (await api.get(`/v1/products/${id}/offers`)).body;
      assert.deepInclude(group, { offers: total, linked_at });
      assert.strictEqual(basis, 'linked');
    }
  });

  it('keeps its key as long as the key can be used', async () => {
    const key = await demoKey(redisUrl, api.prefix);
    assert.equal(await demoKey(redisUrl, api.prefix, key), key);
    const other = key.slice(0, -1) + (key.endsWith('x') ? 'y' : 'x');
    assert.notEqual(await demoKey(redisUrl, api.prefix, other), other);
  });

  it('is deleted with its keys by --fresh, but other listings are not, unless the engine is that of the demo', async () => {
    const own = { redisUrl, indexPrefix: api.prefix };
    const other = await startApi();
    try {
      await other.load([offer('a', 'Own listing', '1.00')]);
      const message = await clearDemo(other.es, { redisUrl, indexPrefix: other.prefix }, false).then(
        () => 'deleted',
        (error: Error) => error.message,
      );
      assert.include(message, 'are not the sample');
      const key = await demoKey(redisUrl, api.prefix);
      await clearDemo(api.es, own, true);
      assert.notEqual(await demoKey(redisUrl, api.prefix, key), key);
      assert.isFalse(
        await api.es.indices.exists({ index: `${api.prefix}-products*`, allow_no_indices: false }),
      );
      assert.equal((await other.get('/v1/search')).body.total, 1);
    } finally {
      await other.stop();
    }
  });
});
