import { assert } from 'chai';
import { foldedText, foldJoined, foldTyped, startsOf } from '../../src/text/folding.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { readConfig } from '../../src/platform/config/config.js';
import { elasticsearchUrl } from '../support/services.js';

describe('what somebody types, folded', () => {
  it('has the same text where that alone is asked for', () => {
    const marks = Array.from({ length: 128 }, (_, code) => String.fromCharCode(code));
    const texts = [
      ...marks.flatMap((mark) => [mark, `${mark}a`, `B${mark}`, `a${mark}B`, `${mark}1${mark}${mark}x `]),
      '',
      "Levi's — 501 ",
      "rock'n'roll `90s",
      'Café™ ＷＨ-1000XM5 Straße',
      '无线 mouse',
    ];
    for (const text of texts) assert.equal(foldedText(text), foldTyped(text).text, JSON.stringify(text));
  });

  it('has neither case, accents, width nor marks, and knows where each letter comes from', () => {
    const folded = foldTyped('Café™ ＷＨ-1000XM5 Straße');
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
    assert.equal(foldTyped('Levi’s  — 501 ').text, 'levis 501');
    assert.equal(foldTyped(' ?! 🎧').text, '');
    assert.equal(foldTyped('e\u0301te\u0301').text, 'ete');
    assert.equal(foldJoined('Sony WH-1000XM5 (B)'), 'sony wh1000xm5 b');
  });

  it('begins at each word, at a code as one word, and at each character of Chinese', () => {
    assert.deepEqual(startsOf('Sony WH-1000XM5'), ['sony', 'wh', '1000xm5', 'wh1000xm5']);
    assert.deepEqual(startsOf('索尼耳机A5'), ['索尼耳机', '尼耳机', '耳机', '机', 'a5']);
  });

  it('folds Latin letters as the engine does', async () => {
    const letters = Array.from({ length: 0x17f - 0xc0 }, (_, i) => String.fromCodePoint(0xc0 + i)).filter(
      (letter) => /\p{L}/u.test(letter),
    );
    const es = createElasticsearch(readConfig({ ELASTICSEARCH_URL: elasticsearchUrl }).elasticsearch);
    try {
      const { tokens = [] } = await es.indices.analyze({
        tokenizer: 'keyword',
        filter: ['cjk_width', 'lowercase', 'asciifolding'],
        text: letters,
      });
      const differing = letters.filter((letter, i) => foldTyped(letter).text !== tokens[i]?.token);
      assert.deepEqual(differing, []);
    } finally {
      await es.close();
    }
  });
});
