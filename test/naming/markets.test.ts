import { execFileSync } from 'node:child_process';
import { assert } from 'chai';
import { readMarkets, SHIPPED_MARKETS } from '../../src/naming/markets.js';
import { ShippedFileError } from '../../src/platform/shipped-files.js';
import { program } from '../support/program.js';

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

describe('MARKETS', () => {
  const read = (markets: string): unknown =>
    JSON.parse(
      execFileSync(process.execPath, program('test/naming/chosen-markets.ts'), {
        env: { ...process.env, MARKETS: markets },
        encoding: 'utf8',
      }),
    );

  it('chooses the markets whose words are read; English always is', () => {
    const [all, some, one] = ['', 'de, others', 'ms'].map(read);
    assert.deepEqual(all, [
      ['GBP', 'THB', 'CZK', 'PLN', 'CHF'],
      [true, true, true, true],
      [true, true, true, true],
    ]);
    assert.deepEqual(some, [
      ['GBP', null, null, 'PLN', 'CHF'],
      [true, true, true, false],
      [true, true, false, true],
    ]);
    assert.deepEqual(one, [
      ['GBP', null, null, null, null],
      [true, true, false, false],
      [true, false, true, false],
    ]);
  });
});
