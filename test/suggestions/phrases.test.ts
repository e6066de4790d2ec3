import { assert } from 'chai';
import { phrasesOf } from '../../src/suggestions/phrases.js';

/** Of a name whose words may each say what the thing is. */
const texts = (name: string, kinds = name.match(/\p{L}+/gu) ?? []) =>
  phrasesOf(name, kinds).map(({ text }) => text);

describe('phrases of a name', () => {
  it('are its runs of two to four words, not across a border', () => {
    assert.sameMembers(texts('Noise Cancelling Wireless Headphones, Black'), [
      ...['Noise Cancelling', 'Cancelling Wireless', 'Wireless Headphones'],
      ...['Noise Cancelling Wireless', 'Cancelling Wireless Headphones'],
      'Noise Cancelling Wireless Headphones',
    ]);
  });

  it('begin and end with words that say something', () => {
    assert.sameMembers(texts('Case for Phone'), ['Case for Phone']);
    assert.deepEqual(texts('[Ready Stock] Black Fast Delivery'), []);
    assert.sameMembers(texts('16 GB RAM'), ['16 GB RAM']);
    assert.sameMembers(texts('Slim 13.3" Laptop'), [
      'Slim 13.3 inch',
      '13.3 inch Laptop',
      'Slim 13.3 inch Laptop',
    ]);
    assert.deepEqual(texts('5 Kettle'), []);
    assert.deepEqual(texts('Case Compatible'), []);
  });

  it('say what the thing is, in the singular or plural', () => {
    assert.sameMembers(texts('Petalune Airy Matte Lipstick', ['lipsticks']), [
      ...['Matte Lipstick', 'Airy Matte Lipstick', 'Petalune Airy Matte Lipstick'],
    ]);
    assert.deepEqual(texts('Petalune Airy Matte', ['lipsticks']), []);
  });

  it('cut no model in two', () => {
    assert.sameMembers(texts('Stratiq SW 840 M4 Wireless Mouse', ['mouse']), [...['Wireless Mouse']]);
    assert.sameMembers(texts('Laptop Harrier 5', ['laptop', 'harrier']), ['Laptop Harrier 5', 'Harrier 5']);
    assert.include(texts('Samsung Galaxy S24', ['galaxy']), 'Samsung Galaxy');
  });

  it('are runs of characters in a script without blanks', () => {
    assert.sameMembers(texts('蓝牙耳机'), ['耳机', '牙耳机', '蓝牙耳机']);
    assert.sameMembers(texts('真无线蓝牙耳机 A5'), [
      ...['耳机', '牙耳机', '蓝牙耳机', '真无线蓝牙耳机', '真无线蓝牙耳机 A5'],
    ]);
  });

  it('know the phrases that they hold', () => {
    const phrase = phrasesOf('Air Fryer XL', ['fryer']).find(({ key }) => key === 'air fryer xl');
    assert.deepEqual(phrase?.within, ['fryer xl', 'air fryer']);
    const run = phrasesOf('真无线蓝牙耳机', ['真无线蓝牙耳机']).find(({ key }) => key === '真无线蓝牙耳机');
    assert.deepEqual(run?.within, ['真无线蓝', '蓝牙耳机']);
  });
});
