import { assert } from 'chai';
import { matchCandidates, MATCH_THRESHOLD, type Candidate } from '../../src/matching/match.js';

let nextId = 1;

/** A listing of a shop of its own, unless told otherwise. */
function listing(name: string, more: Partial<Candidate> = {}): Candidate {
  const id = nextId++;
  return {
    id,
    source: `shop_${id}`,
    merchant_id: null,
    name,
    description: null,
    brand: null,
    metadata: null,
    internal: { gtins: [], models: [] },
    comparablePrice: null,
    ...more,
  };
}

const score = (a: Candidate, b: Candidate): number => matchCandidates(a, [b])[0]?.score ?? NaN;
const reasons = (a: Candidate, b: Candidate): string[] => matchCandidates(a, [b])[0]?.reasons ?? [];

const SAME: [what: string, a: string, b: string][] = [
  ['word order', 'Sony WH-1000XM5 Wireless Headphones Black', 'Black Wireless Headphones WH-1000XM5 by Sony'],
  ['a model number in one word', 'Sony WH-1000XM5 Headphones', 'Sony wh1000xm5 Headphones'],
  ['a model number in three words', 'Sony WH-1000XM5 Headphones', 'Sony WH 1000 XM5 headphones'],
  ['a model number with a suffix', 'LG TV OLED55C1', 'LG TV OLED55C1PUB'],
  ['the brand left out', 'Philips HD9252 Airfryer 4.1L', 'HD9252 Airfryer 4.1 L'],
  ["a shop's shouting", 'Apple iPhone 13 128GB Blue', '[Local Warranty] READY STOCK Apple iPhone 13 128GB Blue 100% Original'],
  ['a unit written apart', 'Samsung T7 Portable SSD 1TB', 'Samsung T7 Portable SSD 1 TB'],
  ['1 TB as 1000 GB', 'Samsung T7 Portable SSD 1TB', 'Samsung T7 Portable SSD 1000GB'],
  ['accents and marks', 'L’Oréal® Revitalift Crème', "L'Oreal Revitalift Creme"],
  ['plural and typo', 'Nescafe Gold Blend Instant Coffee Jars', 'Nescafe Gold Blend Instant Cofee Jar'],
  ['two words as one', 'Encore The Print Shop 22', 'Encore The PrintShop 22'],
  ['a version with and without zero', 'Acrobat Professional 7.0', 'Acrobat Professional v7'],
  ['a version with its points elsewhere', 'Model Web Publisher 3.5.2', 'Model Web Publisher 3.52'],
  ['a version in short', 'Adobe PageMaker 7.0.2', 'Adobe PageMaker 7'],
  ['a pack size that is in the model number', 'Sony Photo Paper 120 Pack - SVMF120P', 'Sony Photo Paper SVMF120P'],
  ['a market at the end of the model number', 'Whirlpool Dishwasher DU1055BK', 'Whirlpool Dishwasher DU1055XTSB'],
  ['a disc that is no colour', 'Sony HESV1000 Media Server Black', 'Sony HESV1000 Blu-ray Media Server'],
  ['one colour of two named otherwise', 'Sennheiser CX380 Orange Silver', 'Sennheiser CX 380 Grey/Orange'],
  ['what it goes with', 'Griffin SmartTalk 3016SMRTLKB', 'Griffin SmartTalk Adapter for iPhone - 3016-SMRTLKB'],
  ['Chinese', '小米 手环 8 黑色', '小米手环 8 黑色'],
]; // prettier-ignore

const DIFFERENT: [what: string, a: string, b: string][] = [
  ['another model', 'Sony WH-1000XM5 Headphones', 'Sony WH-1000XM4 Headphones'],
  ['another number within the model', 'Sony DSC-W300 Camera', 'Sony DSC-W150 Camera'],
  ['another generation', 'Apple iPhone 13 128GB', 'Apple iPhone 14 128GB'],
  ['another tier', 'Apple iPhone 13 128GB', 'Apple iPhone 13 Pro 128GB'],
  ['one tier more', 'Apple iPhone 13 Pro 128GB', 'Apple iPhone 13 Pro Max 128GB'],
  ['another capacity', 'Apple iPhone 13 128GB Blue', 'Apple iPhone 13 256GB Blue'],
  ['another capacity of two', 'Phone X1 8GB RAM 128GB', 'Phone X1 8GB RAM 256GB'],
  ['another colour', 'Apple iPhone 13 128GB Blue', 'Apple iPhone 13 128GB Pink'],
  ['another colour in Chinese', '小米 手环 8 黑色', '小米 手环 8 白色'],
  ['another pack size', 'Energizer AA Batteries 4 pack', 'Energizer AA Batteries 8 pack'],
  ['a pack of several', 'Nivea Soft Cream 200ml', 'Nivea Soft Cream 200ml (pack of 3)'],
  ['a case', 'Apple iPhone 13 128GB', 'Silicone Case for Apple iPhone 13 128GB'],
  ['a case without "for"', 'Apple iPhone 13', 'Apple iPhone 13 Leather Case'],
  ['a cable', 'Canon PowerShot SD990 Camera', 'USB Cable for Canon PowerShot SD990 Camera'],
  ['a screen protector', 'Samsung Galaxy S23', 'Samsung Galaxy S23 Screen Protector'],
  ['something else', 'Stainless steel kettle 1.7 l', 'Garden hose 20 m'],
]; // prettier-ignore

describe('matching', () => {
  for (const [what, a, b] of SAME) {
    it(`takes listings for the same product in spite of ${what}`, () => {
      assert.isAtLeast(score(listing(a), listing(b)), MATCH_THRESHOLD);
      assert.isAtLeast(score(listing(b), listing(a)), MATCH_THRESHOLD);
    });
  }

  for (const [what, a, b] of DIFFERENT) {
    it(`takes for another product: ${what}`, () => {
      assert.isBelow(score(listing(a), listing(b)), MATCH_THRESHOLD);
      assert.isBelow(score(listing(b), listing(a)), MATCH_THRESHOLD);
    });
  }

  it('scores a pair the same from either side', () => {
    for (const [, a, b] of [...SAME, ...DIFFERENT]) {
      assert.strictEqual(score(listing(a), listing(b)), score(listing(b), listing(a)), `${a} / ${b}`);
    }
  });

  it('trusts a GTIN over names, but not against a contradiction', () => {
    const internal = { gtins: ['04006381333931'], models: [] };
    assert.isAbove(
      score(listing('Crisp oats', { internal }), listing('Haferflocken knusprig', { internal })),
      0.9,
    );
    assert.isBelow(
      score(listing('Crisp oats 500g 1 pack', { internal }), listing('Crisp oats 500g 6 pack', { internal })),
      0.5,
    );
  });

  it('takes another GTIN for another product', () => {
    const names = ['Crisp oats', 'Crisp oats'] as const;
    const [a, b] = names.map((name, i) =>
      listing(name, { internal: { gtins: [`0400638133393${i}`], models: [] } }),
    );
    if (a === undefined || b === undefined) throw new Error('two names make two listings');
    assert.isBelow(score(a, b), MATCH_THRESHOLD);
    assert.isAtLeast(score(listing(names[0]), listing(names[1])), MATCH_THRESHOLD);
  });

  it('takes a model that the feed states for a model number in the name', () => {
    const stated = listing('Sony noise cancelling headphones', {
      internal: { gtins: [], models: ['wh1000xm5'] },
      brand: 'Sony',
    });
    assert.include(reasons(stated, listing('Sony WH-1000XM5 headphones')), 'model');
    assert.isAtLeast(score(stated, listing('Sony WH-1000XM5 noise cancelling headphones')), MATCH_THRESHOLD);
  });

  it('finds in the description what the name leaves out', () => {
    const sought = listing('Sony HD DVC Tape DVM63HD');
    const name = 'Sony Mini DV Tape HD Cassette';
    const described = listing(name, { description: 'Sony DVM-63 HD High-Definition miniDV cassette' });
    assert.isAbove(score(sought, described), score(sought, listing(name)));
  });

  it('says what agreed', () => {
    const a = listing('Samsung T7 Portable SSD MU-PC1T0T 1TB Blue', {
      brand: 'Samsung',
      comparablePrice: 1_000_000,
    });
    const b = listing('SAMSUNG T7 portable SSD MUPC1T0T 1 TB, blue', {
      brand: 'samsung',
      comparablePrice: 990_000,
    });
    assert.deepEqual(reasons(a, b), ['model', 'brand', 'name', 'size', 'colour', 'price']);
    assert.notInclude(reasons(a, listing('Samsung T7 SSD 1TB red', { comparablePrice: 100_000 })), 'colour');
  });

  it('doubts a price far away', () => {
    const a = listing('Hoyle Card Games', { comparablePrice: 200_000 });
    const near = score(a, listing('Hoyle Card Games', { comparablePrice: 180_000 }));
    assert.isAbove(near, score(a, listing('Hoyle Card Games', { comparablePrice: 20_000 })) + 0.2);
  });

  it('prefers, in one shop, the listing that fits best', () => {
    const sought = listing('Bose Companion 2 Speakers Graphite');
    const shop = { source: 'shop', merchant_id: 'm' };
    const vague = listing('Bose Companion Speakers', shop);
    const alone = matchCandidates(sought, [vague])[0]?.score ?? 0;
    const [beside] = matchCandidates(sought, [vague, listing('Bose Companion 2 Speakers Graphite', shop)]);
    assert.isBelow(beside?.score ?? 1, alone - 0.1);
    const [elsewhere] = matchCandidates(sought, [vague, listing('Bose Companion 2 Speakers Graphite')]);
    assert.isAbove(elsewhere?.score ?? 0, (beside?.score ?? 1) + 0.1);
  });

  it('leaves to a sibling what fits the sibling better', () => {
    const sought = listing('LG Electric Dryer', { source: 'own' });
    const sibling = listing('LG Electric Steam Dryer XL White', { source: 'own' });
    const candidate = listing('LG Electric Steam Dryer XL', { source: 'other' });
    const [without] = matchCandidates(sought, [candidate]);
    const [withSibling] = matchCandidates(sought, [candidate], [sibling]);
    assert.isBelow(withSibling?.score ?? 1, without?.score ?? 0);
  });

  it('reads any text', () => {
    const hostile = [
      '',
      ' ',
      '\u202e',
      '&#999999999;',
      '<script>',
      '½ ¼',
      'x'.repeat(10_000),
      '1/2/3/4 "',
      '))((',
      '\ud800',
      '🎧🎧',
    ];
    for (const name of hostile) {
      const value = score(listing(name), listing(name, { metadata: { colour: ['red'], attributes: null } }));
      assert.isAtLeast(value, 0);
      assert.isAtMost(value, 1);
    }
  });
});
