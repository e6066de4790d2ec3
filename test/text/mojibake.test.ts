import { assert } from 'chai';
import { TextDecoder } from '@exodus/bytes/encoding.js';
import { isMojibake } from '../../src/text/mojibake.js';

const NAMES = [
  'Küche',
  'Größe – 5 €',
  'ÄÖÜ',
  'Žehlička',
  'Çay',
  'Kühlschrank 20 °C',
  'Чайник',
  'Ψυγείο',
  '電気',
  '“L”',
];

describe('a name that was decoded in a wrong encoding', () => {
  it('is recognized, unlike any other name', () => {
    for (const name of NAMES) {
      assert.isFalse(isMojibake(name), name);
      for (const encoding of ['windows-1252', 'windows-1250']) {
        const mistaken = new TextDecoder(encoding).decode(Buffer.from(name));
        assert.isTrue(isMojibake(mistaken), mistaken);
      }
      assert.isTrue(isMojibake(Buffer.from(name).toString('latin1')), name);
    }
    for (const name of ['MAÇÃ®', 'NESCAFÉ®', 'SÃO PAULO', 'Âge', 'PÂTÉ™', 'Å', 'äöüÄÖÜß', 'créée', '12 ±5 %'])
      assert.isFalse(isMojibake(name), name);
  });
});
