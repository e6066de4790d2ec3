import { expect } from 'chai';
import { LocalRateLimits } from '../../../src/platform/access/rate-limit-store.js';

const START = 1_700_000_000_000;

describe('local rate limits', () => {
  it('count each name in a fixed window from its first request', () => {
    const windows = new LocalRateLimits(60_000);
    const end = new Date(START + 60_000);
    expect(windows.increment('a', START)).to.deep.equal({ totalHits: 1, resetTime: end });
    expect(windows.increment('b', START + 30_000).totalHits).to.equal(1);
    expect(windows.increment('a', START + 59_999)).to.deep.equal({ totalHits: 2, resetTime: end });
    expect(windows.increment('a', START + 60_000).totalHits).to.equal(1);
    expect(windows.increment('b', START + 60_000).totalHits).to.equal(2);
  });

  it('give each request a count of its own', () => {
    const windows = new LocalRateLimits(60_000);
    const hits = [START, START, START].map((now) => windows.increment('a', now));
    expect(hits.map(({ totalHits }) => totalHits)).to.deep.equal([1, 2, 3]);
  });

  it('count for the other processes of an instance, from the second request on', () => {
    const windows = new LocalRateLimits(60_000, 4);
    const hits = [START, START, START].map((now) => windows.increment('a', now));
    expect(hits.map(({ totalHits }) => totalHits)).to.deep.equal([1, 5, 9]);
  });
});
