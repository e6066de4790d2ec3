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

const read = (
  name: string,
  fields: { brand?: string; category?: string; model?: string; metadata?: Record<string, unknown> } = {},
) => {
  const { brand = null, category = null, model, metadata = {} } = fields;
  const internal = { gtins: [], models: model === undefined ? [] : [model] };
  return readName({ ...asCandidate(name), brand, category, internal, metadata });
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
      'Tesselar D5 Mark II Camera Body, 20.2 MP',
      { brand: 'Tesselar' },
      {
        maker: 'Tesselar',
        model: 'd5',
        variant: 'mark 2',
        kind: 'camera body',
        sizes: ['20.2 MP'],
        specification: ['20.2 mp'],
      },
    ],
    [
      'Ashrook B950M Ghost Walker 4 | AM5, ATX, 4 DDR5',
      { brand: 'Ashrook' },
      { line: 'ghost walker', model: 'b950m', variant: '4', specification: ['am5', 'atx', '4 ddr5'] },
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
        line: 'highland',
        kind: 'folio case',
        colour: 'pink',
        compatible_with: ['orvano juniper 2'],
        specification: ['pink'],
      },
    ],
    [
      'Steamwright SAP8907 25 sqm Air Purifier (Refurbished)',
      { brand: 'Steamwright' },
      {
        maker: 'Steamwright',
        model: 'sap8907',
        kind: 'air purifier',
        sizes: ['25 m²'],
        edition: 'refurbished',
      },
    ],
    ['Velbright Wall Charger USB 3.0', {}, { line: null, model: null, kind: 'wall charger' }],
    ['Candle Set 12-Pack Ivory', {}, { count: 12, colour: 'beige' }],
    ['Kelvora KX-20', { category: 'Electric Kettles' }, { line: null, model: 'kx20', kind: 'kettle' }],
    ['Kelvora BH-950M3', {}, { line: null, model: 'bh950m3', variant: null }],
    ['Ledger Office 9 for Windows', { brand: 'Ledger' }, { line: 'office', model: '9', variant: null }],
    ['Case for Orvano Juniper 2', {}, { line: null, model: null, kind: 'case' }],
    ...['40 W Portable Speaker, Red', '40W Portable Speaker, Red'].map((rest): (typeof CASES)[number] => [
      `Hexaro Pebble 7 ${rest}`,
      { brand: 'Hexaro' },
      { line: 'pebble', model: '7', sizes: ['40 W'], specification: ['red'] },
    ]),
    ['Hexaro Pebble 7 Speaker / 100 W / Red', { brand: 'Hexaro' }, { sizes: ['100 W'], specification: [] }],
    ['Hexaro Pebble R7 3600 w/ cooler', {}, { specification: ['w/ cooler'] }],
    ['Hexaro Pebble speaker w charger', {}, { specification: ['w charger'] }],
    [
      '[New 2027] Hexaro Ridge 8 Mini Action Camera',
      { brand: 'Hexaro' },
      { line: 'ridge', model: '8', variant: 'mini' },
    ],
    [
      '[Local Seller] Gripor Felt Laptop Sleeve',
      { brand: 'Gripor' },
      { line: null, model: null, kind: 'laptop sleeve' },
    ],
    ['Gripor Hug 2 Baby Carrier (Beige) Local Seller', { brand: 'Gripor' }, { line: 'hug', model: '2' }],
    [
      'Dunlow Plain Cotton Fitted Sheet Set, Super Single, Grey',
      { brand: 'Dunlow', metadata: { size: 'Super Single' } },
      { variant: null, sizes: ['super single'] },
    ],
    [
      'Dunlow Plain Cotton Fitted Sheet Set, King, 40 cm deep',
      { brand: 'Dunlow', metadata: { attributes: { Size: 'King' } } },
      { sizes: ['40 cm', 'king'] },
    ],
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
