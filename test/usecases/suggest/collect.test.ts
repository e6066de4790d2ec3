import { assert } from 'chai';
import { SuggestionCollector, Tally } from '../../../src/usecases/suggest/collect.js';

const suggested = (
  listings: readonly (readonly [name: string, category: string | null, brand?: string])[],
) => {
  const collector = new SuggestionCollector();
  for (const [name, category, brand = null] of listings)
    for (const suffix of [', Black', ' (White)', ' - Red'])
      collector.add({ name: name + suffix, category, brand, metadata: null });
  return [...collector.suggestions()].filter(({ type }) => type === 'product').map(({ text }) => text);
};

describe('SuggestionCollector', () => {
  it('leaves out phrases that are cut off before the product term', () => {
    const texts = suggested([
      ['Lemonleaf Bamboo 3-Ply Toilet Paper', null, 'Lemonleaf'],
      ['Lemonleaf Bamboo 3-Ply Toilet Tissue', null, 'Lemonleaf'],
      ['Homarel HFR-1807 Digital Air Fryer', null, 'Homarel'],
      ['Fleetora Lunge 3 Badminton Shoes', 'Court Shoes', 'Fleetora'],
    ]);
    for (const text of texts) assert.notMatch(text, /(?:Bamboo|Toilet|Ply|Air|Digital|Badminton)$/);
    assert.includeMembers(texts, ['Homarel HFR-1807', 'Fleetora Lunge 3', 'Badminton Shoes']);
  });

  it('leaves out phrases that lack the word that always precedes them', () => {
    const texts = suggested([
      ['Soft Brush Heads for Freshmore', 'Brush Heads', 'Clearbite'],
      ['Whitening Brush Heads for Freshmore', 'Brush Heads', 'Clearbite'],
    ]);
    assert.includeMembers(texts, ['Soft Brush Heads', 'Brush Heads for Freshmore']);
    assert.notInclude(texts, 'Heads for Freshmore');
  });

  it('leaves out lists of components', () => {
    const texts = suggested([
      ['Corvanta Quarry 9 Laptop 16GB RAM 1TB SSD', 'Laptops', 'Corvanta'],
      ['Stratiq Harrier 3 Notebook 8GB RAM 1TB SSD', 'Laptops', 'Stratiq'],
    ]);
    for (const text of texts) assert.notMatch(text, /^(?:RAM|SSD)|RAM .*SSD/);
    assert.includeMembers(texts, ['Corvanta Quarry 9 Laptop 16GB RAM', 'Laptop 16GB RAM']);
  });

  it('returns sizes in the most frequent notation', () => {
    const texts = suggested([
      ['Velocet Fleet 9 Running Shoes US9', 'Running Shoes', 'Velocet'],
      ['Strivo Glide 7 Running Shoes US 9', 'Running Shoes', 'Strivo'],
    ]);
    assert.include(texts, 'Running Shoes US 9');
    assert.notInclude(texts, 'Running Shoes US9');
    const drives = suggested([
      ['Bytefold Stub Portable SSD 500GB', 'Portable SSDs', 'Bytefold'],
      ['Stratiq Vault Portable SSD 500GB', 'Portable SSDs', 'Stratiq'],
      ['Tarnix Slate Portable SSD 500GB', 'Portable SSDs', 'Tarnix'],
      ['Corvanta Brick Portable SSD 500 GB', 'Portable SSDs', 'Corvanta'],
      ['Jotunar Chip Portable SSD 500 GB', 'Portable SSDs', 'Jotunar'],
    ]);
    assert.include(drives, 'Portable SSD 500GB');
    assert.notInclude(drives, 'Portable SSD 500 GB');
  });

  it('keeps the number of items in a pack and their size together', () => {
    const texts = suggested([
      ['Naruvia Sport 3 x 500ml Body Wash', 'Body Washes', 'Naruvia'],
      ['Ondeline Calm 3 x 500ml Body Wash', 'Body Washes', 'Ondeline'],
    ]);
    for (const text of texts) assert.notMatch(text, /^x|^500/);
    assert.include(texts, '3 x 500ml Body Wash');
  });
});

describe('suggestions of several owners', () => {
  const collect = (listings: readonly [source: string, brand: string, name?: string][]) => {
    const collector = new SuggestionCollector();
    for (const [source, brand, name = 'Thing'] of listings)
      collector.add({
        name,
        category: null,
        brand,
        metadata: null,
        source,
        internal: { owner: `source:${source}` },
      });
    return [...collector.suggestions()];
  };

  it('have the spelling of most owners, and say whether one owner alone states them', () => {
    const flood = Array.from({ length: 200 }, (): [string, string] => ['loud', 'FJELLHUS']);
    const found = collect([
      ['a', 'Fjellhus'],
      ...flood,
      ['b', 'Fjellhus'],
      ['c', 'fjellhus'],
      ['b', 'Oslund'],
    ]);
    assert.deepEqual(
      found.map(({ text, count, alone }) => [text, count, alone]),
      [
        ['Fjellhus', 203, false],
        ['Oslund', 1, true],
      ],
    );
  });

  it('are not said to be of one owner if there is no other one', () => {
    const found = collect([
      ['a', 'ELVERUM'],
      ['a', 'Elverum'],
      ['a', 'Elverum'],
    ]);
    assert.deepInclude(found[0], { text: 'Elverum', alone: false });
  });

  it('leave out what states an address or a telephone number', () => {
    const contacts = [
      'Cheap lamps visit lamps.example',
      'Order at WWW.Lamps.net',
      'https://lamps.test/sale',
      'ｌａｍｐｓ．ｃｏｍ',
      'sales@lamps.example',
      't.me/lamps',
      'Call +44 20 7946 0958',
      'Lamps 0800 123 4567',
      'WhatsApp 98765432',
      'Lamps (555) 123-4567',
      '1-800-555-0199 lamps',
      'Lamps hxxps://lamps-sale',
      'www lamps sale',
      'lamps[.]example',
      'lamps (dot) com',
      'Visit lamps dot com',
      'lamps d0t net',
      'Lampen punkt com',
      'tienda punto com',
      'lamps .com',
      'lamps . com',
      'лампы.рф',
      'lamps.xn--p1ai',
      'Lamps 203.0.113.7/sale',
      'Call +٤٤ ٢٠ ٧٩٤٦ ٠٩٥٨',
      'WhatsApp ९८७६५४३२१०',
    ];
    const names = [
      'Dr.Martens',
      'S.T.Dupont',
      'No.1 Lamp',
      'E.l.f.',
      '@Home',
      'Node.js',
      'AX-1000.M5',
      '0124655005',
      'DDR4 3200 16 GB',
      '3.5mm',
      'U.S. Polo Assn.',
      '1.5 in. hose',
      '2024-11-05',
      'Type 100 200 300 400',
      'Tel Aviv',
      'Firmware 1.2.3.4',
      'Lamp (dot pattern)',
      'Polka dot shop',
      'Lumo Ltd. Net',
      'Lumo .NET',
      'Dot 5',
    ];
    assert.sameMembers(
      collect([...contacts, ...names].map((brand) => ['a', brand])).map(({ text }) => text),
      names,
    );
    const phrases = ['1', '2', '3', '4'].map((n): [string, string, string] => [
      'a',
      'Lumo',
      `Desk Lamp buy at lamps.example ${n}`,
    ]);
    for (const { text } of collect(phrases)) assert.notInclude(text, 'example');
  });
});

describe('Tally', () => {
  it('returns the most frequent variant of a text', () => {
    const tally = new Tally(10);
    for (const text of ['BOSE', 'Bose', 'bose', 'Bose', 'Bose']) tally.add('bose', text);
    assert.deepEqual([...tally.entries()], [{ key: 'bose', text: 'Bose', count: 5 }]);
  });

  it('keeps frequent keys when there are too many keys, and never counts too high', () => {
    const tally = new Tally(100);
    for (let i = 0; i < 2_000; i++) {
      tally.add(`rare ${i}`, 'rare');
      if (i % 10 === 0) tally.add('frequent', 'frequent');
    }
    const entries = [...tally.entries()];
    assert.isAtMost(entries.length, 101);
    const { count = 0 } = entries.find(({ key }) => key === 'frequent') ?? {};
    assert.isAtLeast(count, 150);
    assert.isAtMost(count, 200);
  });
});
