import { assert } from 'chai';
import { Collected } from '../../../src/usecases/suggest/collect.js';

const suggested = (
  listings: readonly (readonly [name: string, category: string | null, brand?: string])[],
) => {
  const collected = new Collected();
  for (const [name, category, brand = null] of listings)
    for (const suffix of [', Black', ' (White)', ' - Red'])
      collected.add({ name: name + suffix, category, brand, metadata: null });
  return [...collected.suggestions()].filter(({ type }) => type === 'product').map(({ text }) => text);
};

describe('the phrases of a catalogue', () => {
  it('are not clipped in front of the thing', () => {
    const texts = suggested([
      ['Lemonleaf Bamboo 3-Ply Toilet Paper', null, 'Lemonleaf'],
      ['Lemonleaf Bamboo 3-Ply Toilet Tissue', null, 'Lemonleaf'],
      ['Homarel HFR-1807 Digital Air Fryer', null, 'Homarel'],
      ['Fleetora Lunge 3 Badminton Shoes', 'Court Shoes', 'Fleetora'],
    ]);
    for (const text of texts) assert.notMatch(text, /(?:Bamboo|Toilet|Ply|Air|Digital|Badminton)$/);
    assert.includeMembers(texts, ['Homarel HFR-1807', 'Fleetora Lunge 3', 'Badminton Shoes']);
  });

  it('are not clipped behind the word that always precedes them', () => {
    const texts = suggested([
      ['Soft Brush Heads for Freshmore', 'Brush Heads', 'Clearbite'],
      ['Whitening Brush Heads for Freshmore', 'Brush Heads', 'Clearbite'],
    ]);
    assert.includeMembers(texts, ['Soft Brush Heads', 'Brush Heads for Freshmore']);
    assert.notInclude(texts, 'Heads for Freshmore');
  });

  it('are no lists of parts', () => {
    const texts = suggested([
      ['Corvanta Quarry 9 Laptop 16GB RAM 1TB SSD', 'Laptops', 'Corvanta'],
      ['Stratiq Harrier 3 Notebook 8GB RAM 1TB SSD', 'Laptops', 'Stratiq'],
    ]);
    for (const text of texts) assert.notMatch(text, /^(?:RAM|SSD)|RAM .*SSD/);
    assert.includeMembers(texts, ['Corvanta Quarry 9 Laptop 16GB RAM', 'Laptop 16GB RAM']);
  });

  it('have sizes in one spelling', () => {
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

  it('keep a pack and its size together', () => {
    const texts = suggested([
      ['Naruvia Sport 3 x 500ml Body Wash', 'Body Washes', 'Naruvia'],
      ['Ondeline Calm 3 x 500ml Body Wash', 'Body Washes', 'Ondeline'],
    ]);
    for (const text of texts) assert.notMatch(text, /^x|^500/);
    assert.include(texts, '3 x 500ml Body Wash');
  });
});
