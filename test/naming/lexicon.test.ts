import { assert } from 'chai';
import { isIn, LEXICON, MAX_BYTES, readLexicons } from '../../src/naming/lexicon.js';
import { ShippedFileError } from '../../src/platform/shipped-files.js';
import { compactKey, readTokens } from '../../src/naming/tokens.js';

const read = (text: string) => readLexicons([{ name: 'xx.yaml', text }]);
const key = (text: string) => compactKey(readTokens(text));

describe('lexicons', () => {
  it('are lists of words and phrases, which are found however they are joined', () => {
    const lexicon = read('variant:\n  - free standing, on-ear\nkind:\n  - kettle');
    for (const text of ['free standing', 'Free-Standing', 'freestanding'])
      assert.isTrue(isIn('variant', key(text), undefined, lexicon), text);
    assert.isFalse(isIn('kind', key('free standing'), undefined, lexicon));
  });

  it('contain the spellings of feeds that lose letters with diacritical marks', () => {
    const lexicon = read('kind:\n  - kühlschrank');
    assert.isTrue(isIn('kind', key('Kühlschrank'), undefined, lexicon));
    assert.isTrue(isIn('kind', key('k hlschrank'), undefined, lexicon));
  });

  it('are refused if they have another list, patterns, or anything but words', () => {
    for (const text of [
      'nouns:\n  - kettle',
      'kind: kettle',
      'kind:\n  - kettles?',
      String.raw`kind:` + '\n  - ' + String.raw`kettle\d`,
      'kind:\n  - (kettle|pot)',
      'kind:\n  - kettle: 3',
      'kind:\n  - 7',
      'kind:\n  - kettle,pot,',
      `kind:\n  - ${'kettle '.repeat(MAX_BYTES / 7).trim()} pot`,
    ])
      assert.throws(() => read(text), ShippedFileError, undefined, text.slice(0, 40));
  });

  it('that ship are read', () => {
    assert.isAbove(LEXICON.size, 3_000);
    for (const [list, text] of [
      ['kind', 'washing machine'],
      ['kind', 'Geschirrspüler'],
      ['colour', 'hitam'],
      ['target', 'pour'],
      ['target', '适用于'],
    ] as const)
      assert.isTrue(isIn(list, key(text)), text);
  });
});
