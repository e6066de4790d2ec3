import { assert } from 'chai';
import { FEATURES, type Features } from '../../../src/matching/features.js';
import { haveConflictingNames, haveOtherHeads } from '../../../src/matching/grouping/name-conflicts.js';
import { type Profile, readProfile } from '../../../src/matching/profile.js';

const profileOf = (name: string, { brand = null as string | null, gtins = [] as string[] } = {}): Profile =>
  readProfile({ name, brand, internal: { gtins, models: [] }, comparablePrice: null });

describe('haveConflictingNames', () => {
  const ONE_SHOP: [a: string, b: string, conflict: boolean][] = [
    ['Velrock Torrent Mouse Light Silver', 'Velrock Torrent Mouse Dark Silver', true],
    ['Baby Electron USB Flash Drive', 'Baby Candy USB Flash Drive', true],
    ['Optara EON 80 DSLR Camera Body', 'Optara EON 80 DSLR Camera Body + 500 mm Lens', true],
    ['Velrock Torrent Mouse, Black', 'Velrock Torrent Mouse - Black (original)', false],
  ];
  for (const [a, b, conflict] of ONE_SHOP) {
    it(`${conflict ? 'separates' : 'may group'} two offers of one shop: ${a} / ${b}`, () => {
      assert.strictEqual(haveConflictingNames(profileOf(a), profileOf(b), true), conflict);
      assert.strictEqual(haveConflictingNames(profileOf(b), profileOf(a), true), conflict);
    });
  }

  const TWO_SHOPS: [a: string, b: string, conflict: boolean][] = [
    ['Velrock B650M-PLUS Board', 'Velrock B650M-PLUS Wifi Board', true],
    ['Used Kestrel G604 Mouse', 'Kestrel G604 Mouse', true],
    ['Optara EON 80 Camera', 'Optara EON 80 Camera Starter Bundle', true],
    [
      'Velrock Strix III Cooler, 240mm, 7th Gen Pump, Fans, Rotatable Block',
      'Velrock Strix III White Cooler, 240mm, 7th Gen Pump, Fans, Rotatable Block',
      true,
    ],
    [
      'Corvane Ridge 32GB Kit, DDR5, 5200MHz, CL40, XMP, DIMM Memory',
      'Corvane Ridge 32GB Kit, DDR5, 5600MHz, CL40, XMP, DIMM Memory',
      true,
    ],
    [
      'Fjell Mesh C Gaming Case, ATX, Glass Side, 2 x 12cm Fans, USB-C, White',
      'Fjell Mesh 2 Gaming Case, ATX, Glass Side, 3 Fans, USB-C, White',
      true,
    ],
    [
      'Fjell Wind Compact Gaming Case, ATX, 2 Fans, RGB Strip, USB-C, White',
      'Fjell Wind Compact RGB Gaming Case, ATX, 2 RGB Fans, Strip, USB-C, White',
      true,
    ],
    ['Fjell Griffin 7200DPI Gaming Mouse', 'Kestrel Surpass RX wireless 7200dpi gaming mouse', true],
    ['Corvane 8GB DDR4 DIMM Memory', 'Corvane 8GB DDR4 SODIMM Memory', true],
    ['Kestrel G604 Wireless Gaming Mouse', 'Kestrel G604 Mouse', false],
    ['Velrock Z790 Riptide DDR5', 'Velrock Z790 Riptide, ATX, 4 DDR5, HDMI, DP, PCIe5', false],
  ];
  for (const [a, b, conflict] of TWO_SHOPS) {
    it(`${conflict ? 'separates' : 'may group'} offers of two shops: ${a} / ${b}`, () => {
      assert.strictEqual(haveConflictingNames(profileOf(a), profileOf(b), false), conflict);
      assert.strictEqual(haveConflictingNames(profileOf(b), profileOf(a), false), conflict);
    });
  }

  it('does not separate listings that share a GTIN, or that both state a brand', () => {
    const [a, b] = ['Kestrel G604 Mouse', 'Kestrel G604 Mouse Starter Bundle'];
    const gtins = ['04006381333931'];
    assert.isFalse(haveConflictingNames(profileOf(a, { gtins }), profileOf(b, { gtins }), true));
    const brand = 'Kestrel';
    assert.isFalse(haveConflictingNames(profileOf(a, { brand }), profileOf(b, { brand }), true));
  });
});

describe('haveOtherHeads', () => {
  const zeros = Object.fromEntries(FEATURES.map((name) => [name, 0])) as Features;
  const [strix, aqua] = ['Velrock Strix 360 Liquid Cooler', 'Velrock Liquid Cooler Neon Aqua 360'];

  it('separates listings if each head has a word that the other name lacks', () => {
    assert.isTrue(haveOtherHeads(profileOf(strix), profileOf(aqua), zeros));
    assert.isFalse(
      haveOtherHeads(profileOf(strix), profileOf('Velrock Strix 360 Liquid Cooler Black'), zeros),
    );
  });

  it('does not separate listings that share a model number, or that both state a brand', () => {
    assert.isFalse(haveOtherHeads(profileOf(strix), profileOf(aqua), { ...zeros, codeExact: 1 }));
    const brand = 'Velrock';
    assert.isFalse(haveOtherHeads(profileOf(strix, { brand }), profileOf(aqua, { brand }), zeros));
  });
});
