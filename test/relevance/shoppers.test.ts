// Chaos only (oracles, sampled): it loads a catalogue with listings of every category.
import { assert } from 'chai';
import { generateCatalogue } from '../../tools/sample-catalogue/catalogue.js';
import { type Catalogue, openCatalogue } from './catalogue.js';

/** A query, the expected category, and a category with the same words that must be ranked after it. */
type Pair = [q: string, meant: string, after: string];

const PAIRS: Record<string, Pair[]> = {
  'Electronics, in English': [
    ['tv', 'Televisions', 'TV Wall Mounts'],
    ['television', 'Televisions', 'TV Wall Mounts'],
    ['where can I buy a tv', 'Televisions', 'TV Wall Mounts'],
    ['tv wall mount', 'TV Wall Mounts', 'Televisions'],
    ['tv bracket', 'TV Wall Mounts', 'Televisions'],
    ['phone', 'Smartphones', 'Phone Cases'],
    ['smartphone', 'Smartphones', 'Phone Cases'],
    ['best phone', 'Smartphones', 'Phone Cases'],
    ['phone case', 'Phone Cases', 'Smartphones'],
    ['"phone case"', 'Phone Cases', 'Smartphones'],
    ['tarn', 'Smartphones', 'Phone Cases'],
    ['tarn case', 'Phone Cases', 'Smartphones'],
    ['tarn case zzzzqq', 'Phone Cases', 'Smartphones'],
    ['tarn screen protector', 'Screen Protectors', 'Smartphones'],
    ['fathom', 'Smartphones', 'Phone Cases'],
    ['juniper', 'Smartphones', 'Screen Protectors'],
    ['camera', 'Mirrorless Cameras|Instant Cameras|Action Cameras', 'Camera Cases'],
    ['camera for travel', 'Mirrorless Cameras|Instant Cameras|Action Cameras', 'Camera Batteries'],
    ['camera case', 'Camera Cases', 'Mirrorless Cameras'],
    ['camera battery', 'Camera Batteries', 'Mirrorless Cameras'],
    // The catalogue contains no camera bag, so other camera cases are expected.
    ['camera bag', 'Camera Cases', 'Tea'],
    ['headfones', 'Headphones', 'True Wireless Earbuds'],
    ['tablet', 'Tablets', 'Phone Cases'],
    ['charger', 'Chargers|Laptop Chargers', 'Smartphones'],
    ['wireless charger', 'Chargers|Laptop Chargers', 'Smartphones'],
    ['show me all phones', 'Smartphones', 'Phone Cases'],
    ['phone for my mum', 'Smartphones', 'Phone Cases'],
    ['smart watch band', 'Fitness Bands|Watch Straps', 'Smart Watches'],
  ],
  'Computers, in English': [
    ['laptop', 'Laptops', 'Laptop Chargers'],
    ['cheapest laptop', 'Laptops', 'Laptop Sleeves'],
    ['best laptop for students', 'Laptops', 'Calculators'],
    ['laptop charger', 'Laptop Chargers', 'Laptops'],
    ['laptop sleeve', 'Laptop Sleeves', 'Laptops'],
    ['notebook', 'Laptops', 'Notebooks'],
    ['ruled notebook', 'Notebooks', 'Laptops'],
    ['notebook a5', 'Notebooks', 'Laptops'],
    ['quarry', 'Laptops', 'Laptop Chargers'],
    ['printer', 'Printers', 'Ink Cartridges'],
    ['printer ink', 'Ink Cartridges', 'Printers'],
    ['ink cartridge', 'Ink Cartridges', 'Printers'],
    ['memory card', 'Memory Cards', 'Mirrorless Cameras'],
    ['keybord', 'Keyboards', 'Laptops'],
    ['mouse', 'Mice', 'Keyboards'],
    ['sd card', 'Memory Cards', 'Tablets'],
    ['need a laptop for my daughter', 'Laptops', 'Laptop Sleeves'],
    ['laptop bag', 'Backpacks|Laptop Sleeves', 'Laptops'],
  ],
  'Home appliances, in English': [
    ['vacuum', 'Cordless Vacuums|Robot Vacuums', 'Vacuum Filters'],
    ['vacuum filter', 'Vacuum Filters', 'Cordless Vacuums'],
    ['air purifier', 'Air Purifiers', 'Purifier Filters'],
    ['purifier filter', 'Purifier Filters', 'Air Purifiers'],
    ['toothbrush', 'Electric Toothbrushes', 'Toothbrush Heads'],
    ['toothbrush heads', 'Toothbrush Heads', 'Electric Toothbrushes'],
    ['rice cooker', 'Rice Cookers', 'Rice'],
    ['coffee machine', 'Coffee Machines', 'Coffee'],
  ],
  'Groceries, watches, sports and toys, in English': [
    ['rice', 'Rice', 'Rice Cookers'],
    ['coffee', 'Coffee', 'Coffee Machines'],
    ['watch', 'Analogue Watches|Digital Watches|Smart Watches', 'Watch Straps'],
    ['watch strap', 'Watch Straps', 'Analogue Watches'],
    ['running shoes', 'Men’s Running Shoes|Women’s Running Shoes', 'Court Shoes'],
    ['puzzle', 'Jigsaw Puzzles', 'Board Games'],
  ],
  'In Malay and Indonesian': [
    ['televisyen', 'Televisions', 'TV Wall Mounts'],
    ['televisi murah', 'Televisions', 'TV Wall Mounts'],
    ['telefon', 'Smartphones', 'Phone Cases'],
    ['kat mana nak beli telefon', 'Smartphones', 'Phone Cases'],
    ['kamera', 'Mirrorless Cameras|Instant Cameras|Action Cameras', 'Camera Cases'],
    ['harga laptop', 'Laptops', 'Laptop Chargers'],
    ['laptop untuk mahasiswa', 'Laptops', 'Laptop Sleeves'],
    ['jam tangan untuk suami', 'Analogue Watches|Digital Watches|Smart Watches', 'Watch Straps'],
  ],
  'In Chinese': [
    ['手机', 'Smartphones', 'Phone Cases'],
    ['哪里可以买手机', 'Smartphones', 'Phone Cases'],
    ['手机壳', 'Phone Cases', 'Smartphones'],
    ['电视', 'Televisions', 'TV Wall Mounts'],
    ['给妈妈的手机', 'Smartphones', 'Phone Cases'],
    ['相机', 'Mirrorless Cameras|Instant Cameras|Action Cameras', 'Camera Cases'],
  ],
};

const FIRST = 3;

describe('queries of shoppers: the product that is meant comes before others with the same words', function () {
  let catalogue: Catalogue;
  const categories = new Map<string, string>();
  before(async () => {
    const records = [
      ...generateCatalogue({
        seed: 1,
        listings: 4_000,
        now: new Date('2026-11-01'),
        imageBaseUrl: 'http://localhost/images',
      }),
    ].map((record, at) => ({ ...record, source: 'shop', sku: `${at}` }));
    for (const { sku, category } of records) categories.set(sku, category ?? '');
    catalogue = await openCatalogue(records as unknown as Record<string, unknown>[]);
  });
  after(() => catalogue.remove());

  for (const [title, pairs] of Object.entries(PAIRS)) {
    describe(title, () => {
      for (const [q, meant, after] of pairs) {
        it(`${q}: ${meant} before ${after}`, async () => {
          assert.isTrue([...categories.values()].includes(after), `nothing is of ${after}`);
          const { skus } = await catalogue.search(q, FIRST);
          const found = skus.map((sku) => categories.get(sku) ?? '');
          assert.lengthOf(found, FIRST);
          for (const category of found) assert.include(meant.split('|'), category);
        });
      }
    });
  }
});
