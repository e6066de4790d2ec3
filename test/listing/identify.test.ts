import { assert } from 'chai';
import { identifiersOf, listingId, normaliseIdentifier } from '../../src/listing/identify.js';

describe('listing ids', () => {
  it('never change', () => {
    // If these numbers changed, every listing of every catalogue would get a new id.
    assert.strictEqual(listingId('lazada_sg', 'WH-1000XM5', 0), 7726553831125160);
    assert.strictEqual(listingId('lazada_sg', 'WH-1000XM5', 1), 6627626079594355);
  });

  it('are positive and below 2^53', () => {
    for (let i = 0; i < 10_000; i++) {
      const id = listingId('s', String(i), 0);
      assert.isTrue(Number.isSafeInteger(id) && id >= 1, String(id));
    }
  });

  it('distinguish source and SKU', () => {
    assert.notStrictEqual(listingId('ab', 'c', 0), listingId('a', 'bc', 0));
    assert.notStrictEqual(listingId('a', 'b', 0), listingId('b', 'a', 0));
  });
});

describe('identifiers', () => {
  it('are reduced to letters and digits', () => {
    for (const text of ['WH-1000XM5', 'wh 1000xm5', 'ＷＨ－１０００ＸＭ５', 'WH_1000/XM5']) {
      assert.strictEqual(normaliseIdentifier(text), 'wh1000xm5');
    }
  });

  it('are collected from the record and its metadata', () => {
    const found = identifiersOf('A-1', ['4006381333931'], {
      EAN: ['0095205603217', '123'],
      upc: '036000291452',
      isbn: '0-306-40615-2',
      model: 'PS-LX350H',
      mpn: ['X 1', ''],
    });
    assert.deepEqual(found.gtins, ['04006381333931', '00095205603217', '00036000291452', '09780306406157']);
    assert.deepEqual(found.models, ['pslx350h', 'x1']);
    assert.sameMembers(found.identifiers, [
      'a1',
      ...found.gtins,
      '4006381333931',
      '0095205603217',
      '036000291452',
      '0306406152',
      ...found.models,
    ]);
  });

  it('are collected without metadata and from metadata of any form', () => {
    for (const metadata of [undefined, null, 'text', 5, ['gtin'], { gtin: { a: 1 }, model: 7 }]) {
      const { gtins, models } = identifiersOf('***', [], metadata);
      assert.deepEqual({ gtins, models }, { gtins: [], models: [] });
    }
  });
});
