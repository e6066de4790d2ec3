import { assert } from 'chai';
import { isOneEdit } from '../../../src/text/typo.js';
import { matchedRanges } from '../../../src/usecases/suggest/find-suggestions.js';

/** Returns the text with each matched range in brackets. */
function marked(text: string, typed: string): string {
  return matchedRanges(text, typed)
    .toReversed()
    .reduce(
      (rest, [start, end]) => `${rest.slice(0, start)}[${rest.slice(start, end)}]${rest.slice(end)}`,
      text,
    );
}

describe('matchedRanges', () => {
  it('matches the beginning of the text in any notation', () => {
    assert.equal(marked('Sony WH-1000XM5', 'sony wh1000'), '[Sony WH-1000]XM5');
    assert.equal(marked('Café crème', 'cafe c'), '[Café c]rème');
    assert.equal(marked('🎧 Straße 5', 'STRASS'), '🎧 [Straß]e 5');
    assert.equal(marked('蓝牙耳机', '蓝牙'), '[蓝牙]耳机');
  });

  it('matches the beginnings of words, and any character of Chinese text', () => {
    assert.equal(marked('Robotic Vacuum Cleaner', 'vac rob'), '[Rob]otic [Vac]uum Cleaner');
    assert.equal(marked('索尼蓝牙耳机', '耳机'), '索尼蓝牙[耳机]');
    assert.equal(marked('Box with wh-1000', 'wh1000'), 'Box with [wh-1000]');
  });

  it('matches a word with a typo as far as it was typed', () => {
    assert.equal(marked('Wireless Headphones', 'hedph'), 'Wireless [Headph]ones');
    assert.equal(marked('Headphones', 'haedp'), '[Headp]hones');
    assert.equal(marked('Laptops', 'laptp'), '[Laptop]s');
    assert.equal(marked('Laptops', 'lapttop'), '[Laptop]s');
  });

  it('know one edit from two', () => {
    for (const other of ['sony', 'sonny', 'son', 'sohy', 'osny', 'xsony', 'ony']) {
      assert.isTrue(isOneEdit('sony', other, { transposed: true }), other);
    }
    for (const other of ['so', 'sxxy', 'nosy', 'sonnyy', ''])
      assert.isFalse(isOneEdit('sony', other, { transposed: true }), other);
  });
});
