import { expect } from 'chai';
import { inferMaker, MakerEvidence, type MakerListing } from '../../src/matching/makers.js';

const learn = (...listings: MakerListing[][]) => {
  const evidence = new MakerEvidence();
  for (const listing of listings.flat()) evidence.add(listing);
  return evidence.learn();
};

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

  it('ignores brands of absurd length', () => {
    const learned = learn(listings('Lorem', ['a b c'], { brand: 'Lorem '.repeat(1000) }));
    expect(learned.size).to.equal(0);
  });
});
