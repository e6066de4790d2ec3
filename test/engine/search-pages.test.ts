import { assert } from 'chai';
import { createElasticsearch } from '../../src/engine/client.js';
import { compositeBuckets } from '../../src/engine/search-pages.js';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { elasticsearchUrl } from '../support/services.js';

describe('the buckets of a composite aggregation', () => {
  const categories = ['Aster', 'Birch', 'Cedar', 'Cedar', 'Dogwood', 'Elder'];
  const api = useApi(categories.map((category, i) => record({ sku: `${i}`, category, price: `${10 + i}` })));
  let proxy: Proxy;
  let es: ReturnType<typeof createElasticsearch>;
  before(async () => {
    proxy = await startProxy(elasticsearchUrl);
    const limits = { requestTimeout: 60_000, maxRetries: 0 };
    es = createElasticsearch({ nodes: [proxy.url], auth: null, caFile: null }, limits);
  });
  after(async () => {
    await es.close();
    await proxy.close();
  });

  it('are those of all pages, with their own aggregations, until a page is not full', async () => {
    const sources = [{ category: { terms: { field: 'category' } } }];
    const aggs = { lowest: { min: { field: 'internal.price_units' } } };
    const pages = { composite: { size: 2, sources }, aggs };
    const request = { index: api.products, size: 0, aggs: { pages } };
    const found = [];
    interface Bucket {
      key: { category: string };
      doc_count: number;
      lowest: { value: number };
    }
    for await (const { key, doc_count, lowest } of compositeBuckets<Bucket>(es, request, 'pages'))
      found.push([key.category, doc_count, lowest.value]);
    assert.deepEqual(found, [
      ['Aster', 1, 100_000],
      ['Birch', 1, 110_000],
      ['Cedar', 2, 120_000],
      ['Dogwood', 1, 140_000],
      ['Elder', 1, 150_000],
    ]);
    assert.lengthOf(proxy.requests, 3);
  });
});
