import { execFileSync } from 'node:child_process';
import { assert } from 'chai';
import { readMarkets, SHIPPED_MARKETS } from '../../src/naming/markets.js';
import { ShippedFileError, shippedFiles, shippedText } from '../../src/platform/shipped-files.js';
import { readMarketWords } from '../../src/text/market-words.js';
import { program } from '../support/program.js';

const read = (text: string) => readMarkets(readMarketWords([{ name: 'xx.yaml', text }]));

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
  interface Process {
    read: unknown[][];
    words: boolean[];
    english: unknown[];
  }
  const read = (markets: string): Process =>
    JSON.parse(
      execFileSync(process.execPath, program('test/naming/chosen-markets.ts'), {
        env: { ...process.env, MARKETS: markets },
        encoding: 'utf8',
      }),
    ) as Process;
  let [all, some, one, none]: Process[] = [];
  before(() => {
    [all, some, one, none] = ['', 'de, others', 'ms', 'en'].map(read);
  });

  it('chooses the markets whose prices, searches and kinds are read; English always is', () => {
    assert.deepEqual(all?.read, [
      ['GBP', 'THB', 'CZK', 'PLN', 'CHF'],
      [true, true, true, true],
      [true, true, true, true],
    ]);
    assert.deepEqual(some?.read, [
      ['GBP', null, null, 'PLN', 'CHF'],
      [true, true, true, false],
      [true, true, false, true],
    ]);
    assert.deepEqual(one?.read, [
      ['GBP', null, null, null, null],
      [true, true, false, false],
      [true, false, true, false],
    ]);
  });

  it('chooses the languages of inflections, compounds, conditions, accessories, columns, quantities and synonyms', () => {
    assert.deepEqual(all?.words, [true, true, true, true, true, true, true]);
    assert.deepEqual(some?.words, [true, true, true, false, true, true, false]);
    assert.deepEqual(one?.words, [false, false, false, false, false, false, false]);
    assert.deepEqual(none?.words, [false, false, false, false, false, false, false]);
  });

  it('leaves the readings of English as they are without other languages', () => {
    assert.isAbove(none?.english.length ?? 0, 10);
    for (const other of [all, some, one]) assert.deepEqual(other?.english, none?.english);
  });
});

describe('the words of all markets', () => {
  it('have at most 300 kB', () => {
    const folders = ['src/naming/markets', 'src/naming/lexicon', 'src/naming/inflections'];
    const others = ['src/text/vocabularies', 'src/engine/queries/interpret/vocabularies'];
    const files = [...folders, ...others].flatMap((folder) =>
      shippedFiles(folder).map((file) => shippedText(`${folder}/${file}`)),
    );
    const bytes = files.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    assert.isAbove(bytes, 100_000);
    assert.isAtMost(bytes, 300_000);
  });
});
