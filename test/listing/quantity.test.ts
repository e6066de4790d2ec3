// Chaos too (oracles): npm test computes some of the unit prices.
import { assert } from 'chai';
import { toUnits } from '../../src/listing/price.js';
import { quantityOf, unitPriceOf } from '../../src/listing/quantity.js';
import { oracle } from '../support/chaos.js';

/** What a name sells, as `amount per`, such as `1980 l`, where the amount is in g, ml, mm or pieces; null: no unit price. */
function sold(name: string, more: { category?: string; path?: string[]; metadata?: unknown } = {}) {
  const { category = null, path = [], metadata = null } = more;
  const found = quantityOf({ name, category, category_path: path, metadata }, 10_000);
  return found === null ? null : `${found.amount} ${found.per}`;
}

const SOLD: Record<string, string> = {
  // Sizes in several spellings and languages.
  'Basmati rice 2 kg': '2000 kg',
  'Basmati rice 2.5kg': '2500 kg',
  'Sonnenblumenöl 1l': '1000 l',
  'Rapsöl 1 Lt': '1000 l',
  'Olivenöl 0,75 l': '750 l',
  'Extra virgin olive oil, 500 ML': '500 l',
  'Leberkäse 25 dag': '250 kg',
  'Tepung tapioka 500gr': '500 kg',
  '洗发水 400 毫升': '400 l',
  'Corn flakes 12 oz cereal': '340.1942775 kg',
  // Several packages.
  'Cola 6 x 330 ml': '1980 l',
  'Cola 6x330ml': '1980 l',
  'Cola 330 ml x 6': '1980 l',
  'Cola, 330 ml (Pack of 6)': '1980 l',
  'Cola 6 bottles of 500 ml': '3000 l',
  'Cola 24 pack 330 ml': '7920 l',
  'Gemüsemais 3 x 150 g': '450 kg',
  'Gery Meses 10 bks x 7 gr': '70 kg',
  'Semmelknödel 6 Stück à 50 g': '300 kg',
  'Iced tea 6 x 250 ml (1.5 l)': '1500 l',
  // The number of pieces in a size that is a total.
  'Caramel Minis 400g (= 20 Stück)': '400 kg',
  // Two units for one amount.
  'Shampoo 12 fl oz / 355 ml': '355 l',
  'Granola 12 oz (340 g)': '340 kg',
  'Iced tea 6 x 12 oz (355 ml)': '2130 l',
  // Pieces.
  'AA batteries, pack of 12': '12 piece',
  'AA batteries 12-pack': '12 piece',
  'Gel pens 0.5mm 12 pcs': '12 piece',
  'Toilet paper 10 rolls': '10 piece',
  'Toilettenpapier 10 Rollen 200 Blatt': '10 piece',
  'Wet wipes 80 sheets x 12': '960 piece',
  'A4 copy paper 500 sheets (Pack of 5)': '2500 piece',
  'Vitamin C 1000 mg 60 tablets': '60 piece',
  'Müllbeutel mit Zugband 60l 20 Stk.': '20 piece',
  'Diapers size M 64 pcs': '64 piece',
  'Feeding bottle 240ml x 2': '2 piece',
  'Case fans 12 cm 1700 RPM (2 Pack)': '2 piece',
  // Lengths of goods that are sold by length.
  'Alufolie 20m': '20000 m',
  'Backpapier 38 cm x 8 m': '8000 m',
  // What a container or a device has in common with a quantity does not matter if the goods are neither.
  'Dishwasher salt 1.5 kg': '1500 kg',
  'Instant cup noodles 65 g': '65 kg',
  '3-in-1 white coffee 200g': '200 kg',
  'Milk 3,5% fat 1 l': '1000 l',
  // Packages behind a size do not make a vessel of the goods.
  'Orangeade 6 x 0,33 l Dose': '1980 l',
  'Pils 0,5 l Dose': '500 l',
  'Traubenschorle 6 x 1,5 l PET Flasche': '9000 l',
  'Kidneybohnen 255 g Dose': '255 kg',
  'Quark 250 g Becher': '250 kg',
  'Cat food 12 x 85 g cans': '1020 kg',
  'Gulaschsuppe 425 ml Dose': '425 l',
  'Ale 24 x 330 ml bottles': '7920 l',
  '啤酒 500ml*12罐': '6000 l',
  'Bierglas 6 x 0,3 l': '6 piece',
};

const NOT_SOLD: string[] = [
  // Capacities, and other properties of appliances, vessels and clothes.
  'Electric kettle 1.7 l',
  'Kettle 1.7L 2200W stainless steel',
  'Air fryer 5.5L digital',
  'Wasserkocher 1,7 l',
  '电热水壶 1.7L',
  'Cerek Elektrik 1.7L',
  'Water bottle 750 ml',
  'Vorratsdose 1,2 l',
  'Clip box 1 l Dose',
  'Isolierflasche 0,75 l Flasche',
  'Tasse Edelstahl 185 g Becher',
  'Getränkekühler 12 x 0,5 l Dosen',
  'Bierkrug 0,5 l Glas',
  'Dosenhalter 0,33 l Dose',
  'Backpack 25L',
  'Storage box 50L',
  'Washing machine 8 kg',
  'Kitchen scale up to 5 kg',
  'Running shoes 280 g',
  'Hex dumbbells 2kg x 2',
  'External drive 500 GB',
  'Smartphone 5G 128GB',
  'Motherboard ATX 2.5G LAN',
  'Tablet 5 Tablet 64GB 10.4"',
  'Canon EF 24-105mm f/4L lens',
  'USB-C cable 2m',
  'Necklace 316L stainless steel',
  'Dehumidifier 12L/day',
  'Steel wire hook 5 lb.',
  'A-frame trailer jack 2000 lb.',
  // Numbers of models, dimensions and the weight of jewels.
  'Ink 701L Original Cyan',
  '12 ft. x 7/8 in. x 7/8 in. Ceiling wall molding',
  'Pink tourmaline ring 2 CT.T.W.',
  // Uncertain quantities.
  'Baby wash with cocoa butter 15 oz',
  'Photo paper premium glossy A2 255 g',
  'Candy 10 tubbies x 7 g',
  'Digital camera 4K 56MP with 2 batteries',
  'Graphics card 8GB GDDR6, RGB fans x 2',
  'Ink cartridge BCI-6PC',
  'Instant coffee 200 g bonus mug',
  'Calcium tablets isi 10 / 15',
  'Whole chicken approx. 1.2 kg',
  'Lachsfilet ca. 400 g',
  'Coffee beans from 250 g',
  'Shampoo 250/500ml',
  'Shampoo 250 ml or 500 ml',
  'Salmon 500-700g',
  'Protein powder 1kg 500 g',
  'Shampoo 500 ml + 50 ml',
  'Detergent 2 l buy 1 get 1',
  'Rice 1,000 g',
  'Chocolate bars 10 pcs 200 g',
  'Mineral drops 500 ml 460 g',
  'Corn 4 x 150 g pack of 6',
  'Eau de toilette 1.7 oz',
  // Dosages and parts are no quantities.
  'Ibuprofen 500 mg tablets',
  '2-in-1 shampoo and conditioner',
  'Jigsaw puzzle 1000 pcs',
  'Building blocks 520 pcs',
  'Dinner set 16 pcs',
  'Puddingpulver Schokolade 3er',
  'Frankfurter 8 Stück',
  'Backpulver 6 x 15 g',
  'Notebook 80 sheets',
  'No quantity at all',
];

describe('the quantity that a name states', () => {
  for (const [name, expected] of Object.entries(SOLD))
    it(`${name}: ${expected}`, () => assert.equal(sold(name), expected));
  for (const name of NOT_SOLD) it(`${name}: none`, () => assert.isNull(sold(name)));

  it('depends on the category', () => {
    assert.equal(sold('Aqua Pura 1.5 l'), '1500 l');
    assert.isNull(sold('Aqua Pura 1.5 l', { category: 'Kettles', path: ['Appliances', 'Kettles'] }));
    assert.isNull(sold('Aqua Pura 1.5 l', { category: 'Water Bottles', path: ['Kitchen', 'Water Bottles'] }));
    assert.isNull(sold('Sausages 8 pcs', { category: 'Meat', path: ['Groceries', 'Meat'] }));
  });

  it('is completed by attributes such as size, unless the name contradicts itself', () => {
    assert.equal(sold('Laksa noodles', { metadata: { size: '80g x 5' } }), '400 kg');
    assert.equal(sold('Laksa noodles', { metadata: { attributes: { Size: '80g x 5' } } }), '400 kg');
    assert.equal(sold('Laksa noodles 80g x 30', { metadata: { size: '80g x 5' } }), '2400 kg');
    assert.isNull(sold('Laksa noodles 80g 90g', { metadata: { size: '80g x 5' } }));
    assert.isNull(sold('Laksa noodles', { metadata: { size: '80g x 5', volume: '1 kg' } }));
    assert.isNull(sold('Running shoes', { metadata: { size: 'US 9', weight: '280 g' } }));
  });
});

describe('the quantity that a feed states', () => {
  const stated = (metadata: unknown, name = 'Olive oil 500 ml') => {
    const found = quantityOf({ name, category: null, category_path: [], metadata }, 10_000);
    return found === null ? null : `${found.amount} ${found.per} ${found.basis}`;
  };

  it('wins over the name', () => {
    assert.equal(stated({ unit_pricing_measure: '0.75 l' }), '750 l stated');
    assert.equal(
      stated({ unit_pricing_measure: '750ml', unit_pricing_base_measure: '100ml' }),
      '750 l stated',
    );
    assert.equal(stated({ unit_pricing_measure: '12 ct' }), '12 piece stated');
    assert.equal(stated({ quantity: 750, unit: 'ml' }), '750 l stated');
    assert.equal(stated({ net_weight: '1.2 kg' }, 'Flour'), '1200 kg stated');
  });

  it('is the one that the price is for', () => {
    const per = (value: string, name = 'Grapes loose') => sold(name, { metadata: { price_per: value } });
    assert.equal(per('KILOGRAM'), '1000 kg');
    assert.equal(per('kg', 'Chicken legs 800 g'), '1000 kg');
    assert.equal(per('100 g'), '100 kg');
    assert.equal(per('LITER'), '1000 l');
    assert.equal(per('POUND'), '453.59237 kg');
    assert.equal(sold('Linen', { metadata: { attributes: { 'Price per unit': 'meter' } } }), '1000 m');
    for (const value of ['UNIT', 'each', 'box', '12 EUR', '']) assert.isNull(per(value), value);
    assert.equal(per('UNIT', 'Rice 2 kg'), '2000 kg');
  });

  it('does not count if it is not readable, contradicts itself or is a property', () => {
    assert.equal(stated({ unit_pricing_measure: '2 sqm' }), '500 l name');
    assert.equal(stated({ unit_pricing_measure: '0 ml' }), '500 l name');
    // It is one litre and a quarter, or one millilitre and a quarter.
    assert.equal(stated({ unit_pricing_measure: '1.250 ml' }), '500 l name');
    assert.equal(stated({ unit_pricing_measure: '750 ml', unit_pricing_base_measure: '1 kg' }), '500 l name');
    assert.isNull(stated({ net_weight: '1.2 kg' }, 'Electric kettle'));
  });
});

describe('unit prices', () => {
  const priced = (price: string, name: string) =>
    unitPriceOf(
      'EUR',
      quantityOf({ name, category: null, category_path: [], metadata: null }, toUnits(price)),
    );

  it('are exact decimals, rounded half up to four', () => {
    const value = { currency: 'EUR', basis: 'name' } as const;
    assert.deepEqual(priced('0.79', 'Cola 330 ml'), { ...value, value: '2.3939', per: 'l' });
    assert.deepEqual(priced('4.74', 'Cola 6 x 355 ml'), { ...value, value: '2.2254', per: 'l' });
    assert.deepEqual(priced('2.99', 'Rice 1 kg'), { ...value, value: '2.99', per: 'kg' });
    assert.deepEqual(priced('1.00', 'Cotton pads 80 pads'), { ...value, value: '0.0125', per: 'piece' });
    // 0.00005 is rounded up, and what rounds to zero has no unit price.
    assert.deepEqual(priced('1.00', 'Cotton pads 20000 pads'), { ...value, value: '0.0001', per: 'piece' });
    assert.isNull(priced('0.49', 'Cotton pads 10000 pads'));
  });

  it('need a price', () => {
    const listing = { name: 'Rice 1 kg', category: null, category_path: [], metadata: null };
    assert.isNull(unitPriceOf('EUR', quantityOf(listing, null)));
    assert.isNull(unitPriceOf('EUR', null));
  });

  /** Divides by long division in decimal text, digit by digit, and rounds half up to four decimals. */
  function dividedInDecimal(price: string, grams: string, times: number): string {
    const [whole = '', cents = ''] = price.split('.');
    const [size = '', fraction = ''] = grams.split('.');
    const divisor = BigInt(size + fraction) * BigInt(times);
    let rest = BigInt(whole + cents) * 1000n * 10n ** BigInt(fraction.length);
    const scale = divisor * 10n ** BigInt(cents.length);
    const digits = [rest / scale];
    rest %= scale;
    for (let place = 0; place < 5; place += 1) {
      rest *= 10n;
      digits.push(rest / scale);
      rest %= scale;
    }
    let value = digits.slice(0, 5).reduce((sum, digit) => sum * 10n + digit, 0n);
    if ((digits[5] as bigint) >= 5n) value += 1n;
    const text = String(value).padStart(5, '0');
    return `${text.slice(0, -4)}.${text.slice(-4).replace(/0{1,2}$/, '')}`;
  }

  it('equal long division in decimal', () => {
    const { random, rounds } = oracle(20_261_125, 5_000);
    const below = (end: number) => Math.floor(random() * end);
    for (let round = 0; round < rounds; round += 1) {
      const price = `${below(1_000)}.${String(1 + below(98)).padStart(2, '0')}`;
      const times = 2 + below(30);
      const grams = `${1 + below(2_000)}${below(2) === 0 ? '' : `.${1 + below(9)}`}`;
      const name = `Rice ${times} x ${grams} g`;
      assert.equal(priced(price, name)?.value, dividedInDecimal(price, grams, times), `${price} for ${name}`);
    }
  });
});
