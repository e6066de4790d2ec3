import { assert } from 'chai';
import {
  ensureCatalogue,
  generationName,
  generationOf,
  productsAlias,
  productsIndex,
  SERVICE,
} from '../../src/catalogue/indices.js';
import { createElasticsearch } from '../../src/elasticsearch/client.js';
import { readConfig } from '../../src/config.js';
import { TODAYS_SCHEMA } from '../../src/listing/derived.js';
import { removeIndices } from '../support/reindexing.js';
import { elasticsearchUrl, indexPrefix as testPrefix } from '../support/services.js';

describe('the product index and its alias', () => {
  it('knows its generations by their names, and nobody else’s', () => {
    assert.strictEqual(generationOf('shop-products', generationName('shop-products', 12)), 12);
    for (const other of ['shop-products', 'shop-products-v', 'shop-products-v0', 'shop-products-v1-old'])
      assert.isNull(generationOf('shop-products', other), other);
    assert.isNull(generationOf('shop-products', 'my-shop-products-v1'));
  });

  it('says in its mappings whose it is, and of which schema', () => {
    assert.strictEqual(productsIndex.mappings._meta?.['service'], SERVICE);
    assert.strictEqual(productsIndex.mappings._meta?.['schema_version'], TODAYS_SCHEMA);
  });

  it('is created once when many start together', async () => {
    const prefix = `${testPrefix}-indices`;
    const es = createElasticsearch(readConfig({ ELASTICSEARCH_URL: elasticsearchUrl }).elasticsearch, {
      requestTimeout: 30_000,
      maxRetries: 2,
    });
    try {
      const created = await Promise.all(Array.from({ length: 5 }, () => ensureCatalogue(es, prefix)));
      assert.sameMembers(created, [true, false, false, false, false]);
      const alias = productsAlias(prefix);
      assert.deepEqual(Object.keys(await es.indices.getAlias({ name: alias })), [`${alias}-v1`]);
    } finally {
      await removeIndices(es, prefix);
      await es.close();
    }
  });
});
