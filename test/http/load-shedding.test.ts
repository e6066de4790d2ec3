import { assert } from 'chai';
import { AdaptivePlaces, Places } from '../../src/http/load-shedding.js';

describe('places', () => {
  it('are as many as there are, and given back once', () => {
    const places = new Places(2);
    const first = places.take();
    assert.isNotNull(first);
    assert.isNotNull(places.take());
    assert.isNull(places.take());
    first?.();
    first?.();
    assert.isNotNull(places.take());
    assert.isNull(places.take());
  });
});

describe('adaptive places', () => {
  const bounds = { least: 2, first: 8, most: 16, target: 100 };
  /** Fills all places at a time, and gives them back later. */
  const round = (places: AdaptivePlaces, now: number, took: number): number => {
    const taken = [];
    for (let leave = places.take(now); leave !== null; leave = places.take(now)) taken.push(leave);
    for (const leave of taken) leave(now + took);
    return taken.length;
  };

  it('refuse once all are taken', () => {
    assert.equal(round(new AdaptivePlaces(bounds), 0, 50), 8);
  });

  it('become more while answers are in time, up to the bound', () => {
    const places = new AdaptivePlaces(bounds);
    assert.equal(round(places, 0, 50), 8);
    // About one more with each round.
    assert.include([8, 9], round(places, 1_000, 50));
    for (let now = 2_000; now < 60_000; now += 1_000) round(places, now, 100);
    assert.equal(places.size, 16);
  });

  it('become fewer when answers are late, by a tenth at a time, down to the bound', () => {
    const places = new AdaptivePlaces(bounds);
    round(places, 0, 101);
    assert.equal(places.size, 7);
    for (let now = 1_000; now < 60_000; now += 1_000) round(places, now, 500);
    assert.equal(places.size, 2);
    for (let now = 60_000; now < 120_000; now += 1_000) round(places, now, 50);
    assert.isAbove(places.size, 8);
  });
});
