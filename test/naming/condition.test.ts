import { assert } from 'chai';
import {
  conditionInName,
  conditionInText,
  readCondition,
  withoutCondition,
} from '../../src/naming/condition.js';

/** Names, and the condition that each of them states. */
const NAMES: Record<string, readonly string[]> = {
  refurbished: [
    'Orbit V40 portable speaker refurbished',
    'Refurbished Orbit V40 portable speaker',
    'Orbit V40 portable speaker (Refurbished)',
    'Orbit V40 portable speaker, factory refurb',
    'Orbit V40 portable speaker (Renewed)',
    'Orbit V40 portable speaker - Renewed',
    'Renewed Orbit V40 portable speaker',
    'Orbit V40 portable speaker reconditioned',
    'Orbit V40 Lautsprecher generalüberholt',
    'Orbit V40 Lautsprecher (wiederaufbereitet)',
    'Orbit V40音箱翻新机',
    'Orbit V40 音箱 整新品',
    'ลำโพง Orbit V40 เครื่องรีเฟอร์บิช',
    'Toner for Orbit L20, remanufactured',
    'Charger for Orbit L20 laptop (refurbished)',
    'Orbit L20 reconditionné 256 Go',
  ],
  used: [
    'Orbit V40 portable speaker, used',
    'Used Orbit V40 portable speaker',
    'Orbit L20 laptop 256GB black used',
    'Orbit L20 laptop 256GB, gently used',
    'Orbit V40 portable speaker pre-owned',
    'Preowned Orbit V40 portable speaker',
    'Second-hand Orbit V40 portable speaker',
    'Orbit V40 portable speaker second hand',
    'Second-hand Orbit quartz watch',
    'Orbit V40 portable speaker (Open Box)',
    'Orbit V40 portable speaker (like new)',
    'Orbit V40 portable speaker - Grade A',
    'Orbit L20 laptop 256GB Grade B',
    'Orbit V40 ex-display',
    'Orbit V40 Lautsprecher gebraucht',
    'Orbit V40 B-Ware',
    'Orbit V40 Lautsprecher, Ausstellungsstück',
    'Orbit V40 Laptop Rückläufer',
    'Laptop Orbit L20 bekas pejabat',
    'ลำโพง Orbit V40 มือ 2',
    'เครื่องโชว์ ลำโพง Orbit V40',
    'Orbit V40 音箱 福利品',
    'Orbit V40 展示機',
    'Orbit L20 笔记本 八成新',
    'Orbit V40 pembesar suara terpakai',
    'Orbit V40 speaker second',
    'Orbit V40 音箱 二手',
    'Orbit L20 99新 256G',
    "Orbit L20 d'occasion",
    'Ноутбук Orbit L20 б/у',
  ],
  neither: [
    'Orbit V40 portable speaker',
    'Cleaner used for leather shoes',
    'Phone holder for used cars',
    'Charger, can be used with all phones',
    'The most used recipes: a cookbook',
    'Get used to it: a novel',
    'Used oil drain container',
    'Used look denim jacket',
    'Slim fit jeans blue used',
    'New & used book display rack',
    'Brand new, never used Orbit V40',
    'Unused Orbit V40',
    'Case for refurbished phones, clear',
    'Screen protector for refurbished Orbit T8 tablets',
    '适用二手手机保护壳',
    'Refurbishing kit for leather',
    'Not refurbished: Orbit V40',
    'Grade A eggs, 12 pieces',
    'Maple syrup Grade A 250 ml',
    'LiFePO4 battery cells 3.2V 280Ah Grade A',
    'Food grade silicone mat',
    'Leather balm keeps shoes like new',
    'Like new carpet cleaner 1 L',
    'Quartz clock movement with sweeping second hand',
    'Second hand of a watch, red',
    'Wall clock second hand',
    'Kitchen timer 30 second',
    'Second skin leggings',
    'Renewed energy drink 250 ml',
    'Renewed: a memoir',
    'Open box shelf, oak',
    'Bekas makanan 1 L',
    '皮革翻新喷剂',
    '防二手烟空气净化器',
    '中古风木椅',
  ],
};

/** What feeds state as the condition, and its meaning. */
const STATED: Record<string, readonly string[]> = {
  new: [
    'new',
    'NEW',
    'Brand New',
    'NewCondition',
    'New other (see details)',
    'Neu',
    '全新',
    'baru',
    'unused',
  ],
  refurbished: [
    'refurbished',
    'RefurbishedCondition',
    'Seller refurbished',
    'Excellent - Refurbished',
    'Certified - Refurbished',
    'Renewed',
    'generalüberholt',
    '翻新',
  ],
  used: [
    'used',
    'UsedCondition',
    'https://schema.org/UsedCondition',
    'Used - Like New',
    'UsedLikeNew',
    'used_very_good',
    'Pre-owned',
    'Open box',
    'For parts or not working',
    'Grade B',
    'Very Good',
    'Gebraucht',
    'defekt',
    'เหมือนใหม่',
    'seperti baru',
    '近全新',
    'Occasion',
    '二手',
    'terpakai',
    'Used: an item that has been used before',
  ],
  neither: ['', '7', 'dry skin', 'whatever', 'not used'],
};

describe('the condition of goods', () => {
  for (const [expected, names] of Object.entries(NAMES))
    for (const name of names)
      it(`is ${expected} in the name ${name}`, () =>
        assert.equal(conditionInName(name) ?? 'neither', expected));
  for (const [text, condition, rest] of [
    ['renewed Vortek X200', 'refurbished', 'vortek x200'],
    ['Vortek X200 renewed', 'refurbished', 'vortek x200'],
    ['grade a Rono L14 laptop', 'used', 'rono l14 laptop'],
    ['used Orbit V40, like new', 'used', 'orbit v40,'],
    ['Orbit L20 二手', 'used', 'orbit l20'],
    ['grade a eggs', null, 'grade a eggs'],
    ['case for refurbished phones', null, 'case for refurbished phones'],
  ] as const)
    it(`is ${condition ?? 'not named'} in the search text ${text}`, () => {
      assert.equal(conditionInText(text), condition);
      assert.equal(withoutCondition(text), rest);
    });
  for (const [expected, texts] of Object.entries(STATED))
    for (const text of texts)
      it(`is ${expected} if a feed states "${text}"`, () =>
        assert.equal(readCondition(text) ?? 'neither', expected));
});
