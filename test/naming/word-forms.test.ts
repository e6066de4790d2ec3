import { assert } from 'chai';
import { lastPartOf, lastPartsIn, wordForms } from '../../src/naming/word-forms.js';

describe('wordForms', () => {
  const forms: Record<string, string> = {
    knives: 'knife',
    Gläser: 'glas glaeser',
    Weingläser: 'weinglas weinglaeser',
    kuehlschrank: 'kuhlschrank kuhlschraenke',
    Straße: '',
    pengecas: 'cas mengecas',
    casnya: 'cas pengecas',
    耳機: '耳机',
    洗发水: '洗發水 洗髮水',
    bluetooth: '',
    laptop: '',
    XM4: '',
  };
  for (const [word, expected] of Object.entries(forms))
    it(`${word} → ${expected || 'no other form'}`, () => {
      const others = wordForms(word);
      if (expected === '') assert.isAtMost(others.length, 1);
      else assert.includeMembers(others, expected.split(' '));
    });

  for (const word of ['poet', 'fuel', 'blue', 'shoe', 'true', 'moen'])
    it(`does not take letters of ${word} for an umlaut`, () => {
      assert.notInclude(wordForms(word), word.replace(/([aou])e/, '$1'));
    });
});

describe('the last parts of German compounds', () => {
  const parts: Record<string, string | null> = {
    Wasserkocher: 'kocher',
    Handsaege: 'saege',
    Armbanduhr: 'uhr',
    Wolldecken: 'decken',
    Raumecke: 'ecke',
    Wandhaken: 'haken',
    Gartenmöbel: 'mobel',
    Kocher: null,
    automatisch: null,
    purpose: null,
    football: null,
    monitoring: null,
    voltage: null,
    message: null,
    console: null,
  };
  for (const [word, part] of Object.entries(parts))
    it(`${word} → ${part}`, () => assert.equal(lastPartOf(word), part));

  it('are found in texts, each once', () => {
    assert.deepEqual(lastPartsIn(['Wasserkocher und Reiskocher, Weinglas', 'Küche > Kochtöpfe']), [
      'kocher',
      'glas',
      'topfe',
    ]);
  });
});
