import { assert } from 'chai';
import { fromMinorUnits, isWithin, toMinorUnits } from '../../src/listing/minor-units.js';

describe('minor units of currencies', () => {
  it('are integers by the decimals of ISO 4217, rounded half up', () => {
    const cases: [price: string, currency: string, amount: number][] = [
      ['19.90', 'EUR', 1990],
      ['0.285', 'USD', 29],
      ['0.2849', 'USD', 28],
      ['1.005', 'USD', 101],
      ['1299.00', 'JPY', 1299],
      ['1299.50', 'JPY', 1300],
      ['12.345', 'KWD', 12_345],
      ['0.0001', 'CLF', 1],
      ['15999.00', 'IDR', 1_599_900],
      ['3500.00', 'HUF', 350_000],
      ['100.00', 'ISK', 100],
      ['900719925474.09', 'USD', 90_071_992_547_409],
    ];
    for (const [price, currency, amount] of cases)
      assert.equal(toMinorUnits(price, currency), amount, `${price} ${currency}`);
  });

  it('are converted back to decimals', () => {
    assert.equal(fromMinorUnits(1990, 'EUR'), '19.90');
    assert.equal(fromMinorUnits(5, 'EUR'), '0.05');
    assert.equal(fromMinorUnits(5, 'JPY'), '5');
    assert.equal(fromMinorUnits(5, 'KWD'), '0.005');
    assert.equal(fromMinorUnits(Number.MAX_SAFE_INTEGER, 'USD'), '90071992547409.91');
  });

  it('limit prices inclusively and exactly', () => {
    assert.isTrue(isWithin('19.90', 'EUR', { min: 1990, max: 1990 }));
    assert.isFalse(isWithin('19.9001', 'EUR', { max: 1990 }));
    assert.isFalse(isWithin('19.8999', 'EUR', { min: 1990 }));
    assert.isTrue(isWithin('19.90', 'EUR', {}));
  });
});
