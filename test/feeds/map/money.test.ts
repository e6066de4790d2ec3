import { assert } from 'chai';
import { readMoney } from '../../../src/feeds/map/money.js';

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

  it('rejects amounts with a currency on both sides', () => {
    for (const text of ['S$5 SGD', 'USD 5 USD', '€ 5 €']) assert.isNull(read(text), text);
  });
});
