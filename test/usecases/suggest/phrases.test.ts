import { assert } from 'chai';
import { phrasesOf } from '../../../src/usecases/suggest/phrases.js';

/**
 * Returns the phrases of a product name.
 * @param kinds the nouns that name the product type; without them, every word of the name.
 */
const texts = (
  name: string,
  kinds: readonly string[] = name.match(/\p{L}+/gu) ?? [],
  brand: string | null = null,
) => phrasesOf({ name, kinds, brand, categoryKinds: [] }).map(({ text }) => text);

describe('phrasesOf', () => {
  it('combines the product term with the words before it, but not across punctuation', () => {
    assert.sameMembers(texts('Noise Cancelling Wireless Headphones, Black', ['headphones']), [
      'Wireless Headphones',
      'Cancelling Wireless Headphones',
      'Noise Cancelling Wireless Headphones',
    ]);
    assert.deepEqual(texts('[Ready Stock] Black Fast Delivery'), []);
    assert.deepEqual(texts('5 Kettle'), []);
    assert.deepEqual(texts('Petalune Airy Matte', ['lipsticks']), []);
    // The singular in the name matches the plural of the kind.
    assert.include(texts('Petalune Airy Matte Lipstick', ['lipsticks']), 'Matte Lipstick');
  });

  it('allows one size, before or after the product term', () => {
    assert.sameMembers(texts('Slim 13.3" Laptop', ['laptop']), ['13.3 inch Laptop', 'Slim 13.3 inch Laptop']);
    assert.sameMembers(texts('Air Fryer 4L Black', ['fryer']), ['Air Fryer', 'Fryer 4L', 'Air Fryer 4L']);
    assert.deepEqual(texts('8GB RAM 1TB SSD', ['laptop']), []);
    assert.deepEqual(texts('Notebook 8GB RAM 256GB SSD', ['notebook']), ['Notebook 8GB RAM']);
    for (const name of ['Running Shoes US9', 'Running Shoes US 9'])
      assert.include(texts(name, ['shoes']), 'Running Shoes US 9', name);
  });

  it('combines a product line or brand with its model and does not split them', () => {
    assert.sameMembers(texts('Samsung Galaxy S24 Ultra 256GB', ['galaxy'], 'Samsung'), [
      'Samsung Galaxy',
      'Galaxy S24',
      'Galaxy S24 Ultra',
      'Samsung Galaxy S24',
      'Samsung Galaxy S24 Ultra',
    ]);
    assert.sameMembers(texts('Stratiq SW 840 M4 Wireless Mouse', ['mouse']), [
      'Wireless Mouse',
      'SW 840 M4 Wireless Mouse',
    ]);
    assert.deepEqual(texts('Laptop Harrier 5', ['laptop', 'harrier']), ['Harrier 5']);
    assert.sameMembers(texts('Homarel HFR-1807 Digital Air Fryer', ['fryer'], 'Homarel'), [
      'Homarel HFR-1807',
      'Air Fryer',
      'Digital Air Fryer',
      'Homarel HFR-1807 Digital Air Fryer',
    ]);
  });

  it('keeps a brand of several words together', () => {
    const found = texts('Green Jetty Isotonic Drink', ['drink'], 'Green Jetty');
    assert.includeMembers(found, ['Isotonic Drink', 'Green Jetty Isotonic Drink']);
    assert.notInclude(found, 'Jetty Isotonic Drink');
  });

  it('combines an accessory with the product that it is for', () => {
    assert.deepEqual(texts('Case for Phone', ['case']), ['Case for Phone']);
    assert.sameMembers(texts('Clear Case for Galaxy S24', ['case']), [
      'Clear Case',
      'Case for Galaxy',
      'Case for Galaxy S24',
      'Clear Case for Galaxy',
      'Clear Case for Galaxy S24',
    ]);
    assert.deepEqual(texts('Penapis Pembersih untuk', ['penapis']), []);
  });

  it('takes runs of characters in a script without blanks', () => {
    assert.sameMembers(texts('蓝牙耳机'), ['耳机', '牙耳机', '蓝牙耳机']);
    assert.sameMembers(texts('真无线蓝牙耳机 A5'), [
      '耳机',
      '牙耳机',
      '蓝牙耳机',
      '真无线蓝牙耳机',
      '真无线蓝牙耳机 A5',
    ]);
  });

  it('states the shorter phrases that a phrase contains', () => {
    const phrase = phrasesOf({
      name: 'Slim Air Fryer',
      kinds: ['fryer'],
      brand: null,
      categoryKinds: [],
    }).find(({ key }) => key === 'slim air fryer');
    assert.deepEqual(phrase?.within, ['air fryer', 'slim air']);
    const run = phrasesOf({
      name: '真无线蓝牙耳机',
      kinds: ['真无线蓝牙耳机'],
      brand: null,
      categoryKinds: [],
    }).find(({ key }) => key === '真无线蓝牙耳机');
    assert.deepEqual(run?.within, ['真无线蓝', '蓝牙耳机']);
  });
});
