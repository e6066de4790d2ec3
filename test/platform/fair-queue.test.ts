import { assert } from 'chai';
import { FairQueue } from '../../src/platform/fair-queue.js';

describe('FairQueue', () => {
  const filled = (max: number, items: readonly string[]) => {
    const queue = new FairQueue<string>(max);
    for (const item of items) queue.add(item.charAt(0), item);
    return queue;
  };

  it('serves owners in turn, and the items of each in their order', () => {
    const queue = filled(10, ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']);
    assert.deepEqual(queue.take(4), ['a1', 'b1', 'c1', 'a2']);
    queue.add('b', 'b2');
    assert.deepEqual(queue.take(9), ['c2', 'a3', 'b2', 'a4']);
    assert.equal(queue.size, 0);
    assert.isEmpty(queue.take(1));
  });

  it('drops items of the owner that has the most when it is full', () => {
    const queue = filled(4, ['a1', 'a2', 'a3', 'a4', 'b1', 'a5', 'c1']);
    assert.equal(queue.size, 4);
    assert.deepEqual(queue.take(9), ['a1', 'b1', 'c1', 'a2']);
  });
});
