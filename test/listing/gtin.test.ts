import { assert } from 'chai';
import { checkDigit, gtinKey, gtinOf, isInStoreGtin, readGtin, toGtin } from '../../src/listing/gtin.js';

describe('GTINs', () => {
  it('are normalized to 14 digits if the check digit is right', () => {
    assert.strictEqual(toGtin('96385074'), '00000096385074');
    assert.strictEqual(toGtin('036000291452'), '00036000291452');
    assert.strictEqual(toGtin('4006381333931'), '04006381333931');
    assert.strictEqual(toGtin('10614141543219'), '10614141543219');
    assert.strictEqual(toGtin('080442957x'), '09780804429573');
  });

  it('are not accepted in another form or with a wrong check digit', () => {
    const wrong = ['4006381333932', '400638133393', '0000000000000', '', 'abc', '123456789', '0804429570'];
    for (const text of wrong) assert.isNull(toGtin(text), text);
  });

  it('are parsed with spaces, hyphens and full-width digits', () => {
    for (const text of [
      '4006381333931',
      '4 006381 333931',
      '4-006381-333931',
      '04006381333931',
      '４００６３８１３３３９３１',
    ]) {
      assert.strictEqual(gtinOf(text), '04006381333931', text);
    }
    for (const text of ['0-8044-2957-X', '978-0-8044-2957-3'])
      assert.strictEqual(gtinOf(text), '09780804429573');
    for (const text of ['036000291452', '0036000291452', '00036000291452']) {
      assert.strictEqual(gtinOf(text), '00036000291452', text);
    }
    assert.strictEqual(gtinOf('9638 5074'), gtinOf('0000096385074'));
  });

  it('are rejected with the kind of error', () => {
    assert.deepEqual(readGtin('4006381333932'), { wrong: 'check digit' });
    assert.deepEqual(readGtin('0804429570'), { wrong: 'check digit' });
    for (const text of ['00000000', '0000000000', '0'.repeat(14)])
      assert.property(readGtin(text), 'wrong', text);
    for (const text of ['', ' ', 'abc', '123456789', '4006381333931a', `4006381333931${' '.repeat(60)}`]) {
      assert.deepEqual(readGtin(text), { wrong: 'form' }, text);
    }
  });

  it('have the check digit that GS1 defines, for any length', () => {
    assert.strictEqual(checkDigit('400638133393'), '1');
    assert.strictEqual(checkDigit('9638507'), '4');
    assert.strictEqual(checkDigit('0400638133393'), '1');
  });

  it('are in-store numbers by their prefix, also within a GTIN-14', () => {
    const inStore = ['0212345', '0412345', '2012345', '2412345', '2912345'].map((start) => `${start}00077`);
    // Coupons and refund receipts.
    inStore.push(...['980123', '984123', '990123'].map((start) => `${start}000777`));
    for (const digits of inStore) {
      const gtin = `0${digits}${checkDigit(digits)}`;
      assert.isTrue(isInStoreGtin(gtin), gtin);
      assert.isTrue(isInStoreGtin(`1${gtin.slice(1)}`), gtin);
    }
    for (const start of ['0', '2']) {
      const digits = `${start}123456`;
      assert.isTrue(isInStoreGtin(toGtin(digits + checkDigit(digits)) ?? ''), digits);
    }
    for (const text of [
      '036000291452',
      '4006381333931',
      '96385074',
      '9780804429573',
      '0000096385074',
      '5000159484695',
    ])
      assert.isFalse(isInStoreGtin(toGtin(text) ?? ''), text);
    for (const text of ['', '2', '02-ABC-20', '212345678901']) assert.isFalse(isInStoreGtin(text), text);
  });

  it('have a key that contains the source if they are in-store numbers', () => {
    assert.strictEqual(gtinKey('04006381333931', 'shop_a'), gtinKey('04006381333931', 'shop_b'));
    assert.notStrictEqual(gtinKey('02000010000012', 'shop_a'), gtinKey('02000010000012', 'shop_b'));
  });
});
