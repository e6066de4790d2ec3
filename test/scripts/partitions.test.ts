import { assert } from 'chai';
import {
  bCubedF1,
  bCubedPrecision,
  bCubedRecall,
  pairF1,
  pairPrecision,
  pairRecall,
  placed,
} from '../../scripts/evaluation/partitions.js';

/** Creates a partition of letters: each letter belongs to the group in which it occurs. */
const parts = (...groups: string[]) =>
  new Map(groups.flatMap((group, at) => [...group].map((item) => [item, at] as const)));

describe('two partitions of the same items', () => {
  it('that are the same, agree fully', () => {
    const cases = placed(parts('ab', 'cde', 'f'), parts('f', 'ba', 'edc'));
    for (const figure of [pairPrecision, pairRecall, pairF1, bCubedPrecision, bCubedRecall, bCubedF1]) {
      assert.strictEqual(figure(cases), 1);
    }
  });

  it('are compared by pairs, and by B-cubed as published', () => {
    // The example of Bagga and Baldwin: three groups, two of which the second partition joins by mistake.
    const truth = parts('12345', '67', '89abc');
    const joined = placed(parts('12345', '6789abc'), truth);
    assert.closeTo(bCubedPrecision(joined), 0.762, 0.001);
    assert.strictEqual(bCubedRecall(joined), 1);
    assert.strictEqual(pairRecall(joined), 1);
    assert.closeTo(pairPrecision(joined), (10 + 1 + 10) / (10 + 21), 1e-9);
    const worse = placed(parts('1234589abc', '67'), truth);
    assert.closeTo(bCubedPrecision(worse), 0.583, 0.001);
    const apart = placed(parts('ab', 'c', 'd'), parts('abc', 'd'));
    assert.closeTo(pairRecall(apart), 1 / 3, 1e-9);
    assert.closeTo(pairF1(apart), 0.5, 1e-9);
    assert.closeTo(bCubedRecall(apart), (2 / 3 + 2 / 3 + 1 / 3 + 1) / 4, 1e-9);
    assert.strictEqual(bCubedPrecision(apart), 1);
  });

  it('count what both know', () => {
    assert.lengthOf(placed(parts('abx'), parts('ab', 'y')), 2);
    assert.strictEqual(pairPrecision(placed(parts('abx'), parts('ab', 'y'))), 1);
    assert.isNaN(pairPrecision(placed(parts('a', 'b'), parts('ab'))));
  });
});
