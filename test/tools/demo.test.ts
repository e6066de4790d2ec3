import { assert } from 'chai';
import { linkInBackground } from '../../tools/demo.js';
import { generateCatalogue, SAMPLE_DEFAULTS } from '../../tools/sample-catalogue/catalogue.js';
import { type Api, startApi } from '../support/api.js';
import { elasticsearchUrl } from '../support/services.js';

describe('the sample of the demo', function () {
  let api: Api;
  before(async () => {
    api = await startApi();
    const sample = { ...SAMPLE_DEFAULTS, listings: 60, now: new Date(), imageBaseUrl: 'http://demo.example' };
    await api.load([...generateCatalogue(sample)]);
  });
  after(() => api.stop());

  const link = (signal: AbortSignal) =>
    linkInBackground(
      { ...process.env, ELASTICSEARCH_URL: elasticsearchUrl, INDEX_PREFIX: api.prefix },
      signal,
    );

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
});
