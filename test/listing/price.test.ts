import { assert } from 'chai';
import {
  ceilScaled,
  ceilUnits,
  floorUnits,
  formatUnits,
  fromMinorUnits,
  isWithin,
  parsePrice,
  PRICE_EDGES,
  priceStep,
  toMinorUnits,
  toUnits,
} from '../../src/listing/price.js';

const priceOf = (value: string | number) => {
  const parsed = parsePrice(value);
  return 'price' in parsed ? parsed.price : null;
};

describe('prices', () => {
  it('have at least two decimals, and no more zeros at the end', () => {
    const expected: [string | number, string][] = [
      ['0.10', '0.10'],
      ['443164.00', '443164.00'],
      ['19.999', '19.999'],
      ['0.0001', '0.0001'],
      ['19.9', '19.90'],
      ['19', '19.00'],
      ['19.000', '19.00'],
      ['19.9900', '19.99'],
      ['19.9990', '19.999'],
      ['007.5', '7.50'],
      ['000.5', '0.50'],
      [19.9, '19.90'],
      [443164, '443164.00'],
      [0.1, '0.10'],
      ['900719925474.0991', '900719925474.0991'],
    ];
    for (const [value, price] of expected) assert.strictEqual(priceOf(value), price, String(value));
  });

  it('have the decimals of a currency with more than two', () => {
    const inCurrency = (price: string, currency: string) => {
      const parsed = parsePrice(price, currency);
      return 'price' in parsed ? parsed.price : null;
    };
    assert.strictEqual(inCurrency('7.5', 'KWD'), '7.500');
    assert.strictEqual(inCurrency('12.3450', 'IQD'), '12.345');
    assert.strictEqual(inCurrency('1', 'CLF'), '1.0000');
    assert.strictEqual(inCurrency('1980', 'JPY'), '1980.00');
    assert.strictEqual(formatUnits(75_000, 'KWD'), '7.500');
  });

  it('are positive plain decimals that can be expressed in units', () => {
    const wrong = [
      '$1,299.00',
      '1,299.00',
      '1.299,00',
      '-5',
      '+5',
      '0',
      '0.00',
      '',
      ' ',
      ' 5',
      'NaN',
      'Infinity',
    ];
    const alsoWrong = [
      '1e3',
      '0x10',
      '5.',
      '.5',
      '1.23456',
      '900719925474.0992',
      '٣',
      'SGD 5',
      '9'.repeat(400),
    ];
    const numbers = [0, -1, NaN, Infinity, 1e21, 1e-7, 0.1 + 0.2, 2 ** 53, 12345678901234567];
    for (const value of [...wrong, ...alsoWrong, ...numbers]) assert.isNull(priceOf(value), String(value));
  });

  it('are converted to exact units and back', () => {
    assert.strictEqual(toUnits('0.10'), 1_000);
    assert.strictEqual(toUnits('19.999'), 199_990);
    assert.strictEqual(toUnits('900719925474.0991'), Number.MAX_SAFE_INTEGER);
    for (const price of ['0.10', '443164.00', '19.999', '0.0001', '900719925474.0991', '1.2345', '10.00']) {
      assert.strictEqual(formatUnits(toUnits(price), null), price);
    }
    assert.strictEqual(formatUnits(-5_000, null), '-0.50');
  });
});

describe('price limits', () => {
  it('are rounded to the nearest unit inside the range', () => {
    assert.strictEqual(ceilUnits('19.99995'), 200_000);
    assert.strictEqual(floorUnits('19.99995'), 199_999);
    assert.strictEqual(ceilUnits('19.9999'), 199_999);
    assert.strictEqual(floorUnits('19.9999'), 199_999);
    assert.strictEqual(ceilUnits('-0.00001'), 0);
    assert.strictEqual(floorUnits('-0.00001'), -1);
    assert.strictEqual(ceilUnits(`0.${'0'.repeat(50)}1`), 1);
    assert.strictEqual(floorUnits('.5'), 5_000);
    assert.strictEqual(ceilUnits('5.'), 50_000);
    assert.strictEqual(ceilUnits('1e-7'), 1);
    assert.strictEqual(ceilUnits('1.5e2'), 1_500_000);
  });

  it('remain numbers if they exceed every price', () => {
    assert.strictEqual(ceilUnits('9'.repeat(1_000)), 2 ** 53);
    const zeros = '0'.repeat(20_000);
    for (const [decimal, floor, ceil] of [
      [`1.2345${zeros}`, 12_345, 12_345],
      [`1.2345${zeros}1`, 12_345, 12_346],
      [`-1.2345${zeros}1`, -12_346, -12_345],
      [`${zeros}7.${zeros}`, 70_000, 70_000],
      [`0.${zeros}9`, 0, 1],
      ['1e-999999999', 0, 1],
    ] as const) {
      assert.deepEqual([floorUnits(decimal), ceilUnits(decimal)], [floor, ceil], decimal.slice(0, 10));
    }
    assert.strictEqual(floorUnits(`-${'9'.repeat(1_000)}`), -(2 ** 53));
    assert.strictEqual(ceilUnits('1e308'), 2 ** 53);
  });

  it('support another scale', () => {
    assert.strictEqual(ceilScaled('10', 10_000_000), 100_000_000);
    assert.strictEqual(ceilScaled('33.33333334', 10_000_000), 333_333_334);
  });

  it('belong to the price step that begins at or below them', () => {
    const [first = 0, second = 0, third = 0] = PRICE_EDGES;
    assert.deepEqual([first, second, third], [1, 2, 5]);
    assert.deepEqual([1, 2, 4, 5, 9, 10].map(priceStep), [0, 1, 1, 2, 2, 3]);
  });
});

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
