import { assert } from 'chai';
import { isCompoundOf, partsIn, partsOf, wordForms } from '../../src/naming/word-forms.js';

describe('wordForms', () => {
  const forms: Record<string, string> = {
    knives: 'knife',
    Gläser: 'glas glaeser',
    Weingläser: 'weinglas weinglaeser',
    kuehlschrank: 'kuhlschrank kuhlschraenke',
    Straße: '',
    pengecas: 'cas mengecas',
    casnya: 'cas pengecas',
    cas: 'pengecas',
    tidur: 'tidurnya',
    magnet: 'bermagnet',
    tulis: 'menulis penulisan ditulis',
    pelancongan: 'lancong melancong',
    menyapu: 'sapu penyapu disapu',
    pengguntingan: 'gunting menggunting',
    berenang: 'renang perenang',
    pemasangan: 'pasang memasang terpasang',
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
      else assert.includeMembers([...others], expected.split(' '));
    });

  for (const word of ['poet', 'fuel', 'blue', 'shoe', 'true', 'moen'])
    it(`does not take letters of ${word} for an umlaut`, () => {
      assert.notInclude(wordForms(word), word.replace(/([aou])e/, '$1'));
    });
});

describe('the parts of German compounds', () => {
  const parts: Record<string, string> = {
    Wasserkocher: 'kocher',
    Handsaege: 'saege',
    Armbanduhr: 'uhr',
    Wolldecken: 'decken',
    Raumecke: 'ecke',
    Wandhaken: 'haken',
    Gartenmöbel: 'mobel',
    Damenlaufschuhe: 'schuhe laufschuhe',
    Arbeitshandschuh: 'schuh handschuh',
    Akkubohrmaschine: 'maschine bohrmaschine',
    Rapsöl: 'ol',
    Motoroel: 'oel',
    Klapptisch: 'tisch',
    Beistelltisch: 'tisch',
    Bodenstaubsauger: 'sauger staubsauger',
    Hundefutter: 'futter',
    palmolive: '',
    Kräutertee: 'tee',
    Regenhut: 'hut',
    Kocher: '',
    Kohle: '',
    automatisch: '',
    romantisch: '',
    Alkohol: '',
    aerosol: '',
    purpose: '',
    football: '',
    monitoring: '',
    committee: '',
    voltage: '',
    message: '',
    console: '',
    powerbank: '',
  };
  for (const [word, expected] of Object.entries(parts))
    it(`${word} → ${expected || 'none'}`, () => assert.equal(partsOf(word).join(' '), expected));

  it('are found in texts, each once', () => {
    assert.deepEqual(partsIn(['Wasserkocher und Reiskocher, Weinglas', 'Küche > Kochtöpfe']), [
      'kocher',
      'glas',
      'topfe',
    ]);
  });

  it('name what the word in another form names', () => {
    assert.isTrue(isCompoundOf('damenlaufschuhe', 'laufschuh'));
    assert.isTrue(isCompoundOf('burostuhle', 'stuhl'));
    assert.isFalse(isCompoundOf('kofferanhanger', 'koffer'));
    assert.isFalse(isCompoundOf('koffer', 'koffer'));
  });
});
