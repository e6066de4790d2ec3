import { expect } from 'chai';
import { learnMakers } from '../../src/matching/learning/learn-makers.js';
import type { MakerListing } from '../../src/matching/learning/maker-evidence.js';
import { inferMaker } from '../../src/matching/makers.js';

const learn = (...listings: MakerListing[][]) => learnMakers(listings.flat());

/** Creates a listing of each product, alternately in two sources. */
const listings = (
  beginning: string,
  products: readonly string[],
  { brand = null, source }: { brand?: string | null; source?: string } = {},
): MakerListing[] =>
  products.map((product, at) => ({
    name: `${beginning} ${product}`,
    brand,
    source: source ?? `shop ${at % 2}`,
  }));

const PRODUCTS = [
  'kettle 2 l',
  'toaster',
  'blender 500 W',
  'iron',
  'lamp E27',
  'scale',
  'mixer',
  'radio',
  'fan 30 cm',
];

describe('inferMaker', () => {
  const dictionary = learn(
    listings('Vor-Tek', PRODUCTS, { brand: 'Vor-Tek' }),
    listings('Vortek', ['grill', 'oven'], { brand: 'VORTEK' }),
    listings('Quiet Harbor', PRODUCTS),
    listings('Brixalo', PRODUCTS),
    listings('Brixalo Nimbus', ['R1', 'R2', 'R3', 'R4', 'R5', 'R6'], { brand: 'Brixalo' }),
    listings('Zephyra', ['R1', 'R2', 'R3', 'R4', 'R5', 'R6'], { brand: 'Vor-Tek' }),
    listings('Mr. Fen -', PRODUCTS),
    listings('Generic', PRODUCTS, { brand: 'Generic' }),
    listings('Wireless', PRODUCTS),
    listings('Large wireless', PRODUCTS),
    listings('[Bestseller] Vor-Tek', PRODUCTS),
    listings('Olm & Tarn', PRODUCTS),
    PRODUCTS.map((_, at) => ({ name: `Kettle ${at}00`, brand: null, source: 'shop 0' })),
  );
  const cases: [title: string, name: string, maker: string | null][] = [
    ['a stated brand', 'Vor-Tek heater', 'Vor-Tek'],
    ['another way to write it', 'VORTEK heater', 'Vor-Tek'],
    ['a brand behind another word', 'Heater Vor Tek 900', 'Vor-Tek'],
    ['a word that names begin with and no feed states', 'Brixalo heater', 'Brixalo'],
    ['a maker of two words that no feed states', 'QUIET HARBOR heater', 'Quiet Harbor'],
    ['words before a dash', 'Mr. Fen - heater', 'Mr. Fen'],
    ['a product line of one maker', 'Zephyra R9', 'Vor-Tek'],
    ['a brand behind a badge', '[Official Store] Vor-Tek heater', 'Vor-Tek'],
    ['a brand in brackets', '【VORTEK】 heater', 'Vor-Tek'],
    ['no badge', '[Bestseller] heater', null],
    [
      'the maker of an accessory at its end',
      'Vor-Tek R9 leather case (black) BRIXALO Ready Stock',
      'Brixalo',
    ],
    ['the first maker if the end is part of a list', 'Vor-Tek cable 2 m, Brixalo', 'Vor-Tek'],
    ['the first maker if the end says where it fits', 'Vor-Tek cable in Brixalo', 'Vor-Tek'],
    ['a maker that is written with "&"', 'Olm &amp; Tarn heater', 'Olm & Tarn'],
    ['nothing where the maker follows "for"', 'Heater for Vor-Tek', null],
    ['nothing where the maker follows "compatible with"', 'Filter compatible with Brixalo', null],
    ['nothing for a placeholder', 'Generic heater', null],
    ['nothing for a word that only numbers follow', 'Kettle 300', null],
    ['nothing for a word that also occurs within names', 'Wireless heater', null],
    ['nothing for an unknown word', 'Ombrello heater', null],
    ['nothing for an empty name', '', null],
  ];
  for (const [title, name, maker] of cases)
    it(`infers ${title}`, () => expect(inferMaker(name, dictionary)?.name ?? null).to.equal(maker));

  it('does not accept an ordinary word that one source alone states as a brand', () => {
    const hostile = listings('Cordless', PRODUCTS, { brand: 'Cordless', source: 'hostile' });
    const honest = listings('Vor-Tek cordless', PRODUCTS, { brand: 'Vor-Tek' });
    const learned = learn(...Array.from({ length: 100 }, () => hostile), honest);
    expect(inferMaker('Cordless kettle', learned)).to.equal(null);
    expect(inferMaker('Vor-Tek cordless kettle', learned)?.name).to.equal('Vor-Tek');
  });

  it('does not take an ordinary word for the product line of a maker that one source alone states', () => {
    const hostile = listings('Cordless', PRODUCTS, { brand: 'Vor-Tek', source: 'hostile' });
    const honest = listings('Brixalo cordless', PRODUCTS, { brand: 'Brixalo' });
    expect(inferMaker('Cordless kettle', learn(hostile, honest))).to.equal(null);
  });

  it('does not let one source outvote the brands that many other sources state', () => {
    const others = Array.from({ length: 10 }, (_, at) =>
      listings('Brixalo', PRODUCTS, { brand: 'Brixalo', source: `shop ${at}` }),
    );
    const hostile = listings('Brixalo', PRODUCTS, { brand: 'Vor-Tek', source: 'hostile' });
    const learned = learn(...others, ...Array.from({ length: 1000 }, () => hostile));
    expect(inferMaker('Brixalo kettle', learned)?.name ?? null).to.not.equal('Vor-Tek');
  });

  it('takes a limited number of brands from one source, and none of which it has a single listing', () => {
    const flood = Array.from({ length: 12_000 }, (_, at) => ({
      name: `Zq${at.toString(36)}x thing`,
      brand: `Zq${at.toString(36)}x`,
      source: 'hostile',
    }));
    expect(learn(flood).size).to.equal(0);
    const learned = learn(flood, flood, listings('Vor-Tek', PRODUCTS, { brand: 'Vor-Tek' }));
    expect(learned.size).to.equal(5_001);
    expect(inferMaker('Vor-Tek kettle', learned)?.name).to.equal('Vor-Tek');
  });

  const OTHERS = Array.from({ length: 4 }, (_, at) => `shop ${at}`);
  const ofOthers = (beginning: string, brand: string | null = null) =>
    OTHERS.flatMap((source) => listings(beginning, PRODUCTS, { brand, source }));
  const ofHostile = (beginning: string, brand: string | null = null) =>
    listings(beginning, PRODUCTS, { brand, source: 'hostile' });
  const hostile: [title: string, feed: MakerListing[], name: string, maker: string | null][] = [
    [
      'a product line stated as a brand',
      ofHostile('Vor-Tek Nimbus', 'Vor-Tek Nimbus'),
      'Vor-Tek Nimbus heater',
      'Vor-Tek',
    ],
    [
      'a product line of a maker that no feed states',
      ofHostile('Brixalo Nimbus', 'Brixalo Nimbus'),
      'Brixalo Nimbus heater',
      'Brixalo',
    ],
    ['a decorated notation of a brand', ofHostile('Vor-Tek', '*** Vor-Tek ***'), 'Vor-Tek heater', 'Vor-Tek'],
    ['another brand on the names of a maker', ofHostile('Vor-Tek', 'Ombrello'), 'Vor-Tek heater', 'Vor-Tek'],
    [
      'ordinary words within names that are stated as a brand',
      ofHostile('Steel garden', 'Steel Garden'),
      'Steel garden heater',
      null,
    ],
    ['a badge', ofHostile('Best', 'Official Store'), '[Official Store] heater', null],
    ['a word before a dash', ofHostile('Garden -'), 'Garden heater', null],
    [
      'a rare word that other names contain',
      ofHostile('Rustproof', 'Rustproof'),
      'Unknown rustproof heater',
      null,
    ],
  ];
  for (const [title, feed, name, maker] of hostile)
    it(`does not let one feed of many records change other makers by ${title}`, () => {
      const learned = learn(
        ofOthers('Vor-Tek', 'Vor-Tek'),
        ofOthers('Brixalo'),
        ofOthers('Vor-Tek steel garden', 'Vor-Tek'),
        ofOthers('[Official Store] Vor-Tek', 'Vor-Tek'),
        [{ name: 'Unknown rustproof lamp', brand: null, source: 'shop 0' }],
        ...Array.from({ length: 300 }, () => feed),
      );
      expect(inferMaker(name, learned)?.name ?? null).to.equal(maker);
    });

  it('learns the makers before a dash from a source that mostly writes known makers there', () => {
    const learned = learn(
      listings('Vor-Tek', PRODUCTS, { brand: 'Vor-Tek' }),
      listings('Vor-Tek -', [...PRODUCTS, ...PRODUCTS, ...PRODUCTS], { source: 'dashes' }),
      listings('Lumen & Sons -', PRODUCTS.slice(0, 2), { source: 'dashes' }),
      listings('Platinum -', PRODUCTS, { source: 'dashes' }),
      listings('Vor-Tek platinum', PRODUCTS, { brand: 'Vor-Tek' }),
    );
    expect(inferMaker('Lumen & Sons - Heater', learned)?.name).to.equal('Lumen & Sons');
    expect(inferMaker('Lumen & Sons heater', learned)).to.equal(null);
    expect(inferMaker('Platinum - Heater', learned)?.name).to.equal('Platinum');
    expect(inferMaker('Platinum heater', learned)).to.equal(null);
  });

  it('recognizes one of two makers with a common first word behind other words', () => {
    const stated = (beginning: string, brand: string) =>
      listings(beginning, PRODUCTS, { brand }).map(({ name, ...rest }) => ({
        ...rest,
        name: `Heater ${name}`,
      }));
    const learned = learn(
      stated('Quiet Harbor', 'Quiet Harbor'),
      listings('Quiet Harbor', PRODUCTS, { brand: 'Quiet Harbor' }),
      listings('Quiet', PRODUCTS, { brand: 'Quiet' }),
      stated('quiet', 'Vor-Tek'),
      stated('quiet', 'Brixalo'),
    );
    expect(inferMaker('Heater Quiet Harbor R1', learned)?.name).to.equal('Quiet Harbor');
    expect(inferMaker('Heater quiet R1', learned)).to.equal(null);
  });

  it('does not take a word that mostly precedes makers for a maker', () => {
    const learned = learn(
      ...['Brixalo', 'Ombrello', 'Zephyra'].flatMap((maker) => [
        ofOthers(maker),
        listings(`Uhr ${maker}`, PRODUCTS.slice(0, 3)),
      ]),
    );
    expect(inferMaker('Uhr 900', learned)).to.equal(null);
  });

  it('ignores brands of absurd length', () => {
    const learned = learn(listings('Lorem', ['a b c'], { brand: 'Lorem '.repeat(1000) }));
    expect(learned.size).to.equal(0);
  });
});
