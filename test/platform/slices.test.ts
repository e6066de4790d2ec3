import { assert } from 'chai';
import { pauseBetweenSlices, slices, stepBytes } from '../../src/platform/slices.js';

describe('slices of computations', () => {
  it('let one computation continue in each turn of the event loop, first the one that has had the fewest', async () => {
    const order: string[] = [];
    const compute = async (name: string, count: number) => {
      const nextTurn = slices();
      for (let i = 0; i < count; i += 1) {
        await nextTurn();
        order.push(name);
      }
    };
    const long = ['a', 'b', 'c'].map((name) => compute(name, 20));
    let turns = 0;
    while (order.length < 12) {
      await new Promise((resolve) => setImmediate(resolve));
      turns += 1;
    }
    assert.isAtLeast(turns, 12);
    order.length = 0;
    await compute('short', 4);
    assert.isAtMost(order.length, 6, order.join());
    await Promise.all(long);
  });

  it('leave most of the time to other requests while these arrive', async () => {
    const turnsOf = async (count: number) => {
      const nextTurn = slices();
      let turns = 0;
      let isOver = false;
      const counting = (async () => {
        for (; !isOver; turns += 1) await new Promise((resolve) => setImmediate(resolve));
      })();
      for (let i = 0; i < count; i += 1) await nextTurn();
      isOver = true;
      await counting;
      return turns;
    };
    const alone = await turnsOf(10);
    pauseBetweenSlices();
    assert.isAbove(await turnsOf(10), 3 * alone);
  });

  it('read less in a step while other requests arrive', async () => {
    pauseBetweenSlices();
    const busy = stepBytes();
    while (stepBytes() === busy) await new Promise((resolve) => setImmediate(resolve));
    assert.isAtLeast(stepBytes(), 4 * busy);
  });
});
