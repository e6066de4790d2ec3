import { assert } from 'chai';
import {
  attributePairs,
  readSpelling,
  spellingsByName,
  valuesByName,
} from '../../src/listing/attribute-pairs.js';
import { foldValue, pathsTo } from '../../src/text/fold.js';

const values = (metadata: unknown) => valuesByName(attributePairs(metadata));

describe('values as filters compare them', () => {
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
    it(`has ${JSON.stringify(text)} as ${JSON.stringify(folded)}`, () => {
      assert.equal(foldValue(text ?? ''), folded);
      assert.equal(foldValue(foldValue(text ?? '')), folded, 'once more changes nothing');
    });
  }

  it('has a path from its first level on', () => {
    assert.deepEqual(pathsTo(['Home', ' Vidéo ', 'A > B']), [
      'home',
      'home > video',
      'home > video > a',
      'home > video > a > b',
    ]);
    assert.deepEqual(pathsTo([]), []);
  });
});

describe('the attributes of a listing', () => {
  it('are no addresses: of further pictures nobody filters', () => {
    const pictures = ['https://shop.example/2.jpg', 'https://shop.example/3.jpg'];
    assert.deepEqual(values({ additional_image_link: pictures, colour: 'Black' }), { colour: ['black'] });
  });

  it('are scalars and lists of them in `metadata.attributes`', () => {
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

  it('are else those of the metadata that are no identifiers', () => {
    const metadata = { EAN: '4006381333931', model: 'X1', mpn: ['a'], Size: 'L', attributes: 'see box' };
    assert.deepEqual(values(metadata), { size: ['l'], attributes: ['see box'] });
    for (const other of [null, 'text', [1, 'two'], 7]) assert.deepEqual(values(other), {});
  });

  it('are at most fifty, of names and values that are no prose', () => {
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`n${i}`, [`a${i}`, `b${i}`]]));
    assert.lengthOf(attributePairs(many), 50);
    const [name, value] = ['n'.repeat(60), 'v'.repeat(100)];
    assert.deepEqual(values({ [name]: value, [`${name}n`]: 'x', long: `${value}v` }), { [name]: [value] });
  });

  it('keep how they are written, under names of any kind', () => {
    const pairs = attributePairs(JSON.parse('{"__proto__": "A  b", "constructor": "É", "55": "x"}'));
    const spelled = spellingsByName(pairs);
    assert.deepEqual(
      Object.entries(spelled).map(([name, terms]) => [name, terms.map(readSpelling)]),
      [
        ['55', [['x', 'x']]],
        ['__proto__', [['a b', 'A b']]],
        ['constructor', [['e', 'É']]],
      ],
    );
  });
});
