import { assert } from 'chai';
import { AdaptiveLimit } from '../../src/http/admission/adaptive-limit.js';

describe('an adaptive limit', () => {
  const bounds = { min: 2, initial: 8, max: 16, targetMs: 100 };
  /** Reports as many simultaneous responses as the limit allows. */
  const round = (limit: AdaptiveLimit, now: number, took: number): void => {
    for (let left = limit.size(now); left > 0; left -= 1) limit.observe(took, now);
  };

  it('increases up to its maximum while responses are in time', () => {
    const limit = new AdaptiveLimit(bounds);
    assert.equal(limit.size(0), 8);
    round(limit, 1_000, 50);
    // Each round of fast responses increases the limit by about one slot.
    assert.include([8, 9], limit.size(1_000));
    for (let now = 2_000; now < 60_000; now += 1_000) round(limit, now, 100);
    assert.equal(limit.size(60_000), 16);
  });

  it('decreases by a tenth at a time down to its minimum when responses are late', () => {
    const limit = new AdaptiveLimit(bounds);
    round(limit, 0, 101);
    assert.equal(limit.size(0), 7);
    for (let now = 100; now < 10_000; now += 100) round(limit, now, 500);
    assert.equal(limit.size(9_900), 2);
  });

  it('recovers over time to its initial value and no further', () => {
    const limit = new AdaptiveLimit(bounds);
    for (let now = 0; now < 10_000; now += 100) limit.observe(500, now);
    assert.isBelow(limit.size(10_000), 3);
    assert.equal(limit.size(15_000), 5);
    assert.equal(limit.size(20_000), 8);
    assert.equal(limit.size(3_600_000), 8);
    const idle = new AdaptiveLimit(bounds);
    round(idle, 0, 101);
    assert.equal(idle.size(3_600_000), 8, 'after an hour without any response');
  });

  /** Three bursts of slow requests had led to minutes of refusals, because recovery took 7,700 responses. */
  it('recovers within ten seconds of the last late response, with the bounds of the service', () => {
    const limit = new AdaptiveLimit({ min: 8, initial: 32, max: 512, targetMs: 400 });
    for (let now = 0; now < 10_000; now += 100) limit.observe(2_000, now);
    assert.isBelow(limit.size(9_900), 10);
    // The load is light now: one response per second.
    for (let now = 11_000; now <= 20_000; now += 1_000) limit.observe(20, now);
    assert.isAtLeast(limit.size(20_000), 32);
  });
});
