import { assert } from 'chai';
import type { StoredCandidate } from '../../src/matching/requested/candidate-listing.js';
import { chooseListings } from '../../src/matching/requested/choose-listings.js';
import { asCandidate, readRequestedProduct } from '../../src/matching/requested/requested-product.js';

/** A listing without a stated brand. */
interface Listed {
  name: string;
  maker?: string;
  category?: string;
  price?: number;
}

describe('chooseListings', () => {
  const listing = ({ name, maker, category, price }: Listed): StoredCandidate => {
    const candidate = asCandidate(name);
    return {
      ...candidate,
      source: 'shop',
      category: category ?? null,
      category_path: [],
      comparablePrice: price ?? null,
      internal: { ...candidate.internal, identifiers: [], maker },
    } as unknown as StoredCandidate;
  };

  const CASES: [rule: string, q: string, chosen: (string | Listed)[], refused: (string | Listed)[]][] = [
    [
      'leaves out listings with the inferred maker of another one',
      'velrock rx9500 falcon',
      [{ name: 'Velrock RX9500 Falcon 16GB Graphics Card', maker: 'Velrock' }],
      [{ name: 'Tarnix RX9500 Falcon 16GB Graphics Card for Velrock boards', maker: 'Tarnix' }],
    ],
    [
      'takes no size for the model number of a phone',
      'corvane tarn 12',
      [],
      [
        'Corvane Tarn 9 Pro 256GB 12GB RAM Smartphone',
        'Corvane Tarn 9 128GB 12 Months Warranty 12GB',
        'Corvane Tarn SE 12GB',
        'Corvane Tarn X 12GB 256GB',
        'Corvane Tarn X6 12GB 256GB',
        'Corvane Tarn Note 10 12GB',
        'Corvane Tarn Y540 12GB',
      ],
    ],
    ...['x', '5', '2026', 'M 3', '5 pack'].map((vague): [string, string, Listed[], string[]] => [
      'lists nothing but an exact name for words that name nothing',
      vague,
      [{ name: vague.toUpperCase() }],
      ['Tarnix M 3 X Mouse', '[New 2026] Velrock Power Bank 5 pack', 'Corvane Tarn 5 X'],
    ]),
    [
      'takes "+" after a sun protection factor for no tier',
      'spf50 sunscreen 50ml',
      ['Velrock Sunscreen SPF50+ PA++++, 50ml'],
      ['Velrock Sunscreen SPF30+ 50ml', 'Velrock Sunscreen SPF50+ 75ml'],
    ],
    [
      'takes "+" after a sun protection factor for no tier',
      'sunscreen spf50',
      ['Velrock Sunscreen SPF50+ PA++++, 50ml'],
      ['Velrock Sunscreen SPF30+ 50ml'],
    ],
    [
      'takes what comes with a product for no product of its kind and size',
      'psu with more than 550 w',
      [],
      ['PHANTASM Mesh ATX 4 FAN Case With PSU 550W'],
    ],
    [
      'takes the tier "Plus" for no word before what is in the box',
      'smartphone',
      ['Corvane Tarn 9 Plus 128GB Smartphone', 'Velrock Fathom 8 128GB Smartphone'],
      [],
    ],
    [
      'takes a box for waste toner for no toner',
      'velrock toner',
      ['Velrock Magenta Toner Cartridge'],
      ['Velrock Waste Toner Pack'],
    ],
    ...['12 x 80', '80 x 12'].map((pack): [string, string, string[], string[]] => [
      'reads numbers beside "x" as a number of pieces and a size without its unit',
      `baby wipes ${pack}`,
      ['Tarnix Baby Wipes 12 x 80 sheets', 'Tarnix Baby Wipes, 80 sheets (Pack of 12)'],
      ['Tarnix Baby Wipes 80 sheets x 3', 'Tarnix Baby Wipes 12 x 64 sheets', 'Tarnix Baby Wipes, 80 sheets'],
    ]),
    [
      'takes no single letter for the noun of a request',
      'sunharbor kopi-o 200g',
      ['Sunharbor Kopi-O Bag Coffee, 200g'],
      ['Sunharbor Kopi-O Bag Coffee, 500g'],
    ],
    ['takes no part of a German compound for the whole', 'vollkornbrot', [], ['Tarnix Grill Pita Brot']],
    [
      'passes over words that only describe behind a noun',
      'velrock mouse',
      ['Velrock M90 mouse USB Type-A', 'Velrock Cordless Mouse'],
      ['Velrock Mouse Wireless Charging Pad'],
    ],
    [
      'chooses what a bare number or a kit of parts names',
      '3060',
      ['Velrock RTX 3060 Graphics Card'],
      ['Velrock RTX 3070 Graphics Card'],
    ],
    [
      'chooses what a bare number or a kit of parts names',
      '2 x 8GB',
      ['Velrock Dash DDR4 2 x 8GB Memory'],
      ['Velrock Dash DDR4 8GB Memory'],
    ],
    [
      'chooses the model that the number names',
      'corvane tarn 12',
      ['Corvane Tarn 12 128GB'],
      ['Corvane Tarn 9 Pro 12GB'],
    ],
    [
      'chooses what a name says it is, although the name mentions an accessory and the price is low',
      'tea',
      [
        { name: 'Orchardine Ginger Tea 100g', category: 'Tea', price: 8 },
        { name: 'Sunmellow Mint Tea 100g', category: 'Tea', price: 9 },
        { name: 'Harbourlea Oolong Bag Tea 100g', category: 'Tea', price: 4 },
      ],
      [{ name: 'Harbourlea Tea Case', category: 'Tea', price: 4 }],
    ],
    [
      'takes inches for no model number of a laptop',
      'quenby alder 14',
      [],
      ['Quenby Alder 5 14 inch 16GB', 'Quenby Alder 3 14" 8GB'],
    ],
    ['takes a storage size for no model number', 'quenby folia 64', [], ['Quenby Folia 8 64GB Tablet']],
    ['takes millimetres for no model number', 'quenby orbit 41', [], ['Quenby Orbit 5 41mm Watch']],
    ['takes hours for no model number', 'solvane calm 20', [], ['Solvane Calm 35 Headphones 20 hours']],
    ['takes shots for no model number', 'solvane snap 12', [], ['Solvane Snap 11 Camera 12 Shots']],
    ['takes watts for no model number', 'solvane breeze 425', [], ['Solvane Breeze 8 Vacuum 425W']],
    ['takes no driver for a model number', 'solvane tune 32', [], ['Solvane Tune 510BT 32mm driver']],
    ['takes no model number for a size', 'corvane tarn 9gb', [], ['Corvane Tarn 9 128GB']],
    [
      'takes no size for the number after a maker',
      'corvane 16',
      [],
      [{ name: 'Corvane Nord 3 16GB 256GB', maker: 'Corvane' }],
    ],
    [
      'takes a number after a model for a size',
      'corvane tarn 6 16',
      ['Corvane Tarn 6 16GB'],
      ['Corvane Tarn 6 64GB'],
    ],
    [
      'takes a number after a kind for a size',
      'quenby tv 55',
      ['Quenby QLED TV 55 inch'],
      ['Quenby TV 65 inch'],
    ],
    ['takes inches for a size beside a model number', 'quenby oled 55', ['Quenby OLED C3 55" TV'], []],
    ['takes inches beside a chip for a size', 'quenby book pro 14', ['Quenby Book Pro M3 14-inch 512GB'], []],
    ['takes a decimal number for a size', 'quenby folia 10.9', ['Quenby Folia Air 64GB 10.9-inch'], []],
    [
      'takes a number after a line without models for a size',
      'cellway blue 500',
      ['Cellway Blue 500GB SSD'],
      [],
    ],
    [
      'knows a line by a number beside another one',
      'quenby inspire 3520',
      ['Quenby Inspire 15 3520 8GB'],
      [],
    ],
    [
      'finds a row of models',
      'tindercase case tarn 12',
      ['Tindercase Case for Corvane Tarn 11 / 12'],
      ['Tindercase Case for Corvane Tarn 11, 12cm'],
    ],
    [
      'leaves out a cheap accessory that a name states behind the words of the request',
      'gamestation 5',
      [
        { name: 'Solvane GameStation 5 Console', price: 460 },
        { name: 'GameStation 5 Digital', price: 410 },
      ],
      [
        { name: 'GameStation 5 Access Controller', price: 170 },
        { name: 'GameStation 5 Wireless Headset', price: 90 },
      ],
    ],
    [
      'keeps a product whose name ends in a word for accessories',
      'renova halo h20',
      [
        { name: 'Renova Halo H20', price: 60 },
        { name: 'Renova Halo H20 Desk Lamp', price: 50 },
      ],
      [],
    ],
    [
      'leaves out an accessory by the maker of the product',
      'sono g5',
      [{ name: 'Sono - G5 32GB Phone', maker: 'Sono' }],
      [
        { name: 'Sono - 360 VR Headset for Sono G5', maker: 'Sono' },
        { name: 'Sono - Viewer Plus for Sono G5', maker: 'Sono' },
      ],
    ],
    [
      'accepts an accessory by the name of its line',
      'shelltec defender ringo 7',
      [{ name: 'Shelltec - Defender Series Case for Ringo 7 - Black', maker: 'Shelltec' }],
      [],
    ],
    [
      'accepts a product with the requested model number that states what it is compatible with',
      'coldtec ar12-tuf',
      [{ name: 'Coldtec AR12-TUF Copper CPU Cooler Compatible with LGA 1700', maker: 'Coldtec' }],
      [],
    ],
    [
      'leaves out a longer model number in which another number follows the requested one',
      'netrix sg105',
      ['Netrix SG105 5-Port Switch'],
      ['Netrix NL-SG105-M2 5-Port 2.5G Switch'],
    ],
    ['accepts a number behind a hyphen that is requested', 'corex i7 920', ['Corex i7-920 2.66 GHz'], []],
    [
      'prefers the requested colour in the name',
      'tarnix yellow drum (30000 pages)',
      ['Tarnix Yellow Drum (30000 pages)'],
      ['Tarnix Black Drum (30000 pages)'],
    ],
    [
      'prefers an edition that the request does not exclude',
      'tarnix designer cs3',
      ['Tarnix Designer CS3 [Mac]'],
      ['Tarnix Designer CS3 Upgrade from Pager', 'Tarnix Designer CS3 Student'],
    ],
    [
      'leaves out a bundle of something else',
      'ps5 controller',
      [],
      ['PS5 CONSOLE – TWO WIRELESS CONTROLLERS BUNDLE'],
    ],
    [
      'accepts a fan for computer cases, which is no case',
      'coldtec cf37 silent wings 2 pwm 8cm',
      ['Coldtec CF37 Silent Wings 2 PWM 8cm Case Fan, Sleeve Bearing'],
      [],
    ],
    [
      'accepts a computer case of which the name says the size before',
      'norvik mtx-008b',
      ['Norvik MTX-008B Mini ITX Slimline Desktop Case, 300W'],
      [],
    ],
    [
      'accepts a request that ends with a word that describes the product',
      'coldtec silent base 802 gaming',
      ['Coldtec Silent Base 802 Gaming Case, E-ATX'],
      [],
    ],
    [
      'takes no specification for an edition',
      'coldtec link rx120 white',
      [
        'Coldtec Link RX120 12cm Case Fan, 8 ARGB LEDs, Magnetic Bearing, White, Single Fan Expansion Kit',
        'Coldtec Link RX120 12cm Case Fan, 8 ARGB LEDs, Magnetic Bearing, White',
      ],
      [],
    ],
    [
      'accepts a watch of which the name says the case and the band',
      'tarnix watch series 8',
      [
        {
          name: 'Tarnix Watch Series 8 GPS 41mm Silver Aluminium Case with White Sport Band',
          maker: 'Tarnix',
        },
      ],
      ['Thin Leather Watch Strap Tarnix Watch Series 9, 8, 7'],
    ],
    [
      'accepts a radio with two bands, which are no straps',
      'netrix r15',
      ['Netrix R15 wireless router Gigabit Ethernet Dual-band (2.4 GHz / 5 GHz) White'],
      [],
    ],
    [
      'accepts a product with a free accessory',
      'nobi jr kids tablet',
      ['Nobi Jr. Kids Educational Tablet 1gb Ram- WiFi And Bluetooth Plus Free Pouch'],
      [],
    ],
    [
      'accepts a number that is a size in millimetres',
      'coldtec freezer ii 360',
      ['Coldtec Freezer II ARGB 360mm Liquid CPU Cooler'],
      ['Coldtec Freezer II 280 ARGB 280mm Liquid CPU Cooler'],
    ],
    [
      'accepts names that state a number with and without a unit',
      'crux 16gb ddr4 3200 sodimm',
      [
        'Crux 16GB DDR4 3200 MT/s (PC4-25600) SODIMM 260-Pin Memory',
        'Crux 16GB 3200MHz DDR4 SODIMM Notebook Memory',
      ],
      [],
    ],
    [
      'accepts a bundle with the product',
      'gamestation 4',
      ['Solvane - GameStation 4 1TB Console Bundle'],
      [],
    ],
    [
      'keeps all cards with a requested chip of AMD',
      'rx 7900',
      ['Velrock RX 7900 EVO 16GB'],
      ['Velrock RX 7900 GRE 16GB', 'Velrock RX 7900 XTX 24GB'],
    ],
    [
      'leaves out what goes with a game console that is named at the end',
      'ps5',
      ['PS5 Console'],
      ['Solvane Pulse Wireless Earbuds - PS5', 'Racing Sunday (PS5)'],
    ],
    [
      'leaves out a variant whose word follows the requested words, if another listing is the product itself',
      'solvane toggle',
      [{ name: 'Solvane Toggle with Neon Pads', category: 'Consoles' }],
      [{ name: 'Solvane Toggle Lite Blue', category: 'Consoles' }],
    ],
    [
      'keeps a variant of a kind of product',
      'wireless mouse',
      [
        { name: 'Corvane Wireless Mouse', category: 'Mouse' },
        { name: 'Wireless Mouse Mini', category: 'Mouse' },
      ],
      [],
    ],
    [
      'leaves out computers with the requested chip, even if no listing is the chip',
      'intel core i7 13700',
      [],
      ['Corvane Elite 800 G9 Desktop PC, Intel Core i7 13700, 16GB DDR5'],
    ],
    [
      'keeps all cards with a requested chip, also if the number is part of a word',
      'rtx 3050',
      [
        'Tarnix GeForce RTX 3050 WINDY OC 8G',
        'Tarnix Dual RTX 3050 V2 OC',
        'Velrock RTX3050 DUAL V2, PCIe4, 8GB',
      ],
      ['Corvane G15 Laptop (GeForce RTX 3050)'],
    ],
    [
      'takes a model number with three digits for no graphics chip',
      'coldtec rx140',
      ['Coldtec RX140 14cm Case Fan'],
      ['Coldtec RX140 Pro 14cm Case Fan'],
    ],
    [
      'takes the words of a card for no part of the name of its chip',
      'rtx 4060',
      ['Tarnix DUAL RTX4060 EVO OC, PCIe4, 8GB DDR6'],
      ['Tarnix DUAL RTX4060 Ti EVO OC, PCIe4, 8GB DDR6'],
    ],
    [
      'reads no pack and no mass in the fans and the memory of a graphics card',
      'rtx 4070 12gb',
      ['Tarnix GeForce RTX 4070 VENTOR 3X 12G OC'],
      ['Tarnix GeForce RTX 4070 VENTOR 3X 16G OC'],
    ],
    [
      'reads a capacity without B as one',
      'corvane dual 32gb',
      ['Corvane Dual USB Flash Drive 32G'],
      ['Corvane Dual USB Flash Drive 64G'],
    ],
    [
      'counts the cores and threads of a processor as no other variant',
      'amd ryzen 7 5800x',
      [
        { name: 'AMD Ryzen 7 5800X 8C/16T AM4 CPU', maker: 'AMD' },
        { name: 'AMD Ryzen 7 5800X 8-Core 3.8GHz AM4 CPU', maker: 'AMD' },
      ],
      [],
    ],
    [
      'reads the aperture of a lens as no volume',
      'optara ef 50mm f1.2l',
      ['Optara EF 50mm f/1.2L USM'],
      ['Optara EF 50mm f/1.8 STM'],
    ],
    [
      'accepts a letter behind a hyphen that a shop adds to a model number',
      'des-f1018p',
      ['Corvane 16-Port Switch (DES-F1018P-E)'],
      ['Corvane 16-Port Switch (DES-F1018PE)'],
    ],
    [
      'takes a part that the specifications name for no accessory',
      'gt 1030',
      [
        { name: 'Tarnix GT 1030 4GB', category: 'Cards', price: 90 },
        {
          name: 'Velrock GT1030, 2GB DDR4, PCIe3, DVI, HDMI, Low Profile (No Bracket)',
          category: 'Velrock',
          price: 87,
        },
      ],
      [{ name: 'Bracket for GT 1030', category: 'Parts', price: 9 }],
    ],
    [
      'takes a part number for no spare part',
      'norvik 310w desktop power supply',
      ['Norvik 310W Desktop Power Supply Model: D18-310P1A Part Number: L33619-002'],
      [],
    ],
    [
      'finds a skin by its whole name, which says what it fits',
      'vaxo great tide print skin decals designed to fit gamestation one x',
      ['VAXO Great Tide Print Skin Decals Designed to Fit GameStation One X - XXGC8'],
      [],
    ],
    [
      'leaves out a listing to which the same shop adds two words for a variant',
      'tarnix 5000d airflow gaming case',
      ['Tarnix 5000D Airflow Gaming Case w/ Glass Window, E-ATX'],
      ['Tarnix vCUE 5000D RGB AIRFLOW Gaming Case w/ Glass Window, E-ATX'],
    ],
    [
      'accepts a tier behind a long model number, if no listing has none',
      'corvane 1tb hv620s',
      ['Corvane 1TB HV620S Slim External Hard Drive'],
      [],
    ],
    [
      'prefers the model number without a tier',
      'corvane 1tb hv620s',
      ['Corvane 1TB HV620S External Hard Drive'],
      ['Corvane 1TB HV620S Slim External Hard Drive'],
    ],
    ['accepts no tier behind a short number', 'corvane orbit 13', [], ['Corvane Orbit 13 Pro']],
    ['accepts no tier behind the number of a line', 'corvane buds2', [], ['Corvane BUDS2 Pro']],
    [
      'keeps two words that describe what a line names',
      'ottra symmetra series case',
      ['Ottra Symmetra Series Case for Orbit S7', 'Ottra Symmetra Series Hard Shell Case for Orbit S7'],
      [],
    ],
    [
      'takes "body only" for no variant',
      'optara eon 5d',
      ['Optara EON 5D Camera', 'Optara EON 5D Camera (Body Only)'],
      [],
    ],
    ['keeps "play" apart as a tier', 'moda g4', [], ['Moda G4 Play 4G LTE with 16GB']],
    [
      'reads FE before a focal length as no tier',
      'sonvara sel70200g',
      ['Sonvara SEL70200G FE 70-200mm f/4 G OSS Lens'],
      [],
    ],
    [
      'reads the line of a graphics chip as no tier of the number before it',
      'velrock xtreme vr800 i7-8700',
      ['Velrock Xtreme VR800, i7-8700, GTX 1060 6GB, 16GB Memory'],
      [],
    ],
    [
      'takes no connector for the thing that is sold',
      'kingsway displayport male to vga female',
      ['Kingsway DisplayPort Male to VGA Female Adapter'],
      [],
    ],
    [
      'refuses an accessory for the thing that a long request names',
      'velrock arena large gaming mouse',
      [],
      ['Velrock Arena Large Gaming Mouse Pad'],
    ],
    [
      'reads "Bluetooth-compatible" as Bluetooth',
      'zr20 earphone bluetooth-compatible wireless headset',
      ['ZR20 TWS Earphone Bluetooth-compatible Wireless Headset'],
      [],
    ],
    [
      'accepts the beginning of a long model number',
      'tarnix ls24a400',
      ['Monitor Tarnix LS24A400UJUXEN FHD LED'],
      ['Monitor Tarnix LS24A600UJUXEN FHD LED'],
    ],
    [
      'accepts the beginning of a model number before a hyphen',
      'wd15smrw',
      ['WD15SMRW-11YNDS0, Western Digital 1.5 TB USB Hard Disk Drive'],
      [],
    ],
    [
      'accepts a model number without the letters before its first hyphen',
      'velrock h110m-s2ph',
      ['Velrock VA-H110M-S2PH Motherboard'],
      ['Velrock VA-H110M-S2 Motherboard'],
    ],
    [
      'prefers the whole model number to a longer one',
      'sceptor e248w',
      ['Sceptor E248W Monitor'],
      ['Sceptor E248W-19203R Monitor'],
    ],
    [
      'chooses none of several products whose model numbers begin with the requested one',
      'corvane lm32x',
      [],
      ['Corvane Monitor LM32X-U400P', 'Corvane Monitor LM32X-E230C'],
    ],
    [
      'accepts dimensions without the last one',
      'rgb mouse pad 350x250',
      ['RGB Mouse Pad 1 Port USB / 350x250x4 mm'],
      ['RGB Mouse Pad 1 Port USB / 900x350x4 mm'],
    ],
    [
      'accepts a size in whole inches',
      'corvane featherbook 15',
      ['Corvane Featherbook 15.3-inch 8GB'],
      ['Corvane Featherbook 13.6-inch 8GB'],
    ],
    [
      'accepts whole inches with their unit',
      'corvane laptop 15 inch',
      ['Corvane Laptop 15.6" 4K'],
      ['Corvane Laptop 17.3" 4K'],
    ],
    [
      'accepts a clock rate without its unit',
      'zpyc 7643 2.3',
      ['ZPYC 7643 48 Cores 2.3 GHz'],
      ['ZPYC 7643 48 Cores 2.8 GHz'],
    ],
    [
      'reads the number of a model before a processor as no number of cores',
      'corvane latitude 5450 14.0',
      ['Corvane Latitude 5450 Core Ultra 5 125U/14.0"/16GB'],
      ['Corvane Latitude 5440 Core Ultra 5 125U/14.0"/16GB'],
    ],
    [
      'accepts a tier behind a model number that ends with a letter',
      'tarnix wrx80e-sage',
      ['Tarnix PRO WS WRX80E-SAGE SE WIFI, Workstation, EATX'],
      [],
    ],
    [
      'takes the form of a memory module for no thing that the memory is for',
      'kingsway 8gb ddr4 2666 sodimm',
      ['Kingsway 8GB, DDR4, 2666MHz (PC4-21300), CL19, SODIMM Memory'],
      [],
    ],
    [
      'leaves out a camera with the lens that is requested',
      'optara rf 24-105mm f4',
      [],
      [{ name: 'Optara EON R5, RF 24-105mm f/4L IS USM', maker: 'Optara' }],
    ],
    [
      'keeps a camera that is requested with its lens',
      'optara eon 6d 24-105mm f4',
      [{ name: 'Optara EON 6D DSLR Camera with 24-105mm f/4L Lens', maker: 'Optara' }],
      [],
    ],
    [
      'takes a resolution behind a model number for no other model number',
      'djin zenith x9',
      ['DJIN Zenith X9-8K Gimbal Camera'],
      [],
    ],
    [
      'prefers a number of the requested line',
      'nitrox 5',
      ['Nitrox 5 Gaming Laptop'],
      ['Corvane Nitrox V Razen 5 7535HS Gaming Laptop'],
    ],
    [
      'prefers a listing that repeats a word as the request does',
      'hamilton 3.5mm cable male to male',
      ['Hamilton 3.5mm Jack Stereo Cable, Male to Male'],
      ['Hamilton 3.5mm Jack Stereo Cable, Male to Female'],
    ],
    [
      'accepts a number after the same word, although a unit seems to follow',
      'jaborra evolv 20',
      ['JABORRA EVOLV 20 MS Stereo USB A Headset'],
      ['JABORRA EVOLV 30 MS Stereo USB A Headset'],
    ],
    [
      'takes a model number that the request states twice for one',
      'sonvara kd49xf7073/kd49xf7073',
      ['Sonvara KD49XF7073/KD49XF7073 TV', 'Sonvara 49 inch KD49XF7073 TV'],
      [],
    ],
    [
      'reads V before three digits as part of a model number, which may have a tier',
      'ratoo v500',
      ['RATOO V500 Pro Backlit Keyboard'],
      [],
    ],
    [
      'takes the window of a computer case for no screen protector',
      'coldtec matrix 50 add-rgb 4f',
      ['Coldtec MATRIX 50 ADD-RGB 4F LD Mid-Tower Case, Supports E-ATX, Tempered Glass'],
      [],
    ],
    [
      'accepts a computer case of which the name states the number of fans',
      'phantasm t400',
      ['PHANTASM T400 MESH ATX 4 FAN Case With PSU'],
      [],
    ],
    [
      'takes a computer case for no accessory of what its name says before',
      'cix classic micro atx',
      ['CiX Classic Micro ATX Case, 500W, 2x USB 3.0'],
      [],
    ],
    [
      'takes a connector for no thing that a cable is for',
      'spike usb-c to lightning',
      ['Spike USB-C to Lightning Cable, 2 Metres, White'],
      [],
    ],
    [
      'finds a console by the short name of its model',
      'ps5 digital',
      ['PlayStation 5 Digital Edition'],
      ['PlayStation 4 Digital Edition'],
    ],
  ];
  for (const [rule, q, chosen, refused] of CASES) {
    it(rule, () => {
      const [right, wrong] = [chosen, refused].map((some) =>
        some.map((one) => listing(typeof one === 'string' ? { name: one } : one)),
      );
      const found = [...(right ?? []), ...(wrong ?? [])].map((candidate, id) => ({
        candidate: { ...candidate, id },
        named: true,
        stated: true,
        described: true,
      }));
      const names = chooseListings(readRequestedProduct(q), found).map(({ candidate }) => candidate.name);
      assert.deepEqual(
        names,
        (right ?? []).map(({ name }) => name),
      );
    });
  }

  it('finds a model number in one word that the search for its parts does not find', () => {
    const candidate = listing({ name: 'Corvane HD710 Pro Rugged External Hard Drive', maker: 'Corvane' });
    const found = [{ candidate, named: false, stated: false, described: false }];
    const chosen = (q: string) => chooseListings(readRequestedProduct(q), found).length;
    assert.strictEqual(chosen('corvane hd 710 pro rugged'), 1);
    assert.strictEqual(chosen('corvane hd 710 pro slim rugged'), 0);
  });

  it('does not take a listing of another maker, which it does not know, for one that leaves out its maker', () => {
    const found = [
      { candidate: listing({ name: 'ZETEC GeForce RTX 4080 16GB AMP' }), stated: false },
      { candidate: listing({ name: 'Tarnix RTX4080 SUPER 16GB', maker: 'Tarnix' }), stated: true },
    ].map((one, id) => ({ ...one, candidate: { ...one.candidate, id }, named: one.stated, described: true }));
    assert.lengthOf(chooseListings(readRequestedProduct('tarnix rtx 4080'), found), 0);
  });

  it('finds the body of a camera by a name that states no lens', () => {
    const found = ['Optara GX7 Mirrorless Camera', 'Optara GX7 Mirrorless Camera with 12-60mm Lens'].map(
      (name, id) => ({
        candidate: { ...listing({ name }), id },
        named: false,
        stated: false,
        described: false,
      }),
    );
    const chosen = chooseListings(readRequestedProduct('optara gx7 body'), found);
    assert.deepEqual(
      chosen.map(({ candidate: { id } }) => id),
      [0],
    );
  });

  const NOTATIONS: [q: string, name: string][] = [
    ['optara ef 50mm f1.8', 'Optara EF50MM F/1.8 STM Lens'],
    ['optara ef50mm', 'Optara EF 50mm f/1.4'],
    ['tarnix ne1000', 'Tarnix NE 1000w 80+ Gold'],
    ['coldtec bk 033', 'Coldtec BK033 Rock 2 FX Heatsink'],
    ['velrock fo 48u', 'Velrock FO48U 48" 4K 120Hz'],
    ['coldtec cx 500m', 'Coldtec CX500M RGB Gaming Case'],
    ['kingsway 8gb ddr4 2666 cl 19', 'Kingsway 8GB, DDR4, 2666MHz (PC4-21300), CL19'],
    ['coldtec rx 140', 'Coldtec Titan 280 Cooler, RX140 Fans'],
    ['zpyc7643', 'ZPYC 7643 48 Cores'],
    ['corvane notebook pro14', 'Corvane Notebook Pro 14 Inch 8GB'],
    ['velrock wiw28500 gb/wiw28500 gb', 'Velrock WIW28500GB Washing Machine'],
    ['optara 17-28 f2.8', 'Optara 17-28mm f/2.8 Di III RXD Lens'],
    ['optara 45-175 f4-5.6', 'Optara 45-175mm F4.0-5.6 Lens'],
    ['optara 135mm f/2', 'Optara 135mm F2.0'],
    ['tarnix an16-41', 'Notebook|TARNIX|AN16-41-R4A0|16GB'],
    ['sonvara sq45', 'Sonvara SereneQuiet 45 Headphones'],
    ['sonvara sq45', 'Sonvara Serene Quiet 45 Headphones'],
  ];
  for (const [q, name] of NOTATIONS) {
    it(`finds "${name}" for "${q}"`, () => {
      const found = [{ candidate: listing({ name }), named: false, stated: false, described: false }];
      assert.lengthOf(chooseListings(readRequestedProduct(q), found), 1);
    });
  }

  it('takes no used goods for another edition because their names say so, if their condition is known', () => {
    const names = ['Used Corvane Tarn 9 Smartphone', 'Corvane Tarn 9 Smartphone'];
    const chosen = (condition?: object) => {
      const found = names.map((name, id) => {
        const one = listing({ name });
        const internal = { ...one.internal, condition } as StoredCandidate['internal'];
        const candidate = { ...one, id, brand: 'Corvane', internal };
        return { candidate, named: true, stated: true, described: true };
      });
      return chooseListings(readRequestedProduct('corvane tarn 9'), found).length;
    };
    assert.deepEqual([chosen(), chosen({ value: 'used', basis: 'stated', stated: 'used' })], [1, 2]);
  });

  it('accepts the line without the maker that other names have before it', () => {
    const chosen = (...names: string[]) => {
      const found = names.map((name, id) => ({
        candidate: { ...listing({ name }), id },
        named: false,
        stated: false,
        described: false,
      }));
      return chooseListings(readRequestedProduct('mixia rodmi note 13'), found).map(
        ({ candidate: { name } }) => name,
      );
    };
    assert.deepEqual(chosen('Rodmi Note 13', 'Mixia Rodmi Note 11'), ['Rodmi Note 13']);
    assert.deepEqual(chosen('Rodmi Note 13', 'Mixia Rodmi Note 13'), ['Mixia Rodmi Note 13']);
    assert.isEmpty(chosen('Rodmi Note 13'), 'no name has the maker');
    assert.isEmpty(chosen('Rodmi Note 13', 'Mixia Rodmi Note 11', 'Corvane Rodmi Note 11'));
  });

  it('accepts a model after its line if the name leaves out the maker that others state', () => {
    const found = [
      { candidate: listing({ name: 'EOS 90D Digital SLR Camera with EF-S 18-55mm Lens' }), stated: false },
      { candidate: listing({ name: 'Optar EOS 90D with 18-135mm Lens Kit', maker: 'Optar' }), stated: true },
    ].map((one, id) => ({ ...one, candidate: { ...one.candidate, id }, named: one.stated, described: true }));
    const chosen = chooseListings(readRequestedProduct('optar eos 90d 18-55mm'), found);
    assert.deepEqual(
      chosen.map(({ candidate: { id } }) => id),
      [0],
    );
  });
});
