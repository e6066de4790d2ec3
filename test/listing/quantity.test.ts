// Chaos too (oracles): npm test computes some of the unit prices.
import { assert } from 'chai';
import { toUnits } from '../../src/listing/price.js';
import { quantityOf } from '../../src/listing/quantity.js';
import { unitPriceOf } from '../../src/listing/unit-price.js';
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
  'Schokolade 10 Tafeln à 100 g': '1000 kg',
  '挂面 每包250克 4包': '1000 kg',
  'Cola 12 fl oz, 12 pack': '4258.588257 l',
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
  // Approximate amounts, also in words behind them, and sizes to choose from.
  'Ribeye 400 g approx.',
  'Ribeye 400 g (approximately)',
  'Ribeye ±400 g',
  'Lachs 400 g (ca.)',
  'Lachs etwa 400 g',
  'Lachs ungefähr 400 g',
  'Lachs knapp 400 g',
  'Shampoo 250 / 500 ml',
  // Packages of which some are free.
  'Hand soap 300 ml 3 for 2',
  'Hand soap BOGOF 300 ml',
  'Schokolade 100 g 2 für 1',
  // Prices for a unit, which the price of the listing may be.
  'Chicken thighs 900 g, price/kg',
  'Steak (price per 100 g) 250 g',
  'Hähnchenbrust 900 g (Preis pro kg)',
  'Käse 250 g Stück, Preis/100g',
  'Daging 500 g harga per kg',
  // Portions are no quantities.
  'Whey 30 g per serving',
  'Eiweißpulver 25 g pro Portion',
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

/** Names as shops of five markets write them: what they sell, or none; the expectations were written before the reading. */
const MARKETS: Record<string, string> = {
  English: `
    Cola Zero Cans 6 x 330ml => 1980 l | Tonic Can 24s x 320ml => 7680 l | Mineral Water 1.5L x 12 btl => 18000 l
    Isotonic Drink 500ml x 24 Bottles (1 Carton) => 12000 l | Cola 24 x 330 ml Can Tray => 7920 l | Milk 2L Twin Pack => 4000 l
    Potato Crisps 165g (Pack of 2) => 330 kg | Rice 2kg (4 x 500g) => 2000 kg | Coffee 500 g + 100 g free => none
    Tea 100 Bags x 2g => 200 kg | Black Tea Bags 100's => 100 piece | Instant Noodles 80g (Pack of 40) => 3200 kg
    Toilet Tissue 3-ply 10 rolls x 200 sheets => 10 piece | Toilet Tissue 300 Sheets x 4 Roll => 4 piece
    Diaper Pants L 44 pcs x 3 packs => 132 piece | Diaper Pants XL 38s => 38 piece | Baby Wipes 80 Wipes x 3 => 240 piece
    Facial Tissue 5 x 120s => 600 piece | Overnight Pads 41cm 8s x 2 => 16 piece | Magnesium 90 caps 500mg => 90 piece
    Fish Oil 1000mg 180 softgels => 180 piece | Power Bank 20000mAh 65W => none | Engine Oil 5W-30 4L => 4000 l
    Cereal Bars 6 x 25g Box => 150 kg | Trash Can 50 Liter => none | Aluminium Hand Truck 150 lb => none
    Beer Stein 1 Liter => none | Energy Powder 600g +30g => none | Growing Up Milk 1+ 1000g => 1000 kg
    Watering can 5 L => none | Multicooker 6L => none | Dry bag 20L => none | Drybag 20L => none | Steam mop 0.4L => none | Petrol can 5L => none | Jerry can 20 L metal => none | Rectangular Sleeping Bag 5lb => none | Pet Spray 24oz => none | Lemonade cans 8 x 330 ml => 2640 l | Sprite can 330ml => 330 l
    Sandwich bags 100 pack 1L => 100 piece | Contact lens solution 360 ml x 2 => none | Fizzy orange cans 330 ml x 8 => none
    Soap 500ml / Refill 900ml => none | Can Liners 3-Packs of 20 Liners => none | Phone 12s => none | Diet Soda 330ml x 24 cans => 7920 l | Laundry Detergent 1.5L bottle => 1500 l | Detergent dispenser 1.5L => none | Gym bag 40 L => none
    Weight plates 10kg x 2 => none | Champagne flutes 4 x 200 ml => 4 piece | Hydration bladder 2 l => none | Camping stove 2 kg => none | Gas cylinder 5 kg => none
    Weight vest 10 kg => none | Rice for 2 to 3 people 500 g => 500 kg | Whey 1 kg, 30 g per serving => 1000 kg`,
  German: `
    Cola Dose 0,33 l => 330 l | Pils 24 x 0,33 l Dose => 7920 l | Weißbier 20 x 0,5 l Kasten => 10000 l | Kola 24 x 0,33 l Flasche => 7920 l
    Apfelschorle 12er Pack 0,5 l => 6000 l | Creme 400 ml Dose => 400 l | Wandfarbe weiß 10 l Eimer => 10000 l | Tabs 90 Stück => 90 piece
    Butter 250 g (1 kg = 9,96 €) => 250 kg | Katzenstreu 12 kg (0,58 €/kg) => 12000 kg | Hack 500 g, 1 kg = 7,98 € => 500 kg
    Toilettenpapier 10 x 150 Blatt => none | Zahnbürste 2er Pack => 2 piece | Benzinkanister 5 l => none | Salatschüssel 3 l => none
    Taschentücher 30 x 10 Stück => 300 piece | Chips 175 g + 25 g gratis => none | Druckerpapier A4 500 Blatt 80 g/m² => 500 piece
    Hundefutter 12,5 kg => 12500 kg | Dosenöffner 0,33 l => none | Speicher 8 GB DDR4 => none | Teedose 1 l => none
    Vorratsdosen 3er Set 1 l => none | Einweckgläser 6er Set 500 ml => none | Weckgläser 6 x 580 ml => 6 piece | Trinkflaschen 2er Pack 750 ml => none
    Pflanztöpfe 3er Set 2 l => none | Salatschüsseln 2 x 3 l => 2 piece | Regentonnen 2 x 210 l => 2 piece | Limo Dosen 24 x 250 ml => 6000 l
    Kaffeevollautomat 1,8 l => none | Heißluftfritteuse 5,5 l => none | Mikrowelle 20 l => none | Backofen 71 l => none | Drucksprüher 5 l => none
    Luftbefeuchter 4 l => none | Schulranzen 20 l => none | Nasssauger 20 l => none | Mörtelkübel 65 l => none | Reisetaschen 40 l => none
    Hantel 5 kg => none | Allzweckreiniger 1 l => 1000 l | Maultaschen 400 g => 400 kg | Weichspüler 1 l => 1000 l
    Tassen 6er Set 300 ml => none | Gläser Set 6 x 0,3 l => none | Hanteln 2 x 5 kg => none | Medizinball 3 kg => none | Wäschetrockner 8 kg => none
    Kofferwaage 50 kg => none | Gartenstuhl 5 kg => none | Bettdecke 1,2 kg => none | Daunenkissen 800 g => none | Zelt 3 kg => none | Matratze 15 kg => none
    Kinderwagen 9 kg => none | Fahrrad 14 kg => none | Katzenklo 20 l => none | Spüle 30 l => none | Klapptisch 12 kg => none | Schwerlastregal 20 kg => none
    Wilhelm Leberwurst 100 g => 100 kg | Tischwein 0,75 l => 750 l | Regal Kekse 100 g => 100 kg`,
  'Malay and Indonesian': `
    Air Mineral 600ml isi 24 botol => 14400 l | Teh Botol 450ml x 12 => 5400 l | Botol Susu 240ml => none | Mi Goreng 85gr 1 dus isi 40 => 3400 kg
    Popok Bayi M-46 Isi 2 => 92 piece | Tisu 250 lembar x 4 => 1000 piece | Sabun Mandi 85gr isi 4 => 340 kg | Panci 1,2L => none
    Buku Tulis 38 Lembar / per pak => none | Popok M60/L54/XL44 => none | Popok M20,L16,XL12 => none | Cairan Pembersih Pouch 400 ml => 400 l
    Susu Tin 800g => 800 kg | Plastik 18x25 isi 100 lembar => 100 piece | Air kotak 250 ml x 24 => none | Minuman kaleng 330 ml x 6 => 1980 l | Telur Ayam 30 biji => 30 piece | Nano Spray 30ml bisa dicas => none | Selimut 350gr => none | Termos 1 liter => none | Gelas kopi 250 ml => none | Pensil Warna 24 L => none | Tupperware 1.1L x 4 => 4 piece | Pengisar 1.5L => none | Baldi 10L => none | Jag air 2L => none | Pelembap udara 2L => none`,
  Chinese: `
    可乐 330ml*24罐 => 7920 l | 天然水 500ml*24瓶 整箱 => 12000 l | 啤酒 500ml×12听 => 6000 l | 坚果 750g/箱 => 750 kg
    纸尿裤 L52片 => 52 piece | 卷纸 27卷 => 27 piece | 抽纸 3层100抽*24包 => 2400 piece | 电池 7号 40节 => 40 piece | 垃圾袋 50只 => 50 piece
    保温杯 500ml => none | 充电宝 20000毫安 => none | 密封盒 1L*3个 => none | 收纳箱 55L*2 => none | 收纳袋 60L => none | 电子秤 5kg => none | 苏打水 330ml*6盒 => 1980 l | 百事可樂 330毫升 x 24罐 => 7920 l | 矿泉水 550ml×12瓶 => 6600 l | 啤酒 330毫升x6罐 => 1980 l | 玻璃瓶 500ml×6个 => none`,
  Thai: `
    น้ำดื่ม ขวด 1.5 ลิตร แพ็ค 6 => 9000 l | น้ำดื่ม 600 มล. แพ็ค 12 ขวด => 7200 l | โคล่า กระป๋อง 325 มล. x 24 => 7800 l
    ข้าวหอมมะลิ 5 กก. => 5000 kg | ข้าวสาร 5 กิโลกรัม => 5000 kg | น้ำมันพืช 1 ลิตร => 1000 l | น้ำปลา 700 ซีซี => 700 l
    กระดาษทิชชู่ 24 ม้วน => 24 piece | ถ่าน AA แพ็ค 4 ก้อน => 4 piece | บะหมี่ 60 กรัม x 10 ซอง => 600 kg | ไข่ไก่ 30 ฟอง => 30 piece
    ยาสีฟัน 160 กรัม แพ็คคู่ => none | หม้อหุงข้าว 1.8 ลิตร => none | ขวดน้ำ 1 ลิตร => none | กระติกน้ำร้อน 2.5 ลิตร => none
    ชุดจาน 6 ชิ้น => none | เครื่องดื่มชาเขียว 500 มล. => 500 l | กล่องถนอมอาหาร 1 ลิตร x 3 => none | เหยือกน้ำ 2 ลิตร => none | กะละมัง 20 ลิตร => none`,
  Vietnamese: `
    Bia thùng 24 lon 330ml => 7920 l | Nước suối 12 chai 500ml => 6000 l | Nước tương 700ml => 700 l`,
};

describe('the quantity that a name states', () => {
  for (const [name, expected] of Object.entries(SOLD))
    it(`${name}: ${expected}`, () => assert.equal(sold(name), expected));
  for (const name of NOT_SOLD) it(`${name}: none`, () => assert.isNull(sold(name)));
  for (const [market, rows] of Object.entries(MARKETS))
    for (const row of rows.trim().split(/[|\n]/)) {
      const [name = '', expected] = row.trim().split(' => ');
      it(`${market}: ${name}: ${expected ?? ''}`, () => assert.equal(sold(name) ?? 'none', expected));
    }

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
    for (const value of ['per kg', 'PER_KG', '€/kg', 'EUR/kg', 'je kg', 'KGM', 'Kilogramm', 'กิโลกรัม', '公斤'])
      assert.equal(per(value, 'Grapes 500 g'), '1000 kg', value);
    assert.equal(per('je 100 ml', 'Perfume 50 ml'), '100 l');
    assert.equal(sold('Grapes 500 g', { metadata: { pricePer: 'LBR' } }), '453.59237 kg');
    for (const value of ['UNIT', 'each', 'box', '12 EUR', '']) assert.isNull(per(value), value);
    for (const value of ['UNIT', 'each', 'Stück', 'bottle', 'EUR', ''])
      assert.equal(per(value, 'Rice 2 kg'), '2000 kg', value);
  });

  it('is none if the price is for a unit that is not known, whatever the name says', () => {
    for (const value of ['斤', 'M2', 'bushel', 'кг'])
      assert.isNull(sold('Rice 2 kg', { metadata: { price_per: value } }), value);
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
