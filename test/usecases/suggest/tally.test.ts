import { assert } from 'chai';
import { Tally } from '../../../src/usecases/suggest/tally.js';

describe('a tally', () => {
  it('shows the spelling that most have', () => {
    const tally = new Tally(10);
    for (const text of ['BOSE', 'Bose', 'bose', 'Bose', 'Bose']) tally.add('bose', text);
    assert.deepEqual([...tally.entries()], [{ key: 'bose', text: 'Bose', count: 5 }]);
  });

  it('keeps what is frequent where there is too much, and counts nothing too high', () => {
    const tally = new Tally(100);
    for (let i = 0; i < 2_000; i++) {
      tally.add(`rare ${i}`, 'rare');
      if (i % 10 === 0) tally.add('frequent', 'frequent');
    }
    const entries = [...tally.entries()];
    assert.isAtMost(entries.length, 101);
    const { count = 0 } = entries.find(({ key }) => key === 'frequent') ?? {};
    assert.isAtLeast(count, 150);
    assert.isAtMost(count, 200);
  });
});
