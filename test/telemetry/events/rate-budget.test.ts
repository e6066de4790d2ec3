import { assert } from 'chai';
import { RateBudget } from '../../../src/telemetry/events/rate-budget.js';

const at = (seconds: number): Date => new Date(1_800_000_000_000 + seconds * 1_000);

describe('the rate limit of events of requests without a key', () => {
  it('allows a burst and then a number per minute, for each kind', () => {
    const budget = new RateBudget();
    const taken = (kind: string, times: number, seconds: number) =>
      Array.from({ length: times }, () => budget.take(kind, 60, at(seconds))).filter((one) => one !== null)
        .length;
    assert.equal(taken('unknown', 1_000, 0), 60);
    assert.equal(taken('unknown', 1_000, 10), 10);
    assert.equal(taken('/livez', 1_000, 10), 60, 'a kind of its own');
    assert.equal(taken('unknown', 1_000, 10_000), 60, 'no more for a quiet hour');
    assert.equal(budget.omitted, 940 + 990 + 940 + 940);
  });

  it('reports the number of dropped events with the next event', () => {
    const budget = new RateBudget();
    const take = (seconds: number) => budget.take('unknown', 2, at(seconds));
    assert.deepEqual([0, 0, 0, 1, 30, 31].map(take), [0, 0, null, null, 2, null]);
    // An event with an earlier time than the previous ones, because its request took longer.
    assert.deepEqual([5, 60, 60].map(take), [null, 2, null]);
  });
});
