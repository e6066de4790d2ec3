import { assert } from 'chai';
import {
  haveNamesOfOtherProducts,
  haveOtherLines,
  missingFromHead,
  readVariantWords,
} from '../../src/matching/head-comparison.js';
import { type Profile, readProfile } from '../../src/matching/profile.js';
import type { Token } from '../../src/text/tokenize.js';
import { pluck } from '../support/listings.js';

const profileOf = (name: string, brand: string | null = null): Profile =>
  readProfile({ name, brand, internal: { gtins: [], models: [] }, source: 'shop', comparablePrice: null });

const headOf = (name: string): string =>
  profileOf(name)
    .head.map(({ text }) => text)
    .join(' ');

describe('the head of a name', () => {
  const HEADS: [name: string, head: string][] = [
    ['Velrock Z590 Phantom Storm 4, Quarzon Z590, 1700, ATX, 4 DDR5', 'velrock z590 phantom storm 4'],
    ['Fjordal Ridge (Chalk White) Case w/ Glass Window, ATX', 'fjordal ridge chalk white case'],
    ['Kestrel Orbit S24 Smartphone (256 GB, 8 GB RAM, Dual SIM)', 'kestrel orbit s24 smartphone'],
    ['Gaming keyboard, Tarnix TK265', 'gaming keyboard tarnix tk265'],
    ['Optara EON R5 Mark II with 24-105 mm Lens', 'optara eon 5 2'],
    ['Wireless Mouse', 'wireless mouse'],
  ];
  for (const [name, head] of HEADS) {
    it(`ends before the specifications: ${name}`, () => {
      assert.strictEqual(headOf(name), head);
    });
  }
});

describe('missingFromHead', () => {
  const VARIANTS: [a: string, b: string, variants: string[]][] = [
    ['Tarnix Marion Lite SSD Caddy', 'Tarnix Marion SSD Caddy', ['lite']],
    ['Optara EON V5 C Cinema Camera', 'Optara EON V5 Camera', ['c']],
    ['Velrock Z590M Storm', 'Velrock Z590 Storm', ['z590m']],
    ['Tarnix Regal Wifi II', 'Tarnix Regal Wifi', ['2']],
    ['Voxel RTV 3060 Twin Edge', 'Voxel RTV 3060', []],
  ];
  for (const [a, b, variants] of VARIANTS) {
    it(`finds the variant words of "${a}" beside "${b}"`, () => {
      const found = missingFromHead(profileOf(a), [profileOf(b)], new Set()).variants;
      assert.deepEqual(pluck(found, 'text'), variants);
    });
  }

  it('does not miss colours, and words that the other name joins or has in its specifications', () => {
    const missing = (a: string, b: string) => missingFromHead(profileOf(a), [profileOf(b)], new Set()).words;
    assert.isEmpty(missing('Sonvara WH 1000 Black', 'Sonvara WH1000'));
    assert.isEmpty(missing('Sonvara Aria Wireless', 'Sonvara Aria Earphones, Bluetooth, wireless'));
  });
});

describe('readVariantWords', () => {
  const of = (shop: string, name: string) => ({ shop, profile: profileOf(name) });

  it('finds a word by which one shop tells two listings apart', () => {
    const words = readVariantWords([of('a', 'Tarnix Regal X570-P'), of('a', 'Tarnix Regal X570-P WIFI')]);
    assert.deepEqual([...words], ['wifi']);
  });

  it('finds two words, unless the other head is short or they are the maker', () => {
    const listings = [
      of('a', 'Tarnix 5000D Airflow Case'),
      of('a', 'Tarnix vCUE 5000D RGB Airflow Case'),
      of('a', 'GameStation 5'),
      of('a', 'Solvane GameStation 5 Console'),
    ];
    assert.sameMembers([...readVariantWords(listings, 2)], ['vcue', 'rgb']);
    assert.isEmpty([...readVariantWords(listings)]);
  });

  it('reads 40,000 listings of one shop, which are too many to compare all pairs', () => {
    const head = (text: string): Token[] =>
      text.split(' ').map((word) => ({ text: word, kind: /\d/.test(word) ? 'code' : 'word', pieces: [] }));
    const listings = Array.from({ length: 20_000 }, (_, n) => `tarnix regal x${n} board`)
      .flatMap((name, n) => [name, `${name} v${n}`])
      .map((name) => ({ shop: 'a', profile: { head: head(name), maker: ['tarnix'] } }));
    assert.strictEqual(readVariantWords(listings, 2).size, 20_000);
  });

  it('does not compare the listings of different shops', () => {
    const words = readVariantWords([of('a', 'Tarnix Regal X570-P'), of('b', 'Tarnix Regal X570-P WIFI')]);
    assert.isEmpty([...words]);
  });
});

describe('haveNamesOfOtherProducts', () => {
  const SPECIFICATIONS = 'Quarzon Z590, 1700, ATX, 4 DDR5, HDMI, 3x M.2';
  const CASES: [what: string, a: string, b: string, different: boolean][] = [
    ['makers', 'Velrock Storm Gaming Board', 'Tarnix Storm Gaming Board', true],
    [
      'lines before the same specifications',
      `Velrock Storm 4, ${SPECIFICATIONS}`,
      `Velrock Iron Legend, ${SPECIFICATIONS}`,
      true,
    ],
    [
      'a longer name',
      `Velrock Storm 4, ${SPECIFICATIONS}`,
      `Velrock Storm 4 Gaming Board, ${SPECIFICATIONS}`,
      false,
    ],
    ['words without specifications', 'Velrock Storm Mainboard', 'Velrock Storm Motherboard', false],
    ['a word about the offer before the name', 'Kestrel Orbit 8 64GB', 'SIM free Orbit 8 64GB', false],
    ['a shared model number', 'Velrock WH1000X Headphones', 'Sonvara WH-1000X Earphones', false],
  ];
  for (const [what, a, b, different] of CASES) {
    it(`${different ? 'separates' : 'does not separate'} listings by ${what}`, () => {
      assert.strictEqual(haveNamesOfOtherProducts(profileOf(a), profileOf(b)), different);
      assert.strictEqual(haveNamesOfOtherProducts(profileOf(b), profileOf(a)), different);
    });
  }

  it('leaves listings that both state a brand to the comparison of brands', () => {
    const [a, b] = [profileOf('Velrock Storm Board', 'Velrock'), profileOf('Tarnix Storm Board', 'Tarnix')];
    assert.isFalse(haveNamesOfOtherProducts(a, b));
  });
});

describe('haveOtherLines', () => {
  const PAIRS: [a: string, b: string, different: boolean][] = [
    ['Corvane Ridgeback RGB 32GB Memory Kit', 'Corvane Vendetta RGB 32GB Memory Kit', true],
    ['Velrock Z790 Taiga', 'Velrock Z790 Steel Comet', true],
    ['Velrock Z790 Taiga', 'Velrock Z790 Taiga Carmine', false],
    ['Sonvara Wireless Earbuds', 'Ostren Wireless Headphones', false],
    ['Sonvara Aria Headset WHX1000', 'Sonvara Noise Cancelling WHX1000', false],
    ['Logivox V920 Conference Camera', 'Logivox V920 Wide Angle Webcam', false],
    ['Printelle Resin Ribbon 700415-230', 'Printelle True Colours Set 700415-230', false],
    [
      'Astrane Lagoon Diver 311.40.38.20.05.002 Steel',
      'Astrane Lagoon Chrono 311.40.38.20.05.002 Watch',
      false,
    ],
    ['Velrock B650M Taiga Board', 'Velrock B650M Steel Comet Board', true],
    ['Fortis Rampart Orvano J10e Case', 'Fortis Lattice Orvano J10e Case', true],
    ['Orbitron Meadow Spot GU10 Lamp', 'Orbitron Filament Classic GU10 Lamp', true],
    ['Ampera Castle Lights 20000', 'Ampera Harbour Lights 20000', true],
    ['Ampera Ridge Drive USB3', 'Ampera Harbour Drive USB3', true],
  ];
  for (const [a, b, different] of PAIRS) {
    it(`is ${different} for ${a} / ${b}`, () => {
      assert.strictEqual(haveOtherLines(profileOf(a), profileOf(b)), different);
      assert.strictEqual(haveOtherLines(profileOf(b), profileOf(a)), different);
    });
  }
});
