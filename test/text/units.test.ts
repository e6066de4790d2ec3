import { assert } from 'chai';
import { inOtherUnits } from '../../src/text/units.js';

describe('inOtherUnits', () => {
  const all: [string, string[]][] = [
    ['kettle 1700 ml', ['kettle 170cl', 'kettle 1.7l']],
    ['1.7 litre kettle', ['1700ml kettle', '170cl kettle', '1.7l kettle']],
    ['0.75L', ['750ml', '75cl']],
    ['109 cm tv', ['1090mm tv', '1.09m tv', '43in tv', '42.9in tv']],
    ['43" tv', ['109cm tv', '109.2cm tv', '43in tv', '43zoll tv', '43inci tv']],
    [
      'fernseher 43 zoll',
      ['109cm', '109.2cm', '43in', '43zoll', '43inci'].map((size) => `fernseher ${size}`),
    ],
    ['จอ 27 นิ้ว', ['69cm', '68.6cm', '27in', '27zoll', '27inci'].map((size) => `จอ ${size}`)],
    ['1024 gb ssd', ['1tb ssd']],
    ['2TB', ['2000gb']],
    ['power bank 20Ah', ['power bank 20000mah']],
    ['5000g rice', ['5kg rice']],
  ];
  for (const [text, others] of all)
    it(`converts ${text}`, () => assert.deepEqual(inOtherUnits(text), others));

  it('does not convert text without a size, with several sizes, or in units without alternatives', () => {
    for (const text of ['tv', '5g phone', '256GB', 'WH-1000XM5', '12 in x 20 in', 'i7-1700l', '60 w bulb'])
      assert.deepEqual(inOtherUnits(text), [], text);
  });
});
