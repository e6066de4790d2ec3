import { assert } from 'chai';
import { readName } from '../../src/matching/reading.js';
import { asCandidate } from '../../src/matching/requested/requested-product.js';
import type { NameReading } from '../../src/schemas/reading.js';

const NOTHING: NameReading = {
  maker: null,
  line: null,
  model: null,
  variant: null,
  kind: null,
  sizes: [],
  count: null,
  colour: null,
  edition: null,
  compatible_with: [],
  specification: [],
};

const read = (name: string, fields: { brand?: string; category?: string; model?: string } = {}) => {
  const { brand = null, category = null, model } = fields;
  const internal = { gtins: [], models: model === undefined ? [] : [model] };
  return readName({ ...asCandidate(name), brand, category, internal });
};

describe('the reading of a name', () => {
  const CASES: [name: string, fields: Parameters<typeof read>[1], expected: Partial<NameReading>][] = [
    [
      'Quillon Larch S9 Ultra 256GB Smartphone, Black',
      { brand: 'Quillon' },
      {
        maker: 'Quillon',
        line: 'larch',
        model: 's9',
        variant: 'ultra',
        kind: 'smartphone',
        sizes: ['256 GB'],
        colour: 'black',
        specification: ['black'],
      },
    ],
    [
      'Tesselar D5 Mark II Camera Body with 24-70mm Lens',
      { brand: 'Tesselar' },
      {
        maker: 'Tesselar',
        model: 'd5',
        variant: '2',
        kind: 'body',
        sizes: ['70 mm'],
        specification: ['with 24-70mm lens'],
      },
    ],
    [
      'Ashrook B950M Ghost Walker 4 | AM5, ATX, 4 DDR5',
      {},
      { line: 'ashrook', model: 'b950m', kind: null, specification: ['am5', 'atx', '4 ddr5'] },
    ],
    [
      'Ashrook B950M Ghost Walker 4',
      { brand: 'Ashrook' },
      { maker: 'Ashrook', line: 'ghost walker', model: 'b950m', variant: '4' },
    ],
    [
      'Armadel - Highland Folio Case for Orvano® Juniper® 2 | Pink',
      { brand: 'Armadel' },
      {
        maker: 'Armadel',
        line: 'highland folio',
        kind: 'case',
        colour: 'pink',
        compatible_with: ['orvano juniper 2'],
        specification: ['pink'],
      },
    ],
    [
      'Steamwright SAP8907 25 sqm Air Purifier (Refurbished)',
      { brand: 'Steamwright' },
      { maker: 'Steamwright', model: 'sap8907', kind: 'purifier', sizes: ['25 m²'], edition: 'refurbished' },
    ],
    ['Velbright Wall Charger USB 3.0', {}, { line: 'velbright', kind: null }],
    ['Candle Set 12-Pack Ivory', {}, { count: 12, colour: 'beige' }],
    ['Kelvora KX-20', { category: 'Electric Kettles' }, { line: 'kelvora', model: 'kx20', kind: 'kettle' }],
    ['', {}, NOTHING],
  ];
  const USED = ['Openbox', 'OPEN BOX', 'Pre-Owned', 'second-hand', 'ex display', 'like new', 'Renewed'];
  for (const condition of USED)
    it(`reads "${condition}" as refurbished`, () =>
      assert.equal(read(`Quillon KX-20 Speaker, ${condition}`).edition, 'refurbished'));

  it('does not read a condition of sale as the condition of the product', () =>
    assert.isNull(read('Quillon Office Suite 3, no open box returns').edition));

  for (const [name, fields, expected] of CASES)
    it(`reads "${name}"`, () => assert.deepInclude(read(name, fields), expected));

  it('prefers the model that the metadata states to other numbers of the name', () =>
    assert.equal(read('Quillon Frame 7000 QX55', { brand: 'Quillon', model: 'qx55' }).model, 'qx55'));

  it('has the same members for any name', () => {
    for (const name of ['for', '1', '™', '- , ( | )', 'with', '手机壳 适用于 Orvano 9', 'x'.repeat(2000)])
      assert.hasAllKeys(read(name), Object.keys(NOTHING), name);
  });
});
