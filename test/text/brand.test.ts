import { assert } from 'chai';
import { foldBrand, foldBrands } from '../../src/text/brand.js';

describe('foldBrand', () => {
  const same: string[][] = [
    ['G.Skill', 'G Skill', 'GSKILL', 'G.SKILL', 'g-skill'],
    ['Lock & Lock', 'LocknLock', 'LOCK&LOCK', 'Lock and Lock', "Lock'n'Lock", 'Lock+Lock'],
    ['Brewmo', 'Brewmo®', 'BREWMO™', 'Brewmo (R)', ' brewmo '],
    ['Crock Pot', 'CrockPot', 'Crock-Pot®'],
    ['Nestlé', 'NESTLE', 'Nestle'],
    ["L'Oréal", 'LOreal', 'L’Oreal'],
    ['e.l.f.', 'ELF'],
    ['Marks | Sons', 'marks|sons'],
    ['สิงห์ ไทย', 'สิงห์ไทย'],
    ['One+', 'OnePlus'],
  ];
  for (const spellings of same)
    it(`reads ${spellings.join(', ')} as one brand`, () => {
      assert.lengthOf(new Set(spellings.map(foldBrand)), 1, spellings.map(foldBrand).join(' '));
    });

  const different: [string, string][] = [
    ['Marks', 'Marks | Sons'],
    ['Disney', 'Disney+'],
    ['SanDisk', 'Sadisk'],
    ['AmazonBasics', 'Amazo Basics'],
    ['LG', 'LGB'],
    ['3M', 'M3'],
  ];
  for (const [one, other] of different)
    it(`tells ${one} from ${other}`, () => {
      assert.notEqual(foldBrand(one), foldBrand(other));
    });

  it('keeps a brand without a letter or digit', () => {
    assert.equal(foldBrand('***'), '***');
    assert.equal(foldBrand(''), '');
  });

  it('also returns the brand as earlier versions of the service stored it', () => {
    assert.deepEqual(foldBrands(['G.Skill', 'gskill']), ['gskill', 'g.skill']);
  });
});
