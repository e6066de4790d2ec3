import { setImmediate as nextTurn } from 'node:timers/promises';
import { assert } from 'chai';
import { storedIndex } from '../../src/platform/stored.js';
import { brandVersions, readBrands } from '../../src/published/brand-dictionary.js';
import { refreshed } from '../../src/published/learned-versions.js';
import { matchingModels } from '../../src/published/matching-models.js';
import { testCatalogue } from '../support/test-catalogue.js';

describe('the active version of what was learned', () => {
  const { es, prefix, empty, remove } = testCatalogue('learned-versions');
  afterEach(() => empty());
  after(() => remove());

  const record = { counts: {}, figures: {}, now: new Date() };
  const lose = (kind: 'models' | 'brands') => es.indices.delete({ index: storedIndex(prefix, kind) });

  it('is read again if its number has other content, because its index was lost and rebuilt', async () => {
    const models = matchingModels(es, prefix);
    let time = 0;
    const active = models.reader(() => (time += 11_000));
    const content = async () => Buffer.from((await active())?.json ?? []).toString();
    assert.equal(await content(), '');
    await models.store('first', record);
    assert.equal(await content(), '"first"');
    assert.strictEqual(await active(), await active(), 'it is read once');
    await lose('models');
    await models.store('second', record);
    assert.equal(await models.activeNumber(), 1);
    assert.equal(await content(), '"second"');
  });

  it('of the brand dictionary is read again, too', async () => {
    const brands = brandVersions(es, prefix);
    const maker = (name: string) => [[name.toLowerCase(), { name, listings: 1, names: 1 }]];
    await brands.store(maker('Vortek'), record);
    const before = await readBrands(es, prefix);
    assert.strictEqual(await readBrands(es, prefix, before), before);
    await lose('brands');
    await brands.store(maker('Optherra'), record);
    const after = await readBrands(es, prefix, before);
    assert.deepEqual([before.version, after.version], [1, 1]);
    assert.deepEqual([...after.makers.keys()], ['optherra']);
  });
});

describe('a value that is read again', () => {
  it('is read by one request at a time, so that no earlier value replaces a later one', async () => {
    let [time, running, most] = [0, 0, 0];
    const read = async (known: number) => {
      running += 1;
      most = Math.max(most, running);
      await nextTurn();
      running -= 1;
      return known + 1;
    };
    const current = refreshed(0, read, () => (time += 11_000));
    assert.deepEqual(await Promise.all([current(), current(), current()]), [1, 2, 3]);
    assert.equal(most, 1);
  });
});
