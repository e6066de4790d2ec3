import { assert } from 'chai';
import { AdaptiveLimit } from '../../src/http/admission/adaptive-limit.js';

describe('an adaptive limit', () => {
  const bounds = { least: 2, first: 8, most: 16, target: 100 };
  /** As many answers at a time as it allows. */
  const round = (limit: AdaptiveLimit, now: number, took: number): void => {
    for (let left = limit.size(now); left > 0; left -= 1) limit.learn(took, now);
  };

  it('becomes higher while answers are in time, up to the bound', () => {
    const limit = new AdaptiveLimit(bounds);
    assert.equal(limit.size(0), 8);
    round(limit, 1_000, 50);
    // About one more with each round.
    assert.include([8, 9], limit.size(1_000));
    for (let now = 2_000; now < 60_000; now += 1_000) round(limit, now, 100);
    assert.equal(limit.size(60_000), 16);
  });

  it('becomes lower when answers are late, by a tenth at a time, down to the bound', () => {
    const limit = new AdaptiveLimit(bounds);
    round(limit, 0, 101);
    assert.equal(limit.size(0), 7);
    for (let now = 100; now < 10_000; now += 100) round(limit, now, 500);
    assert.equal(limit.size(9_900), 2);
  });

  /** Seen to fail: without recovery by time, 2 for as long as nobody asks. */
  it('comes back by time alone to where it began, and no further', () => {
    const limit = new AdaptiveLimit(bounds);
    for (let now = 0; now < 10_000; now += 100) limit.learn(500, now);
    assert.isBelow(limit.size(10_000), 3);
    assert.equal(limit.size(15_000), 5);
    assert.equal(limit.size(20_000), 8);
    assert.equal(limit.size(3_600_000), 8);
  });

  /** What three bursts of slow requests left behind: minutes of refusals, with 7,700 answers to come back. */
  it('of the size that serves has come back ten seconds after late answers end', () => {
    const limit = new AdaptiveLimit({ least: 8, first: 32, most: 512, target: 400 });
    for (let now = 0; now < 10_000; now += 100) limit.learn(2_000, now);
    assert.isBelow(limit.size(9_900), 10);
    // Light use: one answer a second.
    for (let now = 11_000; now <= 20_000; now += 1_000) limit.learn(20, now);
    assert.isAtLeast(limit.size(20_000), 32);
  });
});
