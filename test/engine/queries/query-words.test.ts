import { assert } from 'chai';
import { joinedWords, withJoined } from '../../../src/engine/queries/query-words.js';

describe('adjacent words as one word', () => {
  it('joins words that shops write as one word or as two', () => {
    const compounds = [
      'sound bar',
      'wi fi',
      'air fryer',
      'note books',
      'head phones',
      'sofa bed',
      'car seat',
    ];
    compounds.push('micro sd', 'power bank', 'dish washer', 'play station', 'micro wave', 'toilet seat');
    for (const text of compounds) {
      const words = text.split(' ');
      assert.deepEqual(joinedWords(words), [{ start: 0, end: 2, text: words.join('') }]);
      assert.deepEqual(withJoined(words), [words.join('')]);
    }
    assert.deepEqual(withJoined(['ax', '900', 'm3']), ['ax900 m3', 'ax900m3', 'ax 900m3']);
    assert.deepEqual(withJoined(['iphone', '5', 's']), ['iphone5 s', 'iphone5s', 'iphone 5s']);
  });

  it('does not join a word that the stemmer would remove as a suffix', () => {
    const endings = ['headphone red', 'speaker red', 'speaker ring', 'galaxy s', 'vitamin e', 'shower ring'];
    endings.push('Maker RED', 'square d', 'canon ed', 'nickel led', 'truck king', 'tub bed', 'work able');
    for (const text of endings) {
      assert.deepEqual(joinedWords(text.split(' ')), [], text);
      assert.deepEqual(withJoined(text.split(' ')), [], text);
    }
  });
});
