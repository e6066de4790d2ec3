import { assert } from 'chai';
import { compareProfiles, FEATURES, type Features } from '../../../src/matching/features.js';
import { readCandidateNames } from '../../../src/matching/grouping/candidate-names.js';
import { haveConflictingNames, haveOtherHeads } from '../../../src/matching/grouping/name-conflicts.js';
import { type Profile, readProfile } from '../../../src/matching/profile.js';

const profileOf = (name: string, { brand = null as string | null, gtins = [] as string[] } = {}): Profile =>
  readProfile({ name, brand, internal: { gtins, models: [] }, source: 'shop', comparablePrice: null });

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
    ['Optara EON 80 Camera', 'Optara EON 80 Camera Starter Bundle', true],
    [
      'Corvane Ridge 32GB Kit, DDR5, 5200MHz, CL40, XMP, DIMM Memory',
      'Corvane Ridge 32GB Kit, DDR5, 5600MHz, CL40, XMP, DIMM Memory',
      true,
    ],
    ['Fjell Griffin 7200DPI Gaming Mouse', 'Kestrel Surpass RX wireless 7200dpi gaming mouse', true],
    ['Corvane 8GB DDR4 DIMM Memory', 'Corvane 8GB DDR4 SODIMM Memory', true],
    ['Kestrel G604 Wireless Gaming Mouse', 'Kestrel G604 Mouse', false],
    [
      'Optara X3500 DSLR Camera with 18-55mm Lens + 32GB Card, Case',
      'Optara X3500 with 18-140mm Lens Kit',
      true,
    ],
    ['Optara X3500 Camera with 18-55mm Lens', 'Optara X3500 DSLR 18-55mm Lens Kit', false],
    ['500GB Kestrel MX500 SSD with cloning kit', '500GB Kestrel MX500 SSD', true],
    ['Optara X3500 Camera with 18-55mm Lens Kit', 'Optara X3500 Camera with 18-55mm Lens', false],
    ['Velrock Z790 Riptide DDR5', 'Velrock Z790 Riptide, ATX, 4 DDR5, HDMI, DP, PCIe5', false],
  ];
  for (const [a, b, conflict] of TWO_SHOPS) {
    it(`${conflict ? 'separates' : 'may group'} offers of two shops: ${a} / ${b}`, () => {
      assert.strictEqual(haveConflictingNames(profileOf(a), profileOf(b), false), conflict);
      assert.strictEqual(haveConflictingNames(profileOf(b), profileOf(a), false), conflict);
    });
  }

  it('separates a product from what comes with it', () => {
    const internal = { gtins: [], models: [], maker: 'Optara' };
    const [camera, lens, box] = [
      'Optara X3500 DSLR Camera with EF-S 18-135mm f/3.5-5.6 Nano Lens',
      'Optara EF-S 18-135mm f/3.5-5.6',
      'Optara X3500 DSLR Camera with EF-S Lens, Boxed',
    ].map((name) => readProfile({ name, brand: null, internal, source: 'shop', comparablePrice: null })) as [
      Profile,
      Profile,
      Profile,
    ];
    assert.isTrue(haveConflictingNames(camera, lens, false));
    assert.isTrue(haveConflictingNames(lens, camera, false));
    assert.isFalse(haveConflictingNames(camera, box, false));
  });

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
  const namesOf = (listings: readonly [shop: string, name: string, maker?: string][]) =>
    readCandidateNames(
      listings.map(([shop, name, maker]) => ({
        shop,
        name,
        profile: readProfile({
          name,
          brand: null,
          internal: { gtins: [], models: [], ...(maker === undefined ? {} : { maker }) },
          source: 'shop',
          comparablePrice: null,
        }),
      })),
    );
  const noNames = namesOf([]);

  it('separates listings if each head has a word that the other name lacks', () => {
    assert.isTrue(haveOtherHeads(profileOf(strix), profileOf(aqua), zeros, noNames));
    const black = profileOf('Velrock Strix 360 Liquid Cooler Black');
    assert.isFalse(haveOtherHeads(profileOf(strix), black, zeros, noNames));
  });

  it('does not separate listings that share a model number, or that both state a brand', () => {
    const [a, b] = ['Velrock Strix K360 Liquid Cooler', 'Velrock Liquid Cooler Neon Aqua K360'].map((name) =>
      profileOf(name),
    ) as [Profile, Profile];
    assert.isFalse(haveOtherHeads(a, b, { ...zeros, codeExact: 1 }, noNames));
    const brand = 'Velrock';
    assert.isFalse(haveOtherHeads(profileOf(strix, { brand }), profileOf(aqua, { brand }), zeros, noNames));
  });

  const BOARDS = ['Velrock B760M D2H Board', 'Velrock B760M Falcon Elite Board'] as const;
  const [board, otherBoard] = BOARDS.map((name) => profileOf(name)) as [Profile, Profile];
  const SERIES: [
    reason: string,
    others: [shop: string, name: string, maker?: string][],
    separated: boolean,
  ][] = [
    ['other makers have it', [['c', 'Kestrel B760M Ridge', 'Kestrel']], true],
    ['a model number of another maker begins with it', [['c', 'Kestrel B760M-K Ridge', 'Kestrel']], true],
    ['it is in no other name', [['a', 'Velrock Z790 Master Board']], false],
  ];
  for (const [reason, others, separated] of SERIES) {
    it(`takes a code ${separated ? 'for that of a series' : 'for a model number'} if ${reason}`, () => {
      const names = namesOf([['a', BOARDS[0], 'Velrock'], ['b', BOARDS[1], 'Velrock'], ...others]);
      const features = { ...zeros, codeExact: 1 };
      assert.strictEqual(haveOtherHeads(board, otherBoard, features, names), separated);
      assert.strictEqual(haveOtherHeads(otherBoard, board, features, names), separated);
    });
  }

  it('does not take the resolution of a mouse for a model number', () => {
    const [a, b] = ['Kestrel Reaper 6200DPI USB Mouse', 'Kestrel Falcon 6200DP Gaming Mouse'].map((name) =>
      profileOf(name),
    ) as [Profile, Profile];
    const features = compareProfiles(a, b, () => 1);
    assert.isTrue(haveOtherHeads(a, b, features, noNames));
  });

  it('does not take the resolution of a mouse for a model number if a blank stands before the unit', () => {
    const [a, b] = [
      'Wireless Mouse Velrock Surge 350 16000 dpi',
      'KESTREL KT550 Wireless Mouse, 16000DPI',
    ].map((name) => profileOf(name)) as [Profile, Profile];
    assert.isTrue(
      haveOtherHeads(
        a,
        b,
        compareProfiles(a, b, () => 1),
        noNames,
      ),
    );
  });
});
