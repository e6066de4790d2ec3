import { assert } from 'chai';
import { foldProse } from '../../src/text/fold.js';
import { tokenize } from '../../src/text/tokenize.js';

const texts = (text: string): string[] => tokenize(foldProse(text)).map((word) => word.text);
const kinds = (text: string): string[] => tokenize(foldProse(text)).map(({ kind }) => kind);

describe('tokenize', () => {
  it('removes accents, punctuation, markup and entities', () => {
    assert.deepEqual(texts('Crème™ <b>Brûlée</b> AT&amp;T Tom&#39;s'), ['creme', 'brulee', 'at', 't', 'tom']);
  });

  it('joins model numbers regardless of the marks between their parts', () => {
    for (const text of ['WH-1000XM5', 'wh1000xm5', 'WH.1000XM5'])
      assert.deepEqual(texts(text), ['wh1000xm5'], text);
    assert.deepEqual(texts('MB471LL/A'), ['mb471lla']);
    assert.deepEqual(texts('TMRBT10/TMRBT10A'), ['tmrbt10', 'tmrbt10a']);
  });

  it('does not join words to a number', () => {
    assert.deepEqual(texts('mario-kart-8 win/mac'), ['mario', 'kart', '8', 'win', 'mac']);
  });

  it('distinguishes versions from part numbers', () => {
    assert.deepEqual(texts('v.8.0 7.0 4th iv 2007'), ['8', '7', '4', '4', '2007']);
    assert.deepEqual(kinds('7.0 xm5 12345 phones'), ['number', 'code', 'code', 'word']);
    assert.deepEqual(texts('v500 r650 v8'), ['v500', 'r650', '8']);
  });

  it('returns pairs of Chinese characters, separate from Latin letters', () => {
    assert.deepEqual(texts('小米手环8'), ['小米', '米手', '手环', '8']);
  });
});
