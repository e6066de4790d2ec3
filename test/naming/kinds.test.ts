import { assert } from 'chai';
import { kindsOf } from '../../src/naming/kinds.js';

describe('kindsOf', () => {
  const heads: [name: string, category: string | null, ...kinds: string[]][] = [
    ['Clear Case for Galaxy S24 Ultra', null, 'case'],
    ['Galaxy S24 Ultra Clear Case', null, 'case'],
    ['TV Wall Mount for 32-65 inch', null, 'mount'],
    ['Case Logic DSLR Camera Bag, Black', null, 'bag'],
    ['Apple iPhone 13 Pro Max 128GB Midnight', null, 'iphone'],
    ['Samsung Galaxy S24 Ultra Smartphone 256GB', null, 'smartphone', 'galaxy'],
    ['Corvane RTX 4070 Ti SUPER OC', null, 'rtx'],
    ['HP ProBook 440 G7 Notebook Silver 35.6 cm (14") 8 GB Windows 10 Pro', null, 'notebook', 'probook'],
    ['Laptop 512MB SODIMM PC2-5300 DDR2', 'DDR2', 'sodimm'],
    ['Corvane 16GB Laptop DDR4 3200 MHz SODIMM Memory Module', null, 'module'],
    ['Samsung - 55" Class LED Smart TV - Black', null, 'tv', 'samsung'],
    ['Analogue Watch with Leather Strap', 'Watches', 'watch', 'watches'],
    ['[Ready Stock] Fathom 3 Slim Cover Armadel', 'Phone Cases', 'armadel', 'cases'],
    ['Brush Heads for Minty 5 Pro', 'Dental Care', 'heads', 'care'],
    ['Running Shoes for Men', null, 'shoes'],
    ['Sarung Telefon Samsung', null, 'sarung'],
    ['小米 手机壳', null, '机壳'],
    ['无线蓝牙耳机 降噪', null, '线蓝牙耳机'],
    ['机械键盘 青轴', null, '械键盘'],
    ['Pam basikal', null, 'pam'],
    ['Kusyen kerusi', null, 'kusyen'],
    ['Fixed 电视壁挂架 55-85 inch', null, '挂架'],
    ['4K智能电视 55寸', 'Televisions', '能电视', 'televisions'],
    ['A5 Ruled Notebook Hardcover', 'Paper & Notebooks', 'notepad', 'paper'],
    ['Stitched Laboratory Notebook', null, 'notepad'],
    ['Quillon Duplicate Notebook', null, 'notepad'],
    ['Brennholm Waste Toner Pack', null, 'waste toner'],
    ['Rono Monitor HD15 M/F VGA cable VGA, grey', null, 'cable'],
    ['Kuas Masker Wajah', null, 'kuas'],
    ['1000-Piece Jigsaw Puzzle: Old Phones', null, 'puzzle'],
    ['Laptop Rono L14 14 inch', null, 'laptop', 'rono'],
    ['Electric Kettle Auralis AK3014 1.7 L', null, 'kettle', 'auralis'],
    ['Kettle Hobson Mills 24360 Honeycomb', null, 'kettle'],
    ['Laptop HP 255 G8 15.6', null, 'laptop'],
    ['Lumo Wave Notebook PC Ryzen R5 5500U', null, 'pc', 'ryzen'],
    ['Wasserkocher Auralis TWK3A011 1,7 l', null, 'wasserkocher'],
    ['Bouilloire Velora KO2991', null, 'bouilloire', 'velora'],
    ['Aspirateur Rono X30 Absolute', null, 'aspirateur', 'rono'],
    ['Toner Rono TN-2410', null, 'toner'],
    ['Kettle descaler 250ml', null, 'descaler'],
    ['Kettle Descaler Oust 250', null, 'oust'],
    ['Printer Toner TN-2410', null, 'toner'],
    ['Laptop Hinge HP L14', null, 'hinge'],
    ['Laptop stand Rono L14', null, 'stand'],
    ['Kalkfilter für Wasserkocher Auralis TWK3', null, 'kalkfilter'],
    ['Filtre pour aspirateur Rono X30', null, 'filtre'],
    ['Sac aspirateur Rono ZR200520', null, 'sac'],
    ['Pour-over kettle Rono K2', null, 'kettle', 'rono'],
    ['Tempered glass uPhone 13', null, 'tempered'],
    ['Tarnix Alder 15.6" Laptop 8GB', null, 'laptop'],
    ['Fixo Slim 32-65 inch TV Wall Mount', null, 'mount'],
    ['Oakrest Folding 20L Stackable Storage Box (Grey) Best Price', null, 'box'],
    ['Oakrest Granite 28cm Non-Stick Frying Pan Fast Delivery', null, 'pan'],
    ['Lumera LG 4109 24" QHD IPS Monitor Local Warranty', null, 'monitor'],
    ['Lumera LG-4109', null, 'lumera'],
    ['Snuggo Hugga Baby Carrier Local Seller', null, 'carrier'],
    ['Kasut Lari Zephyra Penghantaran Pantas', null, 'kasut'],
    ['Harbourlea Jasmine Green Tea Bags 100 bags', 'Tea', 'tea bags', 'tea'],
    ['Harbourlea Oolong Bag 200 g Coffee', 'Coffee', 'coffee'],
    ['Voltiq VB 5705 10000mAh Portable Charger, blue', 'Power Banks', 'portable charger', 'banks'],
    ['Anything', 'Phones & Accessories', 'anything'],
    ['Orvane Laserdrucker M110w weiß', null, 'laserdrucker'],
    ['Orvane 2 Port Low Profile Serial Card', null, 'card', 'orvane'],
    ['Kopi hitam Aroma Kampung', null, 'kopi'],
    ['Cawan kopi hitam seramik', null, 'cawan'],
    ['耳机收纳盒便携', null, '收纳盒'],
    ['吹风机收纳架免打孔', null, '收纳架'],
    ['家用喷墨打印机无线', null, '用喷墨打印机无线'],
    ['剃须刀男士三刀头', null, '须刀男士三刀头'],
    ['头戴式无线耳机', null, '戴式无线耳机'],
    ['茶杯套装礼盒', null, '杯套装礼盒'],
    ['补水面膜', null, '水面膜'],
    ['冰箱除味剂', null, '箱除味剂'],
    ['鞋带圆形运动鞋白色120cm', null, '鞋带'],
    ['高跟鞋带钻一字扣', null, '跟鞋带钻一字扣'],
    ['สมอบกเต็นท์เหล็ก 10 ชิ้น', null, 'สมอบก'],
    ['Wall shelf oak', null, 'shelf'],
    ['Rak Kasut 5 Tingkat', null, 'rak'],
    ['Tali Jam Tangan Getah 22mm', null, 'tali'],
    ['กล่องใส่หูฟังแบบแข็ง', null, 'กลองใส'],
    ['Rono Wave หูฟังไร้สาย, 40 ชั่วโมง', null, 'หฟง'],
    ['(', null],
    ['', ''],
  ];
  for (const [name, category, ...kinds] of heads) {
    it(`${name} → ${kinds.join(', ')}`, () => {
      assert.deepEqual(kindsOf(name, category), kinds);
    });
  }

  it('are no words of the stated brand if the name has another noun', () => {
    assert.deepEqual(kindsOf('Toaster Veltra, red', null, 'Veltra'), ['toaster']);
    assert.deepEqual(kindsOf('Kettle Rono RK17 1.7l, black', null, 'Rono'), ['kettle', 'rono']);
    assert.deepEqual(kindsOf('RONO 22kPa Cordless Vacuum Cleaner Brook 2 (White)', null, 'Rono'), [
      'cleaner',
      'brook',
    ]);
    assert.deepEqual(kindsOf('RONO 41mm Smart Watch Brook 2', null, 'Rono'), ['watch', 'brook']);
    assert.deepEqual(kindsOf('Veltra', null, 'Veltra'), ['veltra']);
  });

  it('takes little time for any name', () => {
    const hostile = [
      ' for '.repeat(200),
      '(['.repeat(500),
      '1 x '.repeat(300),
      'for a '.repeat(200),
      'a'.repeat(1_000),
      '"'.repeat(1_000),
      ' '.repeat(1_000),
      '1 '.repeat(500),
    ];
    for (const name of hostile) assert.isArray(kindsOf(name, name));
  });
});
