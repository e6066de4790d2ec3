import { assert } from 'chai';
import {
  attributePairs,
  parseWrittenValue,
  writtenValuesByName,
  valuesByName,
} from '../../src/listing/attributes.js';
import { foldValue } from '../../src/text/fold.js';
import { categoryPathPrefixes } from '../../src/listing/category-path.js';

const values = (metadata: unknown) => valuesByName(attributePairs(metadata));

describe('foldValue', () => {
  for (const [text, folded] of [
    ['  Sony\t Group ', 'sony group'],
    ['NESCAFÉ', 'nescafe'],
    ['Nescafe\u0301', 'nescafe'],
    ['ＳＯＮＹ', 'sony'],
    ['ﬁne', 'fine'],
    ['İstanbul', 'istanbul'],
    ['小米', '小米'],
    ['パナソニック', 'パナソニック'],
    ['น้ำ', 'น้ํา'],
  ]) {
    it(`folds ${JSON.stringify(text)} to ${JSON.stringify(folded)}`, () => {
      assert.equal(foldValue(text ?? ''), folded);
      assert.equal(foldValue(foldValue(text ?? '')), folded, 'once more changes nothing');
    });
  }

  it('returns every prefix of a category path', () => {
    assert.deepEqual(categoryPathPrefixes(['Home', ' Vidéo ', 'A > B']), [
      'home',
      'home > video',
      'home > video > a',
      'home > video > a > b',
    ]);
    assert.deepEqual(categoryPathPrefixes([]), []);
  });
});

describe('attributePairs', () => {
  it('leaves out URLs', () => {
    const pictures = ['https://shop.example/2.jpg', 'https://shop.example/3.jpg'];
    assert.deepEqual(values({ additional_image_link: pictures, colour: 'Black' }), { colour: ['black'] });
  });

  it('takes scalars and lists of scalars from `metadata.attributes`', () => {
    const attributes = {
      ' Colour ': ['Black', 'RED', 'black'],
      inches: 55,
      hdr: true,
      none: null,
      deep: { a: 1 },
    };
    assert.deepEqual(values({ attributes: { ...attributes, mixed: ['a', {}], empty: ' ' }, size: 'L' }), {
      colour: ['black', 'red'],
      inches: ['55'],
      hdr: ['true'],
    });
  });

  it('takes other metadata than identifiers if there are no `metadata.attributes`', () => {
    const metadata = { EAN: '4006381333931', model: 'X1', mpn: ['a'], Size: 'L', attributes: 'see box' };
    assert.deepEqual(values(metadata), { size: ['l'], attributes: ['see box'] });
    for (const other of [null, 'text', [1, 'two'], 7]) assert.deepEqual(values(other), {});
  });

  it('returns at most 50 attributes and leaves out long names and values', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`n${i}`, [`a${i}`, `b${i}`]]));
    assert.lengthOf(attributePairs(many), 50);
    const [name, value] = ['n'.repeat(60), 'v'.repeat(100)];
    assert.deepEqual(values({ [name]: value, [`${name}n`]: 'x', long: `${value}v` }), { [name]: [value] });
  });

  it('keeps the values as they are written, for names of any kind', () => {
    const pairs = attributePairs(JSON.parse('{"__proto__": "A  b", "constructor": "É", "55": "x"}'));
    const spelled = writtenValuesByName(pairs);
    const written = Object.entries(spelled).map(([name, terms]) => [name, terms.map(parseWrittenValue)]);
    assert.deepEqual(written, [
      ['55', [['x', 'x']]],
      ['__proto__', [['a b', 'A b']]],
      ['constructor', [['e', 'É']]],
    ]);
  });
});
