import { assert } from 'chai';
import { type CatalogueWords, NO_WORDS } from '../../src/naming/classifiers/catalogue.js';
import { evidenceNames } from '../../src/naming/evidence.js';
import { type NameContext, readName } from '../../src/naming/read-name.js';
import { ROLES } from '../../src/schemas/roles.js';
import { learnReadings, learnWords } from '../../lab/marked-names/word-uses.js';

const names = new Map<string, 'maker' | 'line'>([
  ...['sony', 'bose', 'apple', 'samsung', 'tarn'].map((name) => [name, 'maker'] as const),
  ...['galaxytab', 'iphone', 'ef', 'kestrel'].map((name) => [name, 'line'] as const),
]);
const catalogue: CatalogueWords = { ...NO_WORDS, names };

/** The reading of a name as `normal form <role scope>`; the scope `item` is left out. */
const read = (name: string, context: NameContext = { catalogue }): string =>
  readName(name, context)
    .spans.map(({ normal, role, scope }) => `${normal} <${scope === 'item' ? role : `${role} ${scope}`}>`)
    .join('  ');

describe('the reading of a name', () => {
  for (const [name, reading] of [
    ['BH-950M3', 'bh 950m3 <model>'],
    ['Sony WH 1000XM5', 'sony <maker>  wh 1000xm5 <model>'],
    ['iPhone 15 Pro Max 256GB', 'iphone <line>  15 <model>  pro <tier>  max <tier>  256 gb <size>'],
    ['Galaxy Tab S9 FE+', 'galaxy tab <line>  s9 <model>  fe+ <tier>'],
    [
      'EF 24-70mm f/2.8L II USM',
      'ef <line>  24 70 mm <size>  f 2.8 <size>  l <tier>  ii <generation>  usm <variant>',
    ],
    ['3 x 330 ml', '3 x <count>  330 ml <size>'],
    ['Vesper cat food 12 x 85 g', 'vesper <maker>  cat food <kind>  12 x <count>  85 g <size>'],
    ['Kettle - Black, 2 x 1.5l', 'kettle <kind>  black <colour>  2 x <count>  1.5 l <size>'],
    ['55" TV wall mount', '55 " <size>  tv wall mount <kind>'],
    ['Apple iPhone 16', 'apple <maker>  iphone <line>  16 <model>'],
    ['iPhone 6 16GB', 'iphone <line>  6 <model>  16 gb <size>'],
    ['BOSE QuietComfort 45', 'bose <maker>  quietcomfort <line>  45 <model>'],
    ['QC45', 'qc45 <model>'],
    [
      'Leather case for Apple iPhone 13 Pro - Black',
      'leather <material>  case <kind>  for <noise target>  apple <maker target>  iphone <line target>  13 <model target>  pro <tier target>  black <colour>',
    ],
  ] as const)
    it(`of ${name}`, () => {
      assert.equal(read(name), reading);
    });

  it('gives each token one role and one scope, in the order of the text', () => {
    const name = 'Tarn Kestrel K7 (64GB, grey) with charger, für 2 × SIM, “neu” 充电器';
    const { tokens, spans } = readName(name);
    assert.deepEqual(
      spans.flatMap(({ tokens: [from, to] }) => tokens.text.slice(from, to)),
      tokens.text,
    );
    for (const { from, to, role } of spans) {
      assert.include(ROLES, role);
      assert.equal(name.slice(from, to), name.slice(from, to).trim());
    }
  });

  it('takes what the feed states in a field of its own', () => {
    const stated = { brand: 'Vor Tek', models: ['RA-77/B'], attributes: new Map([['colour', 'Umbra']]) };
    assert.equal(
      read('Vor-Tek RA77B kettle umbra', { stated }),
      'vor tek <maker>  ra77b <model>  kettle <kind>  umbra <colour>',
    );
  });

  it('reads a text of any length and without words', () => {
    assert.deepEqual(readName('').spans, []);
    assert.deepEqual(readName(' – / ').spans, []);
    assert.isBelow(readName('kettle '.repeat(100_000)).spans.length, 1_000);
  });
});

describe('words that the catalogue teaches', () => {
  const listings = Array.from({ length: 9 }, (_, at) => ({
    name: `Tarn Vesper ${at} kettle`,
    maker: 'Tarn',
    categories: ['Kettles'],
  }));
  const found = (word: string, { uses }: CatalogueWords) =>
    (uses.get(word) ?? []).map((kind) => evidenceNames()[kind]);

  it('are counted by their place, maker and category, and once for names that are repeated', () => {
    const taught = learnWords([...listings, ...listings], names);
    assert.includeMembers(found('vesper', taught), [
      'used in several names',
      'used mostly for one maker',
      'used mostly before a number',
    ]);
    assert.includeMembers(found('kettle', taught), ['used mostly at the end', 'used mostly as a category']);
    assert.include(found('tarn', taught), 'used mostly as a maker');
    assert.isFalse(taught.uses.has('7'));
  });

  it('have the role in which most names are read', () => {
    const line = ROLES.indexOf('line');
    const taught = learnReadings(
      NO_WORDS,
      listings.map(({ name }) => name),
      ({ text }) => text.map((word) => (word === 'vesper' ? line : 0)),
    );
    assert.deepEqual(found('vesper', taught), ['read mostly as line']);
  });
});
