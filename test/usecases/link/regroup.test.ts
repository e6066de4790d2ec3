import { assert } from 'chai';
import { Components } from '../../../src/matching/grouping/components.js';
import { partsOf } from '../../../src/usecases/link/regroup.js';

describe('the parts of a catalogue', () => {
  it('contain each listing once, and connected listings in one part', () => {
    const components = new Components();
    for (const [a, b] of [
      [1, 9],
      [9, 5],
      [2, 8],
    ] as const)
      components.join(a, b);
    const parts = [...partsOf([1, 2, 3, 4, 5, 6, 7, 8, 9], components, 2)];
    assert.deepEqual(parts, [
      [1, 5, 9],
      [2, 8],
      [3, 4],
      [6, 7],
    ]);
  });

  it('are none without listings', () => {
    assert.isEmpty([...partsOf([], new Components())]);
  });
});
