import { assert } from 'chai';
import {
  ensureCatalogue,
  generationName,
  generationOf,
  productsAlias,
  productsIndex,
  SERVICE,
  untilSearchable,
} from '../../../src/engine/indices.js';
import { schemaVersionOf } from '../../../src/engine/index-versions.js';
import { CURRENT_SCHEMA } from '../../../src/listing/schema-versions.js';
import { removeIndices } from '../../support/reindexing.js';
import { indexPrefix as testPrefix } from '../../support/services.js';
import { connectEngine } from '../../support/engine.js';

describe('the product index and its alias', () => {
  it('recognizes its own indices by their names, and no index of another service', () => {
    assert.strictEqual(generationOf('shop-products', generationName('shop-products', 12)), 12);
    for (const other of ['shop-products', 'shop-products-v', 'shop-products-v0', 'shop-products-v1-old'])
      assert.isNull(generationOf('shop-products', other), other);
    assert.isNull(generationOf('shop-products', 'my-shop-products-v1'));
  });

  it('states its owner and its schema version in its mappings', () => {
    assert.strictEqual(productsIndex.mappings._meta?.['service'], SERVICE);
    assert.strictEqual(productsIndex.mappings._meta?.['schema_version'], CURRENT_SCHEMA);
  });

  it('takes an index with another build of the current schema for one of the schema before', async () => {
    const prefix = `${testPrefix}-builds`;
    const es = connectEngine();
    const { schema_build: build, ...unbuilt } = productsIndex.mappings._meta ?? {};
    const schemaWith = async (name: string, _meta: object): Promise<number> => {
      const index = `${prefix}-${name}`;
      await es.indices.create({
        index,
        mappings: { ...productsIndex.mappings, _meta } as object,
        settings: productsIndex.settings,
      });
      return schemaVersionOf(es, index);
    };
    try {
      assert.strictEqual(await schemaWith('current', { ...unbuilt, schema_build: build }), CURRENT_SCHEMA);
      for (const [name, other] of Object.entries({ none: {}, next: { schema_build: Number(build) + 1 } }))
        assert.strictEqual(await schemaWith(name, { ...unbuilt, ...other }), CURRENT_SCHEMA - 1, name);
      const eighth = { ...unbuilt, schema_version: 8, schema_build: 0 };
      assert.strictEqual(await schemaWith('eighth', eighth), 8);
    } finally {
      await removeIndices(es, prefix);
      await es.close();
    }
  });

  it('is created once if many processes start at the same time', async () => {
    const prefix = `${testPrefix}-indices`;
    const es = connectEngine();
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

  // Without the wait, this fails with no_shard_available_action_exception.
  it('is waited for if another process has just created it', async () => {
    const prefix = `${testPrefix}-started`;
    const alias = productsAlias(prefix);
    const es = connectEngine({ requestTimeout: 40_000, maxRetries: 0 });
    const allocation = (enable: 'none' | 'all') => ({ index: { routing: { allocation: { enable } } } });
    try {
      await es.indices.create({
        index: generationName(alias, 1),
        settings: { ...productsIndex.settings, ...allocation('none') },
        aliases: { [alias]: { is_write_index: true } },
        wait_for_active_shards: 0,
      });
      assert.isFalse(await ensureCatalogue(es, prefix));
      const [found] = await Promise.all([
        untilSearchable(es, prefix).then(() => es.count({ index: alias })),
        es.indices.putSettings({ index: alias, settings: allocation('all') }),
      ]);
      assert.strictEqual(found.count, 0);
    } finally {
      await removeIndices(es, prefix);
      await es.close();
    }
  });
});
