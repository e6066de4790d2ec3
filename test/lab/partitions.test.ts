import { assert } from 'chai';
import { partitionFigures } from '../../lab/evaluation/partitions.js';

/** Creates a partition of letters: each letter belongs to the group in which it occurs. */
const parts = (...groups: string[]) =>
  new Map(groups.flatMap((group, at) => [...group].map((item) => [item, at] as const)));

const compare = (found: Map<string, number>, gold: Map<string, number>) =>
  Object.fromEntries(partitionFigures(found, gold).map(({ name, value }) => [name, value]));

describe('two partitions of the same items', () => {
  it('that are the same, agree fully', () => {
    const figures = compare(parts('ab', 'cde', 'f'), parts('f', 'ba', 'edc'));
    assert.deepEqual(new Set(Object.values(figures)), new Set([1]));
    assert.lengthOf(Object.keys(figures), 6);
  });

  it('are compared by pairs, and by B-cubed as published', () => {
    // The example of Bagga and Baldwin: three groups, two of which the second partition joins by mistake.
    const truth = parts('12345', '67', '89abc');
    const joined = compare(parts('12345', '6789abc'), truth);
    assert.closeTo(joined['B-cubed precision'] ?? NaN, 0.762, 0.001);
    assert.strictEqual(joined['B-cubed recall'], 1);
    assert.closeTo(joined['B-cubed F1'] ?? NaN, 0.865, 0.001);
    assert.strictEqual(joined['pairwise recall'], 1);
    assert.closeTo(joined['pairwise precision'] ?? NaN, (10 + 1 + 10) / (10 + 21), 1e-9);
    const worse = compare(parts('1234589abc', '67'), truth);
    assert.closeTo(worse['B-cubed precision'] ?? NaN, 0.583, 0.001);
    const apart = compare(parts('ab', 'c', 'd'), parts('abc', 'd'));
    assert.closeTo(apart['pairwise recall'] ?? NaN, 1 / 3, 1e-9);
    assert.closeTo(apart['pairwise F1'] ?? NaN, 0.5, 1e-9);
    assert.closeTo(apart['B-cubed recall'] ?? NaN, (2 / 3 + 2 / 3 + 1 / 3 + 1) / 4, 1e-9);
    assert.strictEqual(apart['B-cubed precision'], 1);
  });

  it('count what both know', () => {
    const [figure] = partitionFigures(parts('abx'), parts('ab', 'y'));
    assert.deepInclude(figure, { cases: 2, value: 1 });
    assert.isNaN(compare(parts('a', 'b'), parts('ab'))['pairwise precision']);
  });
});
