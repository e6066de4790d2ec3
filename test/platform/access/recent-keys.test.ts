import { expect } from 'chai';
import { RecentKeys } from '../../../src/platform/access/recent-keys.js';

const key = (id: string) => ({ id, tier: 'free' as const, environment: 'live' as const });

describe('recent keys', () => {
  it('are remembered for a minute after they were confirmed, used or not', () => {
    const recent = new RecentKeys();
    recent.remember('hash', key('a'), 1_000);
    for (let now = 1_000; now <= 61_000; now += 10_000)
      expect(recent.recall('hash', now)).to.deep.equal(key('a'));
    expect(recent.recall('hash', 61_001)).to.equal(null);
    expect(recent.recall('other', 1_000)).to.equal(null);
  });

  it('are forgotten by credential and by id', () => {
    const recent = new RecentKeys();
    recent.remember('hash', key('a'), 0);
    recent.remember('a', key('a'), 0);
    recent.remember('b', key('b'), 0);
    recent.forget('hash');
    expect(recent.recall('hash', 0)).to.equal(null);
    expect(recent.recall('a', 0)).to.deep.equal(key('a'));
    recent.remember('hash', key('a'), 0);
    recent.forgetKey('a');
    expect([recent.recall('hash', 0), recent.recall('a', 0)]).to.deep.equal([null, null]);
    expect(recent.recall('b', 0)).to.deep.equal(key('b'));
  });

  it('are bounded: the one confirmed longest ago gives way', () => {
    const recent = new RecentKeys();
    recent.remember('first', key('first'), 0);
    recent.remember('second', key('second'), 0);
    recent.remember('first', key('first'), 1);
    for (let i = 0; i < 9_999; i++) recent.remember(`hash ${i}`, key(`${i}`), 1);
    expect(recent.recall('first', 1)).to.deep.equal(key('first'));
    expect(recent.recall('second', 1)).to.equal(null);
  });
});
