import { assert } from 'chai';
import { readMoney, statesNoPrice } from '../../../src/feeds/map/money.js';

const read = (text: string, decimal: '.' | ',' = '.') => {
  const money = readMoney(text, decimal);
  return money === null ? null : `${money.amount} ${money.currency ?? '?'}`;
};

describe('readMoney', () => {
  it('parses amounts with the decimal separator of the feed', () => {
    const amounts: [string, '.' | ',', string][] = [
      ['19.99 SGD', '.', '19.99 SGD'],
      ['S$1,299.00', '.', '1299.00 SGD'],
      ['S$ 1,299', '.', '1299 SGD'],
      ['1.299,00 €', ',', '1299.00 EUR'],
      ['Rp 15.999.000', ',', '15999000 IDR'],
      ['Rp 15.999', ',', '15999 IDR'],
      ['KWD 12.500', '.', '12.500 KWD'],
      ['0.125 USD', '.', '0.125 USD'],
      ['1234.567 USD', '.', '1234.567 USD'],
      ['5.123', '.', '5.123 ?'],
    ];
    for (const [text, decimal, amount] of amounts) assert.strictEqual(read(text, decimal), amount, text);
  });

  it('rejects amounts whose thousands separator looks like a decimal separator', () => {
    const unclear: [string, '.' | ','][] = [
      ['Rp 15.999', '.'],
      ['15.999 ₫', '.'],
      ['1.299 EUR', '.'],
      ['S$ 1,299', ','],
    ];
    for (const [text, decimal] of unclear) assert.isNull(read(text, decimal), text);
  });

  it('reads three decimals if the decimal separator is certain', () => {
    assert.deepEqual(readMoney('1.299 EUR', '.', true), { amount: '1.299', currency: 'EUR' });
  });

  it('recognizes 0 and words in place of a price', () => {
    for (const text of ['0', '0.00', 'EUR 0,00', '$0', 'call for price', 'auf Anfrage', '-', 'N/A'])
      assert.isTrue(statesNoPrice(text), text);
    for (const text of ['0.01', '10', '1.2.3', '139,99', '10.00 EUR', 'from 100.00', 'x'.repeat(41)])
      assert.isFalse(statesNoPrice(text), text);
  });

  it('rejects amounts with a currency on both sides', () => {
    for (const text of ['S$5 SGD', 'USD 5 USD', '€ 5 €']) assert.isNull(read(text), text);
  });
});
