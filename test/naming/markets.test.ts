import { assert } from 'chai';
import { readMarkets, SHIPPED_MARKETS } from '../../src/naming/markets.js';
import { ShippedFileError } from '../../src/platform/shipped-files.js';

const read = (text: string) => readMarkets([{ name: 'xx.yaml', text }]);

describe('the files of markets', () => {
  it('list the marks of currencies; a mark of several currencies means none of them', () => {
    const { marks } = read('GEL:\n  - lari, L\nHNL:\n  - L');
    assert.strictEqual(marks.get('lari')?.meant, 'GEL');
    assert.isNull(marks.get('l')?.meant);
    assert.sameMembers([...(marks.get('l')?.possible ?? [])], ['GEL', 'HNL']);
  });

  it('know what CLDR says of a sign, which does not decide', () => {
    const { marks } = SHIPPED_MARKETS;
    assert.isNull(marks.get('$')?.meant);
    assert.isTrue(marks.get('$')?.possible.has('MXN'));
    assert.strictEqual(marks.get('rs')?.meant, 'INR');
    assert.isTrue(marks.get('rs')?.possible.has('PKR'));
  });

  it('are refused if they have another list or anything but words', () => {
    for (const text of [
      'XYZ:\n  - x',
      'form:\n  - ab',
      'from: ab',
      'from:\n  - ab?',
      'from:\n  - 7',
      'EUR:\n  - (€|EUR)',
    ])
      assert.throws(() => read(text), ShippedFileError, undefined, text);
  });
});
