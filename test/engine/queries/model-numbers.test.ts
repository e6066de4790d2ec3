import { assert } from 'chai';
import { modelNumbersIn } from '../../../src/engine/queries/model-numbers.js';

describe('model numbers in a query text', () => {
  for (const [text, codes] of Object.entries({
    'Rono KX-2040M headphones': 'kx2040m',
    'rono kx 2040 m4 headphones': 'kx2040 kx2040m4 2040 2040m4 m4',
    'kettle 1.7 l 32 inch': '17l 17l32in l32in 32in',
    'tarn 9 lamp 400': '',
    'téléviseur K7Ü 電視K9': 'k7u k9',
    'steel kettle': '',
    'a word that is too long for a model: w123456789012345678901234567890123': '',
  }))
    it(`${text} → ${codes || 'none'}`, () => {
      assert.equal(modelNumbersIn(text).join(' '), codes);
    });
});
