import { assert } from 'chai';
import { generateCatalogue } from '../../../tools/sample-catalogue/catalogue.js';
import { MARKET_NAMES, marketNamed, spelledIn } from '../../../tools/sample-catalogue/market.js';
import { PRODUCT_TYPES } from '../../../tools/sample-catalogue/product-types.js';
import { OPTIONS, RECORDS } from './sample.js';

const SCRIPTS: Record<string, RegExp> = {
  de: /[äöüß]/i,
  th: /\p{Script=Thai}/u,
  my: /berkualiti/,
  cn: /\p{Script=Han}/u,
};

describe('markets of the sample', () => {
  for (const name of MARKET_NAMES.filter((one) => one !== 'sg')) {
    const market = marketNamed(name);
    const records = [...generateCatalogue({ ...OPTIONS, market })];

    it(`${name}: has the products of Singapore at its own shops, in its own currency and language`, () => {
      assert.deepEqual(
        records.map(({ brand, sku }) => [brand, sku]),
        RECORDS.map(({ brand, sku }) => [brand, sku]),
      );
      const texts = records.map((one) => [one.name, one.description, one.category].join(' '));
      for (const [at, record] of records.entries()) {
        assert.equal(record.currency, market?.currency);
        assert.match(record.source, new RegExp(`_${name}$`));
        assert.include(record.buy_url, `//${record.source.replace('_', '-')}.example/`);
        assert.notMatch(
          texts[at] ?? '',
          /[{}<>]|undefined|null|\bfor\b|Compatible with|\bpcs\b|Pack of|\binch/,
        );
      }
      assert.isAbove(texts.filter((text) => SCRIPTS[name]?.test(text)).length, records.length / 4);
    });

    it(`${name}: has a word for every product type, colour and department`, () => {
      for (const { id, department, colours } of PRODUCT_TYPES) {
        assert.isNotEmpty(market?.language.nouns(id));
        for (const colour of colours) assert.isNotEmpty(market?.language.colour(colour));
        assert.property(market?.departments, department.name);
      }
    });
  }

  it('write sizes as their shops do', () => {
    const german = marketNamed('de');
    assert.isNotNull(german);
    assert.equal(spelledIn(german, '5.5L'), '5,5l');
    assert.equal(spelledIn(german, '500 sheets (Pack of 5)'), '500 Blatt (5er-Pack)');
    assert.equal(spelledIn(german, '1500W'), '1500W');
  });

  it('are refused if they are unknown', () => {
    assert.throws(() => marketNamed('atlantis'), /no market atlantis/);
  });
});
