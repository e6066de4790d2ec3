import { assert } from 'chai';
import { wordQueries } from '../../../src/engine/queries/query-words.js';

describe('The words of a text that count', () => {
  const texts: [text: string, ...words: string[]][] = [
    ['a kettle that is not loud', 'kettle', 'loud'],
    ['vitamin a', 'vitamin', 'a'],
    ['stok yang ada', 'stok', 'ada'],
    ['红色的手机', '红色', '手机'],
    ['酒吧椅', '酒吧椅'],
    ['毛呢大衣', '毛呢大衣'],
    ['去机场的的士', '去机场', '的士'],
    ['the who', 'the', 'who'],
  ];
  for (const [text, ...words] of texts)
    it(`${text} → ${words.join(', ')}`, () => assert.deepEqual(wordQueries(text), words));
});
