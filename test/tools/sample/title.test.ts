import { assert } from 'chai';
import { hyphenated, isCode } from '../../../tools/sample-catalogue/family.js';
import { spellModel, type Spelling, spellValue } from '../../../tools/sample-catalogue/title.js';
import { languageNamed } from '../../../tools/sample-catalogue/tables.js';
import { PRODUCTS, RECORDS, share } from './sample.js';

const PLAIN: Spelling = { code: 'hyphen', spacedUnits: false, inches: '-inch', pack: 'behind' };

describe('sample titles', () => {
  it('format model numbers in three ways', () => {
    const model = { brand: 'Auralis', line: 'X', pieces: ['AX', '320', 'M5'], suffix: 'Pro' };
    assert.equal(spellModel(model, PLAIN), 'AX-320M5 Pro');
    assert.equal(spellModel(model, { ...PLAIN, code: 'joined' }), 'AX320M5 Pro');
    assert.equal(spellModel(model, { ...PLAIN, code: 'spaced' }), 'AX 320 M5 Pro');
    assert.equal(spellModel({ ...model, pieces: ['Tarn', '5'] }, { ...PLAIN, code: 'joined' }), 'Tarn 5 Pro');
  });

  it('format sizes in several ways', () => {
    const spaced = { ...PLAIN, spacedUnits: true };
    assert.equal(spellValue('16GB RAM 1TB SSD', spaced), '16 GB RAM 1 TB SSD');
    assert.equal(spellValue('55-inch', { ...PLAIN, inches: '"' }), '55"');
    assert.equal(spellValue('500ml x 6', { ...spaced, pack: 'before' }), '6 x 500 ml');
    assert.equal(spellValue('500ml x 6', { ...PLAIN, pack: 'bracket' }), '500ml (Pack of 6)');
    assert.equal(spellValue('2 pcs', PLAIN), '2pcs');
    assert.equal(spellValue('US 10', PLAIN), 'US10');
    assert.equal(spellValue('15 km/h', PLAIN), '15 km/h');
  });

  it('format the same model in several ways across the catalogue', () => {
    const coded = PRODUCTS.filter(({ product }) => isCode(product.model.pieces));
    const spelled = (separator: string) =>
      coded.filter(({ product: { model }, records }) => {
        const code = separator === '-' ? hyphenated(model.pieces) : model.pieces.join(separator);
        return records.some(({ name }) => name.includes(code));
      }).length / coded.length;
    assert.isAbove(spelled('-'), 0.5);
    assert.isAbove(spelled(''), 0.3);
    assert.isAbove(spelled(' '), 0.15);
  });

  it('differ between the shops of a product', () => {
    const several = PRODUCTS.filter(({ records }) => records.length > 2);
    for (const { records } of several) assert.isAbove(new Set(records.map(({ name }) => name)).size, 1);
  });

  it('are sometimes in Chinese or Malay, and sometimes leave out the brand', () => {
    const share100 = (test: (name: string, brand: string) => boolean) =>
      100 * share(RECORDS.filter(({ name, brand }) => test(name, brand ?? '')).length);
    const chinese = share100((name) => /\p{Script=Han}{2}/u.test(name));
    assert.isTrue(chinese > 1.5 && chinese < 6, `${chinese} % Chinese`);
    const brandless = share100((name, brand) => !name.toLowerCase().includes(brand.toLowerCase()));
    assert.isTrue(brandless > 1 && brandless < 6, `${brandless} % without brand`);
    const language = languageNamed('ms');
    const malay = new Set(PRODUCTS.map(({ product }) => language.nouns(product.type.id)[0] ?? ''));
    const inMalay = share100((name) =>
      [...malay].some((noun) => noun.includes(' ') && name.startsWith(noun)),
    );
    assert.isTrue(inMalay > 0.7 && inMalay < 4, `${inMalay} % Malay`);
  });

  it('have no open placeholder and no superfluous space, like the descriptions', () => {
    for (const { name, description } of RECORDS) {
      assert.notMatch(name, /[{}<>]|undefined|null|  |^ | $/, name);
      assert.notMatch(description ?? '', /[{}<>]|undefined|null|  /, name);
      const sentences = (description ?? '').split(/(?<=\.) (?=[A-Z“])/).length;
      assert.isTrue(sentences >= 2 && sentences <= 6, description ?? '');
    }
  });
});
