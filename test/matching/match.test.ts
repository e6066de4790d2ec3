import { assert } from 'chai';
import type { Candidate } from '../../src/matching/evidence.js';
import { matchCandidates, MATCH_THRESHOLD } from '../../src/matching/match.js';
import { candidate } from '../support/listings.js';

let nextId = 1;

const listing = (name: string, fields: Partial<Candidate> = {}) => candidate(nextId++, name, fields);
const score = (a: Candidate, b: Candidate): number => matchCandidates(a, [b])[0]?.score ?? NaN;
const matches = (a: Candidate, b: Candidate) => assert.isAtLeast(score(a, b), MATCH_THRESHOLD);
const differs = (a: Candidate, b: Candidate) => assert.isBelow(score(a, b), MATCH_THRESHOLD);
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
  ['memory and storage before one unit', 'Nothing Phone 2 6/128GB Grey', 'Nothing Phone 2 128GB Grey'],
  ['a plus sign', 'Samsung Galaxy S24+ 256GB', 'Samsung Galaxy S24 Plus 256GB'],
  ['a kit that is the thing', 'Lexar Ares DDR5 Memory Kit 2x16GB LD5U16G64C32', 'Lexar Ares DDR5 2x16GB LD5U16G64C32'],
  ['a size as a diagonal', 'LG OLED55C3 TV 55 diagonal', 'LG OLED55C3 55 inch TV'],
  ['what a screen is called', 'Toshiba 43UF3D53DB 43 Ultra HD TV', 'Toshiba 43UF3D53DB 43" 4K TV'],
  ['a colour in the name of a line', 'Green Jetty Travel Mug Steel 450ml Black', 'Green Jetty Travel Mug Steel 450 ml, black'],
  ['a purifier that is no tier', 'Airella AP-3005 Air Purifier', 'Airella Air Purifier AP-3005'],
  ['a spare that is the thing', 'Airella HEPA Filter AF-77, White', 'Airella AF-77 Replacement Filter'],
  ['a spare in another language', 'Gripwell Travel Camera Battery for Obscuro OR-540M3', 'Bateri Kamera untuk Obscuro OR-540M3 Gripwell Travel'],
  ['what follows the lines of a screen', 'Vistaro VJ-470M2 720p Mini Smart Projector White', 'Vistaro VJ-470M2 Projector, 720p, White'],
  ['a scale written otherwise', 'Dravik RC Monster Truck 1:18', 'Dravik RC Monster Truck 1/18 Scale'],
  ['what a company is called', 'Bright Kite Sketchbook 4', 'Bright Kite Ltd Sketchbook 4'],
  ['a chip as another shop writes it', 'Intel Core i7-14700K Desktop Processor', 'Intel Core i7 14700K Processor'],
  ['memory of a graphics card', 'Ventor Twin RTX 4060 Laptop 16GB DDR5', 'Ventor Twin RTX 4060 Laptop 16GB GDDR6'],
  ['two generations of memory', 'Kingsway Memory Tester MT-800X DDR4 DDR5', 'Kingsway Memory Tester MT-800X DDR4'],
  ['dimensions in another order', 'Velor Baking Mat Silicone 30x40cm', 'Velor Silicone Baking Mat 40 x 30 cm'],
  ['one dimension less', 'Velor Cutting Board Oak 30x40x2cm', 'Velor Cutting Board Oak 30 x 40 cm'],
  ['an amount that looks like a dimension', 'Velor Apple Juice 6 x 250 ml', 'Velor Apple Juice 6x250ml'],
  ['a number before "x"', 'Ventor 7 1700x 8 core Processor', 'Ventor 7 1700X Processor 8-core'],
  ['two alternatives in one name', 'Torvik AP-2200 Access Point Indoor/Outdoor', 'Torvik AP-2200 Outdoor Access Point'],
  ['alternatives that are named more than once', 'Torvik Glove Left Right Left', 'Torvik Glove Right'],
  ['a decimal comma at the end of the head', 'Torvik IronDisk Pro 16TB 3,5" NAS HDD', 'Torvik IronDisk Pro 16 TB 3.5" NAS HDD'],
  ['escaped quotation marks', 'Velor Clear Drum Head 14\\" TT14', 'Velor Clear Drum Head TT14, 14 Inch'],
  ['a chip of a laptop in short', 'Acer Swift SFG14-71 i5-1335U 16GB', 'Acer Swift SFG14-71 Core i5-1335 16GB'],
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
  ['a neighbour of the model', 'Tefal AH-730M7 Hood', 'Tefal AH-730M6 Hood'],
  ['a neighbour written apart', 'Tefal AH 730 M7 Hood', 'Tefal AH-730M6 Hood'],
  ['another letter after a shared model number', 'Vistaro VJX-820 Portable Projector - VJX820P', 'Vistaro VJX820 Portable Projector - VJX820/W'],
  ['another letter after a chipset', 'Ventor Strix B550-F Gaming AM4 B550 Chipset ATX Motherboard', 'Ventor Strix B550-E Gaming AM4 ATX Motherboard'],
  ['other memory of one standard', 'Kingston Fury PC4-24000 2x8GB', 'Kingston Fury PC4-24000 2x16GB'],
  ['another camera of a line', 'Canon EOS 77D Body', 'Canon EOS 200D Body'],
  ['another screen', 'Hisense A7 Smart TV 43"', 'Hisense A7 Smart TV 65"'],
  ['another volume', 'Bosch Styline Kettle 1.7 L White', 'Bosch Styline Kettle 1 L White'],
  ['another length', 'Anker USB-C Cable 1 m Black', 'Anker USB-C Cable 2 m Black'],
  ['another power', 'Corsair RM Power Supply 550 W', 'Corsair RM Power Supply 650 W'],
  ['another shoe size before a comma', 'Velocet Rally 6 Badminton Shoes US 7, White', 'Velocet Rally 6 Badminton Shoes, US 10, White'],
  ['another shoe size', 'Asics Gel Kayano 30 US 9', 'Asics Gel Kayano 30 US 11'],
  ['another number of the same thing', 'Breville VTT476 2-Slice Toaster', 'Breville VTT476 4-Slice Toaster'],
  ['a tier of another word', 'Realme GT 5G 2 Neo', 'Realme GT 5G 2 Ace'],
  ['another scale', 'Dravik RC Monster Truck 1:18', 'Dravik RC Monster Truck 1:14 Scale'],
  ['another scale with a stroke', 'Dravik RC Monster Truck 1/18', 'Dravik RC Monster Truck, scale 1:14'],
  ['another case of a watch', 'Mirevo Orbit 5 Smartwatch 45 mm GPS', 'Mirevo Orbit 5 Smartwatch 41mm GPS'],
  ['a tier after a model number written apart', 'Wexler WCM 4203 Plus Coffee Maker', 'Wexler WCM4203 Coffee Maker'],
  ['the brush heads', 'Dentora SonicPulse Electric Toothbrush', 'Dentora SonicPulse Electric Toothbrush Brush Heads'],
  ['the filter', 'Airella Breeze 300 Air Purifier', 'Airella Breeze 300 Air Purifier Filter'],
  ['the filter under its model number', 'Airella AP-3005 Air Purifier', 'Airella AP-3005 HEPA Filter'],
  ['one camera of two', 'Ostrel Dash Cam D20 Front and Rear', 'Ostrel Dash Cam D20 Front Only'],
  ['the body without the lens', 'Fotura X100 Camera with 16-50mm Lens', 'Fotura X100 Camera Body Only'],
  ['the body and the kit', 'Fotura X100 Camera 16-50mm Kit', 'Fotura X100 Camera, Body'],
  ['an escaped quotation mark', 'Velor Clear Drum Head 14\\" TT14', 'Velor Clear Drum Head 8 Inch'],
  ['a part number with dots', 'Horen Seamaster Ocean Chronograph Automatic 215.30.46.51.01.001', 'Horen Seamaster Ocean Automatic Chronograph Steel Watch 232.32.46.51.01.002'],
  ['another size of a tyre', 'Gravix High Ridge II Tire - 27.5 x 2.4, Tubeless, Folding, Black', 'Gravix High Ridge II Tire: 27.5 x 2.50\\", Folding, Tubeless Ready, Black'],
  ['other dimensions in one unit', 'Velor Baking Mat Silicone 30x40cm', 'Velor Silicone Baking Mat 40 x 60 cm'],
  ['a corded drill', 'Torvik Impact Drill 18V Cordless', 'Torvik Impact Drill Corded'],
  ['one ear of two', 'Velor Evo 65 USB Headset Mono', 'Velor Evo 65 USB Headset Stereo'],
  ['another source of energy', 'Velor 7.3 Cu. Ft. White Dryer Gas', 'Velor 7.3 Cu. Ft. White Dryer Electric'],
  ['another language', 'Lingua Instant Immersion German Deluxe 3.0', 'Lingua Instant Immersion Italian Deluxe 3.0'],
  ['another system', 'Publisher Suite 8 for Mac', 'Publisher Suite 8 for Windows'],
  ['another variant of a program', 'Publisher Photo Studio 8 Home', 'Publisher Photo Studio 8 Professional'],
  ['another lens with the same apertures', 'Fotura 18-135mm f/3.5-5.6 IS Lens', 'Fotura 18-200mm f/3.5-5.6 IS Lens'],
  ['another processor of a number', 'Intel Core i7-14700F Processor LGA1700', 'Intel Core i7-14700K Processor LGA1700'],
  ['a processor with a graphics chip', 'AMD Ryzen 7 5700X Processor AM4', 'AMD Ryzen 7 5700G Processor AM4'],
  ['another graphics chip on a board', 'Ventor Twin OC GeForce RTX 4060 Ti 8GB', 'Ventor Twin OC GeForce RTX 4060 8GB'],
  ['another processor in a laptop', 'HP Envy X360 15 i7-1255U 16GB 512GB', 'HP Envy X360 15 i5-1235U 16GB 512GB'],
  ['another generation of memory', 'Gigabyte B760M H DDR5 Motherboard', 'Gigabyte B760M H DDR4 Motherboard'],
  ['something else', 'Stainless steel kettle 1.7 l', 'Garden hose 20 m'],
]; // prettier-ignore

describe('matching', () => {
  for (const [what, a, b] of SAME) {
    it(`matches listings of the same product in spite of ${what}`, () => {
      matches(listing(a), listing(b));
      matches(listing(b), listing(a));
    });
  }

  for (const [what, a, b] of DIFFERENT) {
    it(`does not match: ${what}`, () => {
      differs(listing(a), listing(b));
      differs(listing(b), listing(a));
    });
  }

  it('gives a pair the same score from either side', () => {
    for (const [, a, b] of [...SAME, ...DIFFERENT]) {
      assert.strictEqual(score(listing(a), listing(b)), score(listing(b), listing(a)), `${a} / ${b}`);
    }
  });

  it('trusts a GTIN more than names, but not against a contradiction', () => {
    const internal = { gtins: ['04006381333931'], models: [] };
    const stated = (name: string, brand: string | null = null) => listing(name, { internal, brand });
    assert.isAbove(score(stated('Crisp oats', 'Kornhof'), stated('Haferflocken knusprig', 'Kornhof')), 0.9);
    assert.isAbove(score(stated('Green tea tin'), stated('绿茶罐')), 0.9, 'names in other scripts');
    differs(listing('Crisp oats 500g 1 pack', { internal }), listing('Crisp oats 500g 6 pack', { internal }));
  });

  it('does not trust a GTIN that listings of different kinds share', () => {
    const internal = { gtins: ['04006381333931'], models: [] };
    const pairs: [a: string, b: string][] = [
      ['Garden gnome Willi', 'Thread spool 500 m'],
      ['Desk lamp Norra 30 cm', 'Steel spice rack 30 cm'],
      ['Garden gnome with lantern', 'Garden hose reel trolley, green'],
    ];
    for (const [a, b] of pairs) {
      differs(listing(a, { internal }), listing(b, { internal }));
      const matched = matchCandidates(listing(a, { internal }), [listing(b, { internal })])[0];
      assert.include(matched?.contradictions ?? [], 'kind', a);
    }
    matches(listing('Brulo coffee beans 500 g', { internal }), listing('Coffee beans Brulo', { internal }));
    matches(listing('Kestrel kettle KX-170', { internal }), listing('KX170 Wasserkocher', { internal }));
  });

  it('treats a different GTIN as another product', () => {
    const stated = (gtin: string) => listing('Crisp oats', { internal: { gtins: [gtin], models: [] } });
    differs(stated('04006381333930'), stated('04006381333931'));
    matches(listing('Crisp oats'), listing('Crisp oats'));
  });

  it('treats a model that the feed states like a model number in the name', () => {
    const stated = listing('Sony noise cancelling headphones', {
      internal: { gtins: [], models: ['wh1000xm5'] },
      brand: 'Sony',
    });
    assert.include(reasons(stated, listing('Sony WH-1000XM5 headphones')), 'model');
    matches(stated, listing('Sony WH-1000XM5 noise cancelling headphones'));
  });

  it('lets the metadata take precedence over the name', () => {
    const stated = (metadata: object, more = '') =>
      listing(`Golden Prow Electric Kettle${more}`, { brand: 'Golden Prow', metadata });
    const kettle = stated({ colour: 'Black', size: '1.7L' });
    matches(kettle, stated({ colour: 'black', size: '1.7 l' }));
    matches(kettle, stated({ shop: 'another', stock: '3' }));
    differs(kettle, stated({ colour: 'White', size: '1.7L' }));
    differs(kettle, stated({ colour: 'Black', size: '1L' }));
    differs(kettle, stated({}, ', White, 1.7 l'));
  });

  it('treats a listing whose metadata says what it goes with as another product', () => {
    const glass = (device: string) =>
      listing('Gripline Tempered Glass Clear', { brand: 'Gripline', metadata: { compatible_with: device } });
    matches(glass('Pixel 8'), glass('Google Pixel 8'));
    differs(glass('Pixel 8'), glass('Pixel 7'));
  });

  it('treats another brand as another product whatever the names share', () => {
    const tablet = (brand: string) => listing('Larch 9 Tablet 64 GB Graphite', { brand });
    matches(tablet('Mirevo'), tablet('mirevo'));
    differs(tablet('Mirevo'), tablet('Quillon'));
  });

  it('does not mistake a brand that the product is for, or a similar brand, for its own brand', () => {
    const heads = listing('Gleamore Brush Heads for Freshmore Minty 5, 4 pcs', { brand: 'Gleamore' });
    const other = listing('Freshmore Minty 5 Brush Heads, 4 pcs', { brand: 'Freshmore' });
    assert.notInclude(reasons(heads, other), 'brand');
    differs(heads, other);
    const stated = listing('Freshmore Minty 5 Brush Heads, 4 pcs', { brand: 'OEM' });
    assert.include(reasons(stated, other), 'brand');
  });

  it('treats a stated model with a tier as another model, and so a case for another stated line', () => {
    const pump = (name: string, model: string) =>
      listing(name, { brand: 'Sapling', internal: { gtins: [], models: [model] } });
    const mini = pump('Sapling SAP-8907 Mini Garden Pump', 'sap8907mini');
    differs(pump('Sapling SAP-8907 Garden Pump', 'sap8907'), mini);
    matches(pump('Sapling Garden Pump SAP8907 Mini', 'sap8907mini'), mini);
    const watch = (size: string) => pump(`Sapling Orbit 5 Smartwatch ${size}`, 'orbit5');
    differs(watch('45mm'), watch('41mm'));
    matches(watch('45mm'), watch('45 mm'));
  });

  it('treats a shared GTIN as an error if two products have nothing in common', () => {
    const internal = { gtins: ['04006381333931'], models: [] };
    const phone = listing('Kestrel Tarn 9 Smartphone', { internal, brand: 'Kestrel', category: 'Phones' });
    differs(phone, listing('Silvane Blender 1.5 L', { internal, brand: 'Silvane' }));
    differs(phone, listing('Garden Hose', { internal, category: 'Garden' }));
    differs(phone, listing('Silicone Case for Kestrel Tarn 9', { internal, brand: 'Kestrel' }));
    assert.isAbove(score(phone, listing('Tarn 9, Handy', { internal, category: 'Handys' })), 0.9);
  });

  it('lowers the score if the stated models differ, unless one only has a suffix', () => {
    const stated = (model: string) =>
      listing('Sennheiser Wireless Headphones Black', {
        brand: 'Sennheiser',
        internal: { gtins: [], models: [model] },
      });
    differs(stated('hd450bt'), stated('hd350bt'));
    assert.isAbove(
      score(stated('hd450bt'), stated('hd450btblack')),
      score(stated('hd450bt'), stated('hd450btpro')),
    );
  });

  it('does not let two offers of one shop for the same product compete', () => {
    const sought = listing('Makita DHP482Z Combi Drill 18V Body');
    const shop = { source: 'shop', merchant_id: 'm' };
    const offers = [
      listing('Makita DHP482Z 18V Combi Drill Body', shop),
      listing('Makita Combi Drill DHP482Z 18V LXT, body', shop),
    ];
    for (const { score: one } of matchCandidates(sought, offers)) assert.isAtLeast(one, MATCH_THRESHOLD);
  });

  it('gives size, version, colour and brand as reasons only if both listings state them', () => {
    const a = listing('Bosch Styline Kettle 2200W 1.7 L White 3', { brand: 'Bosch' });
    const b = listing('Bosch Styline Kettle 2200W 1 L Black 4', { brand: 'Bosch' });
    assert.includeMembers(reasons(a, a), ['brand', 'size', 'version', 'colour']);
    for (const reason of ['size', 'version', 'colour']) assert.notInclude(reasons(a, b), reason);
  });

  it('does not give a standard that many products comply with as the model', () => {
    const [kit, other] = [
      listing('Corsair Vengeance DDR5 PC5-44800 Memory 32GB'),
      listing('Kingston Fury DDR5 PC5-44800 Memory 32GB'),
    ];
    assert.notInclude(reasons(kit, other), 'model');
    const board = 'Gigabyte Z790UDAX Motherboard LGA1700';
    assert.include(reasons(listing(board), listing(board)), 'model');
  });

  it('finds words in the description that the name leaves out', () => {
    const sought = listing('Sony HD DVC Tape DVM63HD');
    const name = 'Sony Mini DV Tape HD Cassette';
    const described = listing(name, { description: 'Sony DVM-63 HD High-Definition miniDV cassette' });
    assert.isAbove(score(sought, described), score(sought, listing(name)));
  });

  it('gives the reasons that agree', () => {
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

  it('lowers the score if the prices are far apart', () => {
    const a = listing('Hoyle Card Games', { comparablePrice: 200_000 });
    const near = score(a, listing('Hoyle Card Games', { comparablePrice: 180_000 }));
    assert.isAbove(near, score(a, listing('Hoyle Card Games', { comparablePrice: 20_000 })) + 0.2);
  });

  it('prefers the listing of a shop that fits best', () => {
    const sought = listing('Adobe Acrobat Professional 8');
    const shop = { source: 'shop', merchant_id: 'm' };
    const other = listing('Adobe Acrobat 8 Upgrade', shop);
    const [elsewhere] = matchCandidates(sought, [other, listing('Adobe Acrobat Professional 8')]);
    const [beside] = matchCandidates(sought, [other, listing('Adobe Acrobat Professional 8', shop)]);
    assert.isAbove(elsewhere?.score ?? 0, (beside?.score ?? 1) + 0.1);
  });

  it('leaves a candidate to the sibling that it fits better', () => {
    const sought = listing('LG Vented Dryer', { source: 'own' });
    const sibling = listing('LG Compact Dryer DLE3733W White', { source: 'own' });
    const candidate = listing('LG Compact Dryer DLE3733W', { source: 'other' });
    const [without] = matchCandidates(sought, [candidate]);
    const [withSibling] = matchCandidates(sought, [candidate], [sibling]);
    assert.isBelow(withSibling?.score ?? 1, (without?.score ?? 0) - 0.1);
  });

  it('accepts any text', () => {
    const hostile = [
      '',
      ' ',
      '\u202e',
      '&#999999999;',
      '<script>',
      '½ ¼',
      '1/2/3/4 "',
      '))((',
      '\ud800',
      '🎧🎧',
    ];
    hostile.push('x'.repeat(10_000));
    for (const name of hostile) {
      const value = score(listing(name), listing(name, { metadata: { colour: ['red'], attributes: null } }));
      assert.isAtLeast(value, 0);
      assert.isAtMost(value, 1);
    }
  });
});
