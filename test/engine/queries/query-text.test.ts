import { assert } from 'chai';
import { parseQueryText } from '../../../src/engine/queries/query-text.js';

describe('phrases around the product', () => {
  const texts: [typed: string, text: string, ...phrases: string[]][] = [
    ['where can I buy a phone', 'phone'],
    ['Best laptop for students', 'laptop'],
    ['cheapest  rice cooker near me?', 'rice cooker'],
    ['how much is the galaxy s24', 'galaxy s24'],
    ['kat mana nak beli kasut', 'kasut'],
    ['cari headphone murah', 'headphone'],
    ['哪里可以买手机', '手机'],
    ['最便宜的耳机多少钱', '耳机'],
    ['need a laptop for my daughter', 'laptop'],
    ['show me all phones', 'phones'],
    ['recommend me a tablet for my 5 year old', 'tablet'],
    ['toys for a 5-year-old', 'toys'],
    ['watch for my husband please', 'watch'],
    ['gift for mum', 'gift'],
    ['baju untuk anak saya', 'baju'],
    ['laptop untuk mahasiswa', 'laptop'],
    ['kasut untuk ibu', 'kasut'],
    ['给妈妈的手机', '手机'],
    ['送给女朋友的手表', '手表'],
    // Words of conditions are left out of the text, because they do not name a product.
    ['kettle not from lazada', 'kettle'],
    ['a kettle that is not loud', 'a kettle'],
    ["kettle that isn't loud", 'kettle'],
    ['phone under 6 inch', 'phone'],
    ['power bank over 20000 mah', 'power bank 20000 mah'],
    ['laptop under $500 in stock', 'laptop'],
    ['out of stock laptop', 'laptop'],
    ['laptop not in stock', 'laptop'],
    ['top rated headphones', 'headphones'],
    ['headphones 4 stars', 'headphones'],
    ['headphones rated 4.5 stars', 'headphones'],
    ['headphones rated 4', 'headphones'],
    ['fuse rated 5 amp', 'fuse rated 5 amp'],
    ['tv with good reviews', 'tv'],
    ['kasut yang tidak mahal', 'kasut'],
    ['cerek bukan dari lazada', 'cerek'],
    ['不要太吵的水壶', '水壶'],
    ['不在lazada的手机', '手机'],
    ['不吵的水壶', '水壶'],
    ['不锈钢的水壶', '不锈钢的水壶'],
    ['不粘的锅', '不粘的锅'],
    ['telefon murah dan bagus', 'telefon dan'],
    ['laptop murah 14 inch', 'laptop 14 inch'],
    ['kettle terbaik 1.7l', 'kettle 1.7l'],
    ['laptop baru', 'laptop'],
    ['which laptop is best', 'which laptop'],
    ['value for money phone', 'phone'],
    ['好用的电热水壶', '电热水壶'],
    ['手机 便宜', '手机'],
    ['hiasan tahun baru', 'hiasan tahun baru'],
    ['murah', 'murah'],
    ['under armour shoes', 'under armour shoes'],
    ['do not disturb sign', 'do not disturb sign'],
    ['5 star hotel towel', '5 star hotel towel'],
    ['in stock', 'in stock'],
    // Words that name or describe a product remain in the text.
    ['shampoo for babies', 'shampoo for babies'],
    ['case for my iphone', 'case for my iphone'],
    ['baju untuk anak', 'baju untuk anak'],
    ['need for speed', 'need for speed'],
    ['mothers day card', 'mothers day card'],
    ['best', 'best'],
    ['shoes for men', 'shoes for men'],
    ['travel adapter', 'travel adapter'],
    ['buyers guide', 'buyers guide'],
    ['a4 paper', 'a4 paper'],
    ['as  it is', 'as  it is'],
    ['"silicone case" red', 'red silicone case', 'silicone case'],
    ['“phone case”', 'phone case', 'phone case'],
    ['55" tv 4"', '55" tv 4"'],
    ['" "', '" "'],
    ['', ''],
  ];
  for (const [typed, text, ...phrases] of texts) {
    it(`${JSON.stringify(typed)} → ${JSON.stringify(text)}`, () => {
      const read = parseQueryText(typed);
      assert.deepEqual([read.text, read.phrases], [text, phrases]);
    });
  }

  it('are found within a time limit in any text', () => {
    for (const text of [
      'buy '.repeat(250),
      '"'.repeat(1_000),
      '" "'.repeat(300),
      ' '.repeat(1_000),
      '?'.repeat(1_000),
      'that is not '.repeat(83),
      'under 5 '.repeat(125),
      '不要'.repeat(500),
    ])
      assert.isString(parseQueryText(text).text);
  });
});
