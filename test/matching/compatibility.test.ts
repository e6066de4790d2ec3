import { assert } from 'chai';
import { productNamed, statesProduct } from '../../src/matching/compatibility.js';
import { readName } from '../../src/matching/reading.js';
import { asCandidate } from '../../src/matching/requested/requested-product.js';
import { isAccessoryNoun, kindsOf } from '../../src/naming/kinds.js';

const listing = (name: string, brand: string | null) => {
  const kinds = kindsOf(name, null, brand);
  const candidate = { ...asCandidate(name), brand };
  const internal = { ...candidate.internal, kinds, accessory: kinds.some(isAccessoryNoun) };
  return { listing: { ...candidate, internal }, reading: readName(candidate) };
};

const stated = (one: string, maker: string | null, other: string, otherMaker: string | null) => {
  const product = productNamed(listing(one, maker));
  return product === null ? null : statesProduct(product, listing(other, otherMaker));
};

const CASES: [product: string, maker: string, fits: string[], others: string[]][] = [
  [
    'Corvane Quarry 9 Laptop 16GB',
    'Corvane',
    [
      'Charger for Corvane Quarry 9',
      'Corvane Quarry 9 Travel Charger 65W Tindercase',
      'Sleeve Case for Quarry 9',
      'Case for Corvane Quarry 8 / 9',
    ],
    [
      'Charger for Tarnix Quarry 9',
      'Tarnix Quarry 9 Travel Charger 65W Tindercase',
      'Charger for Corvane Quarry 9 Pro',
      'Brush Heads for Corvane Quarry 8 9 pcs',
    ],
  ],
  [
    'Orbita uPhone 7 32GB Black',
    'Orbita',
    [
      'Case for uPhone 7/8',
      'uPhone 7 Slim Silicone Case',
      'Case compatible with uPhone7',
      'Tindercase uPhone 7 Case',
    ],
    [
      'Case for uPhone 7 Plus',
      'Case for uPhone 7/8 Plus',
      'uPhone 7 Plus Battery Case',
      'Case for uPhone 7 mini',
    ],
  ],
  [
    'Orbita uPhone 7 Plus 128GB',
    'Orbita',
    ['Case for uPhone 7 Plus', 'Case for uPhone 7/8 Plus'],
    ['Case for uPhone 7', 'Case for uPhone 7 Pro'],
  ],
  ['Halden Reddo Note 11 128GB', 'Halden', ['Case for Halden Reddo Note 11'], ['Case for Reddo Note 11 Pro']],
  [
    'Optara PZ 320 M4 Camera Body',
    'Optara',
    ['Battery for Optara PZ-320M4', 'Optara PZ320M4 Half Case Tindercase'],
    ['Battery for Optara PZ 320 M4 Plus'],
  ],
];

describe('what goes with a product', () => {
  for (const [product, maker, fits, others] of CASES)
    it(`is stated by its line, model, tier and maker: ${product}`, () => {
      for (const name of fits) assert.equal(stated(product, maker, name, 'Tindercase'), 'fits', name);
      for (const name of others) assert.notEqual(stated(product, maker, name, 'Tindercase'), 'fits', name);
      assert.equal(stated(product, maker, 'Case for Pixela 5', 'Tindercase'), 'unstated');
    });

  it('is not the product of another maker', () => {
    const accessory = 'Charger for Corvane Quarry 9';
    assert.equal(stated(accessory, 'Tindercase', 'Corvane Quarry 9 Laptop', 'Corvane'), 'fits');
    assert.notEqual(stated(accessory, 'Tindercase', 'Tarnix Quarry 9 Laptop', 'Tarnix'), 'fits');
    assert.notEqual(stated(accessory, 'Tindercase', 'Corvane Quarry 9 Pro Laptop', 'Corvane'), 'fits');
  });

  it('is no other thing for the same product', () => {
    assert.notEqual(stated('Case for uPhone 7', 'Tindercase', 'Charger for uPhone 7', 'Voltaro'), 'fits');
  });

  it('cannot be told from a name without a model', () => {
    assert.equal(stated('Orbita Switch OLED', 'Orbita', 'Case for Orbita Switch', 'Tindercase'), null);
  });
});
