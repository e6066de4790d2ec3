import { assert } from 'chai';
import { compareProfiles, FEATURES, type Features } from '../../../src/matching/features.js';
import { readCandidateNames } from '../../../src/matching/grouping/candidate-names.js';
import {
  haveConflictingNames,
  haveOtherCapacities,
  haveOtherHeads,
} from '../../../src/matching/grouping/name-conflicts.js';
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
    [
      'one shop has it in three other heads',
      [
        ['a', 'Velrock B760M Gaming X Board'],
        ['a', 'Velrock B760M Master Board'],
      ],
      true,
    ],
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

  it('separates listings by a word with which a shop tells its own listings apart, unless they share a model number', () => {
    const names = namesOf([
      ['a', 'Kestrel Studio Suite 3 Premium'],
      ['a', 'Kestrel Studio Suite 3 Premium Upsell'],
      ['b', 'Kestrel Studio Premium 3'],
      ['b', 'Kestrel Film Tool'],
    ]);
    const [a, b] = [
      profileOf('Kestrel Studio Premium 3'),
      profileOf('Kestrel Studio Suite 3 Premium Upsell'),
    ];
    assert.isTrue(haveOtherHeads(a, b, zeros, names));
    assert.isTrue(haveOtherHeads(b, a, zeros, names));
    assert.isFalse(haveOtherHeads(a, profileOf('Kestrel Studio Suite 3 Premium'), zeros, names));
    const [one, other] = ['Kestrel KX3400 Premium', 'Kestrel KX3400 Premium Upsell'].map((name) =>
      profileOf(name),
    ) as [Profile, Profile];
    assert.isFalse(haveOtherHeads(one, other, { ...zeros, codeExact: 1 }, names));
  });
});

describe('haveOtherCapacities', () => {
  const phone = (name: string, description: string | null, gtins: string[] = []) =>
    readProfile({
      name,
      description,
      brand: null,
      internal: { gtins, models: [] },
      source: 'shop',
      comparablePrice: null,
    });
  const small = phone('Velrock Note 13 6GB RAM, 128GB ROM', null);

  it('reads the capacity from the description if the name states none', () => {
    const [other, same] = ['RAM: 8 GB. Storage: 256 GB.', 'RAM: 6 GB. Storage: 128 GB.'].map((description) =>
      phone('Velrock Note 13', description),
    ) as [Profile, Profile];
    assert.isTrue(haveOtherCapacities(small, other));
    assert.isTrue(haveOtherCapacities(other, small));
    assert.isFalse(haveOtherCapacities(small, same));
    assert.isFalse(haveOtherCapacities(small, phone('Velrock Note 13', null)));
  });

  it('does not separate listings that share a GTIN, and does not read the description if the name states a capacity', () => {
    const gtins = ['04006381333931'];
    const other = phone('Velrock Note 13', '256 GB', gtins);
    assert.isFalse(haveOtherCapacities(phone('Velrock Note 13 128GB', null, gtins), other));
    assert.isFalse(haveOtherCapacities(small, phone('Velrock Note 13 128GB', 'Also with 256 GB')));
  });
});

describe('readCandidateNames', () => {
  it('finds listings of which the shop of one has another listing with exactly the name of the other', () => {
    const offers = [
      { shop: 'a', name: 'Velrock Falcon Keyboard, Red Switches' },
      { shop: 'a', name: 'Velrock Falcon Keyboard, Red Switches, White Edition' },
      { shop: 'b', name: 'Velrock FALCON Keyboard, Red Switches' },
      { shop: 'c', name: 'Velrock Falcon Keyboard with Red Switches' },
    ] as const;
    const [plain, white, namesake, reworded] = offers;
    const names = readCandidateNames(offers.map((one) => ({ ...one, profile: profileOf(one.name) })));
    assert.isTrue(names.haveNamesakes(white, namesake));
    assert.isTrue(names.haveNamesakes(namesake, white));
    assert.isFalse(names.haveNamesakes(plain, namesake));
    assert.isFalse(names.haveNamesakes(white, reworded));
    assert.isFalse(names.haveNamesakes(white, plain));
  });
});
