import { assert } from 'chai';
import { readMeasures } from '../../src/matching/measures.js';
import { fold, words } from '../../src/text/words.js';

const texts = (text: string): string[] => words(fold(text)).map((word) => word.text);
const kinds = (text: string): string[] => words(fold(text)).map(({ kind }) => kind);

describe('words of a name', () => {
  it('have no accents, marks, markup or entities', () => {
    assert.deepEqual(texts('Crème™ <b>Brûlée</b> AT&amp;T Tom&#39;s'), ['creme', 'brulee', 'at', 't', 'tom']);
  });

  it('join model numbers whatever is between their parts', () => {
    for (const text of ['WH-1000XM5', 'wh1000xm5', 'WH.1000XM5'])
      assert.deepEqual(texts(text), ['wh1000xm5'], text);
    assert.deepEqual(texts('MB471LL/A'), ['mb471lla']);
    assert.deepEqual(texts('TMRBT10/TMRBT10A'), ['tmrbt10', 'tmrbt10a']);
  });

  it('do not join words to a number', () => {
    assert.deepEqual(texts('mario-kart-8 win/mac'), ['mario', 'kart', '8', 'win', 'mac']);
  });

  it('tell versions from part numbers', () => {
    assert.deepEqual(texts('v.8.0 7.0 4th iv 2007'), ['8', '7', '4', '4', '2007']);
    assert.deepEqual(kinds('7.0 xm5 12345 phones'), ['number', 'code', 'code', 'word']);
  });

  it('are pairs of characters in Chinese, apart from Latin letters', () => {
    assert.deepEqual(texts('小米手环8'), ['小米', '米手', '手环', '8']);
  });
});

describe('measures of a name', () => {
  const values = (text: string) => Object.fromEntries(readMeasures(fold(text)).values);

  it('come in one unit of each kind', () => {
    assert.deepEqual(values('1TB SSD 2.5" 500 g'), { storage: [1000], inches: [63.5], mass: [500] });
    assert.deepEqual(values('5.6 cu. ft. 1250-Watt 12V'), { room: [5.6], power: [1250], voltage: [12] });
  });

  it('are of two amounts before one unit, and of modules together', () => {
    assert.deepEqual(values('Phone 6/128GB'), { storage: [6, 128] });
    assert.deepEqual(values('Memory 2x16GB DDR5'), { storage: [32] });
    assert.deepEqual(values('TV 55 diagonal'), { inches: [1397] });
  });

  it('are no parts of model numbers', () => {
    assert.deepEqual(values('KDL46XBR6 WH1000XM5 A4 5GHZX'), {});
  });

  it('count pieces', () => {
    for (const [text, count] of [
      ['AA batteries 4 pack', 4],
      ['pack of 12', 12],
      ['Soap x3', 3],
      ['twin pack', 2],
      ['Office 3 users', 3],
      ['10x zoom', null],
      ['X50 radar', null],
    ] as const) {
      assert.strictEqual(readMeasures(fold(text)).count, count, text);
    }
  });
});
