import { assert } from 'chai';
import {
  isFarBelowUsual,
  type OwnerPrice,
  usualPrice,
  medianByOwner,
} from '../../src/listing/usual-price.js';

const prices = (...asked: [owner: string, ...prices: number[]][]): OwnerPrice[] =>
  asked.flatMap(([owner, ...own]) => own.map((price) => ({ owner, price })));

describe('usualPrice', () => {
  it('is the median of one price per owner', () => {
    assert.deepEqual(usualPrice(prices(['a', 100], ['b', 110], ['c', 90])), { price: 100, owners: 3 });
    assert.deepEqual(usualPrice(prices(['a', 100], ['b', 110], ['c', 90], ['d', 120])), {
      price: 105,
      owners: 4,
    });
    const hostile = prices(['a', 100], ['b', 110], ['c', 90], ['evil', ...Array<number>(500).fill(9_000)]);
    assert.deepEqual(usualPrice(hostile), { price: 105, owners: 4 });
    assert.deepEqual(usualPrice(prices(['a', 1, 100, 1_000], ['b', 100], ['c', 100])), {
      price: 100,
      owners: 3,
    });
  });

  it('is unknown for fewer than three owners', () => {
    assert.isNull(usualPrice([]));
    assert.isNull(usualPrice(prices(['a', 1, 2, 3], ['b', 4, 5])));
  });
});

describe('isFarBelowUsual', () => {
  const isFar = (price: OwnerPrice, ...asked: [owner: string, ...prices: number[]][]) =>
    isFarBelowUsual(price, 0.2, medianByOwner(prices(...asked)));

  it('is true if the own owner, or two others, have a much higher price', () => {
    assert.isTrue(isFar({ owner: 'a', price: 20 }, ['a', 100, 110, 120]));
    assert.isTrue(isFar({ owner: 'a', price: 20 }, ['b', 100], ['c', 120]));
    assert.isFalse(isFar({ owner: 'a', price: 21 }, ['b', 100], ['c', 120]));
  });

  it('is false if only one other owner has a higher price', () => {
    assert.isFalse(isFar({ owner: 'a', price: 20 }, ['b', 9_000, 9_000, 9_000, 9_000]));
    assert.isFalse(isFar({ owner: 'a', price: 20 }, ['a', 20, 25], ['b', 9_000]));
    assert.isFalse(isFar({ owner: 'a', price: 20 }));
  });
});
