import { assert } from 'chai';
import { findGenerations, readGenerations } from '../../src/engine/generations.js';
import { ensureCatalogue, generationName } from '../../src/engine/indices.js';
import { testCatalogue } from '../support/test-catalogue.js';

describe('the alias of a catalogue', () => {
  const { es, prefix, alias, empty, remove } = testCatalogue('generations');
  afterEach(() => empty());
  after(() => remove());

  const refusal = async (): Promise<string> => {
    const error: unknown = await findGenerations(es, alias).catch((thrown: unknown) => thrown);
    return error instanceof Error ? error.message : '';
  };

  it('points to the index of the catalogue; the other ones are not served', async () => {
    assert.isNull((await findGenerations(es, alias)).live);
    await ensureCatalogue(es, prefix);
    await es.indices.create({ index: generationName(alias, 3) });
    const { live, others, next } = await readGenerations(es, alias);
    assert.include(live, { index: generationName(alias, 1), isOwn: true });
    assert.deepEqual(
      others.map(({ index, isOwn }) => [index, isOwn]),
      [[generationName(alias, 3), false]],
    );
    assert.equal(next, generationName(alias, 4));
  });

  it('may not lead to several indices', async () => {
    await ensureCatalogue(es, prefix);
    await es.indices.create({ index: generationName(alias, 2), aliases: { [alias]: {} } });
    assert.match(await refusal(), /points to several indices \(.*-v[12], .*-v[12]\); nothing was touched\.$/);
  });

  it('may not be an index', async () => {
    await es.indices.create({ index: alias });
    assert.match(
      await refusal(),
      /is an index of its own, not the alias of a catalogue; nothing was touched\.$/,
    );
  });

  it('may not lead to an index of another service', async () => {
    await es.indices.create({ index: `${prefix}-other`, aliases: { [alias]: {} } });
    assert.match(await refusal(), /points to .*-other, which is not an index of this service/);
  });
});
