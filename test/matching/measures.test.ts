import { assert } from 'chai';
import { readMeasures } from '../../src/matching/measures.js';
import { foldProse } from '../../src/text/fold.js';

describe('readMeasures', () => {
  const values = (text: string) => Object.fromEntries(readMeasures(foldProse(text)).values);

  it('converts measures to one unit for each kind', () => {
    assert.deepEqual(values('1TB SSD 2.5" 500 g'), { storage: [1000], inches: [63.5], mass: [500] });
    assert.deepEqual(values('5.6 cu. ft. 1250-Watt 12V'), { room: [5.6], power: [1250], voltage: [12] });
  });

  it('reads two amounts before one unit, and the total of modules', () => {
    assert.deepEqual(values('Phone 6/128GB'), { storage: [6, 128] });
    assert.deepEqual(values('Memory 2x16GB DDR5'), { storage: [32] });
    assert.deepEqual(values('TV 55 diagonal'), { inches: [1397] });
  });

  it('reads the cores and threads of a processor', () => {
    assert.deepEqual(values('Ryzen 7 5800X 8C/16T'), { cores: [8], threads: [16] });
  });

  it('reads milliseconds as a time, and not as metres', () => {
    assert.deepEqual(values('Monitor 27 inch 0.5ms'), { inches: [685.8], response: [0.5] });
    assert.deepEqual(values('HDMI cable 3m'), { length: [3_000] });
  });

  it('does not read parts of model numbers as measures', () => {
    assert.deepEqual(values('KDL46XBR6 WH1000XM5 A4 5GHZX'), {});
  });

  it('reads sizes of clothes and shoes in several languages', () => {
    for (const text of [
      'EU 42',
      'EU42',
      'Größe 42',
      'Laufschuh GRÖSSE 42',
      'Gr. 42',
      'groesse 42',
      'pointure 42',
      'velikost 42',
      '跑鞋42码',
      '鞋碼42',
    ])
      assert.deepEqual(values(text), { 'size eu': [42] }, text);
    for (const text of ['size 9.5', 'saiz 9,5', 'ukuran 9.5', 'รองเท้าไซส์ 9.5'])
      assert.deepEqual(values(text), { 'size size': [9.5] }, text);
    assert.deepEqual(values('US 9.5, UK 8.5'), { 'size us': [9.5], 'size uk': [8.5] });
    for (const text of ['Fernseher Größe 42 Zoll', 'Mehl 500 gr. 12', '扫码枪', '128码'])
      assert.deepEqual(values(text), {}, text);
  });

  it('counts pieces', () => {
    for (const [text, count] of [
      ['AA batteries 4 pack', 4],
      ['pack of 12', 12],
      ['Soap x3', 3],
      ['twin pack', 2],
      ['Office 3 users', 3],
      ['10x zoom', null],
      ['X50 radar', null],
    ] as const) {
      assert.strictEqual(readMeasures(foldProse(text)).count, count, text);
    }
  });
});
