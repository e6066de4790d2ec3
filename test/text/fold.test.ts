import { assert } from 'chai';
import { foldWords, foldJoined, foldWithOffsets } from '../../src/text/fold.js';
import { typingStarts } from '../../src/text/tokenize.js';
import { connectEngine } from '../support/engine.js';

describe('foldWithOffsets', () => {
  it('returns the same text as foldWords', () => {
    const marks = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    const texts = [
      ...marks.flatMap((mark) => [mark, `${mark}a`, `B${mark}`, `a${mark}B`, `${mark}1${mark}${mark}x `]),
      '',
      "Levi's — 501 ",
      "rock'n'roll `90s",
      'Café™ ＷＨ-1000XM5 Straße',
      '无线 mouse',
    ];
    for (const text of texts) assert.equal(foldWords(text), foldWithOffsets(text).text, JSON.stringify(text));
  });

  it('removes case, accents, width and marks, and returns where each letter comes from', () => {
    const folded = foldWithOffsets('Café™ ＷＨ-1000XM5 Straße');
    assert.equal(folded.text, 'cafe wh 1000xm5 strasse');
    assert.deepEqual(folded.from.slice(0, 6), [
      [0, 1],
      [1, 2],
      [2, 3],
      [3, 4],
      [4, 6],
      [6, 7],
    ]);
    assert.deepEqual(folded.from.slice(-3), [
      [21, 22],
      [21, 22],
      [22, 23],
    ]);
    assert.equal(folded.from.length, folded.text.length);
    assert.equal(foldWithOffsets('Levi’s  — 501 ').text, 'levis 501');
    assert.equal(foldWithOffsets(' ?! 🎧').text, '');
    assert.equal(foldWithOffsets('e\u0301te\u0301').text, 'ete');
    assert.equal(foldJoined('Sony WH-1000XM5 (B)'), 'sony wh1000xm5 b');
  });

  it('folds mathematical letters, with which sellers style names, to lower case', () => {
    assert.equal(foldWords('𝐂𝐚𝐬𝐞 𝗡𝗘𝗪'), 'case new');
  });

  it('yields the typing starts of each word, of a code as one word, and of each Chinese character', () => {
    assert.deepEqual(typingStarts('Sony WH-1000XM5'), ['sony', 'wh', '1000xm5', 'wh1000xm5']);
    assert.deepEqual(typingStarts('索尼耳机A5'), ['索尼耳机', '尼耳机', '耳机', '机', 'a5']);
  });

  it('folds Latin letters as the engine does', async () => {
    const letters = Array.from({ length: 0x17f - 0xc0 }, (_, i) => String.fromCodePoint(0xc0 + i)).filter(
      (letter) => /\p{L}/u.test(letter),
    );
    const es = connectEngine();
    try {
      const { tokens = [] } = await es.indices.analyze({
        tokenizer: 'keyword',
        filter: ['cjk_width', 'lowercase', 'asciifolding'],
        text: letters,
      });
      const differing = letters.filter((letter, i) => foldWithOffsets(letter).text !== tokens[i]?.token);
      assert.deepEqual(differing, []);
    } finally {
      await es.close();
    }
  });
});
