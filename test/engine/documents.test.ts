import { assert } from 'chai';
import { toApiError } from '../../src/http/errors.js';
import { createElasticsearch } from '../../src/engine/client.js';
import type { Product } from '../../src/schemas/product.js';
import { listingReader, type ReadListing } from '../../src/engine/documents.js';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { elasticsearchUrl } from '../support/services.js';

describe('batched reads of listings by id', () => {
  const skus = ['a', 'b', 'c'];
  let proxy: Proxy;
  let api: Api;
  let ids: number[];
  let through: ReturnType<typeof createElasticsearch>;
  let read: ReadListing;
  before(async () => {
    proxy = await startProxy(elasticsearchUrl);
    api = await startApi();
    await api.load(skus.map((sku) => record({ sku })));
    ids = await Promise.all(skus.map((sku) => api.id(sku)));
    through = createElasticsearch(
      { nodes: [proxy.url], auth: null, caFile: null },
      { requestTimeout: 60_000, maxRetries: 0 },
    );
    read = listingReader(through, api.products);
  });
  beforeEach(() => proxy.requests.splice(0));
  after(async () => {
    await through.close();
    await api.stop();
    await proxy.close();
  });

  const skuOf = (listing: Buffer | null) =>
    listing === null ? null : (JSON.parse(listing.toString()) as Product).sku;

  it('combine simultaneous reads into one request and return each listing to its reader', async () => {
    const [a = 0, b = 0, c = 0] = ids;
    const listings = await Promise.all([c, 12, a, a, b].map((id) => read(id)));
    assert.deepEqual(listings.map(skuOf), ['c', null, 'a', 'a', 'b']);
    assert.lengthOf(proxy.requests, 1);
  });

  it('return a listing that was just written', async () => {
    const id = ids[0] ?? 0;
    const { brand: before } = JSON.parse(String(await read(id))) as Product;
    await api.es.update({ index: api.products, id: String(id), doc: { brand: 'New' } });
    const { brand: after } = JSON.parse(String(await read(id))) as Product;
    assert.notEqual(before, 'New');
    assert.equal(after, 'New');
    assert.lengthOf(proxy.requests, 2);
  });

  it('answer 503 to every reader if Elasticsearch cannot read', async () => {
    const nowhere = listingReader(through, `${api.products}-nowhere`);
    for (const outcome of await Promise.allSettled(ids.map((id) => nowhere(id)))) {
      assert.equal(outcome.status, 'rejected');
      assert.equal(toApiError((outcome as PromiseRejectedResult).reason).status, 503);
    }
  });
});
