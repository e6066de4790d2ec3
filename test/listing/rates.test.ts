import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import { ConfigError } from '../../src/platform/config/config.js';
import { comparePrices, convert, type MoneyUnits } from '../../src/listing/rates.js';
import { parseRates, readRates } from '../../src/products/read-rates.js';

const rates = parseRates({
  base: 'USD',
  date: '2026-01-31',
  rates: { SGD: '1.25', EUR: '0.8', JPY: '150', KWD: '0.3', IDR: '16235.5' },
});

describe('exchange rates', () => {
  describe('convert', () => {
    it('converts through the base currency without rounding errors', () => {
      assert.strictEqual(convert(rates, 100_0000, 'USD', 'SGD'), 125_0000n);
      assert.strictEqual(convert(rates, 125_0000, 'SGD', 'USD'), 100_0000n);
      assert.strictEqual(convert(rates, 125_0000, 'SGD', 'EUR'), 80_0000n);
    });

    it('rounds half up', () => {
      const two = parseRates({ base: 'USD', date: '2026-01-31', rates: { AAA: '2', BBB: '3' } });
      assert.strictEqual(convert(two, 3, 'AAA', 'USD'), 2n);
      assert.strictEqual(convert(two, 4, 'BBB', 'USD'), 1n);
      assert.strictEqual(convert(two, 5, 'BBB', 'USD'), 2n);
    });

    it('keeps amounts beyond 2^53 exact', () => {
      assert.strictEqual(convert(rates, 9_007_199_254_740_993n, 'USD', 'JPY'), 1_351_079_888_211_148_950n);
      assert.strictEqual(convert(rates, 9_007_199_254_740_993n, 'EUR', 'EUR'), 9_007_199_254_740_993n);
    });

    it('returns null without a rate, unless the currencies are the same', () => {
      assert.isNull(convert(rates, 1, 'USD', 'XTS'));
      assert.isNull(convert(rates, 1, 'XTS', 'USD'));
      assert.isNull(convert(rates, 1, null, 'USD'));
      assert.strictEqual(convert(rates, 7, 'XTS', 'XTS'), 7n);
      assert.strictEqual(convert(rates, 7, null, null), 7n);
    });
  });

  describe('comparePrices', () => {
    const order = (prices: (MoneyUnits | null)[]) => [...prices].sort((a, b) => comparePrices(rates, a, b));

    it('sorts prices with a rate first, then those without a rate, without a currency and without a price', () => {
      const usd = { units: 10_0000, currency: 'USD' };
      const eur = { units: 9_0000, currency: 'EUR' };
      const jpy = { units: 1400_0000, currency: 'JPY' };
      const [xts, xxx] = [
        { units: 1, currency: 'XTS' },
        { units: 1, currency: 'XXX' },
      ];
      const [xtsDear, bare] = [
        { units: 2, currency: 'XTS' },
        { units: 1, currency: null },
      ];
      assert.deepEqual(order([null, bare, xxx, xtsDear, eur, xts, usd, jpy]), [
        jpy,
        usd,
        eur,
        xts,
        xtsDear,
        xxx,
        bare,
        null,
      ]);
    });

    it('distinguishes prices whose difference is lost by rounding', () => {
      const [less, more] = [
        { units: 162355n, currency: 'IDR' },
        { units: 162356n, currency: 'IDR' },
      ];
      const dollar = { units: 10, currency: 'USD' };
      assert.strictEqual(convert(rates, more.units, 'IDR', 'USD'), 10n);
      assert.strictEqual(comparePrices(rates, less, dollar), 0);
      assert.strictEqual(comparePrices(rates, more, dollar), 1);
      assert.strictEqual(comparePrices(rates, dollar, more), -1);
    });
  });

  describe('the table of rates', () => {
    let folder: string;
    before(() => (folder = mkdtempSync(path.join(tmpdir(), 'rates-'))));
    after(() => rmSync(folder, { recursive: true }));

    const readText = (text: string) => {
      const file = path.join(folder, 'rates.json');
      writeFileSync(file, text);
      return readRates(file);
    };

    it('has a dated default with the usual currencies', () => {
      const table = readRates(null);
      assert.strictEqual(table.base, 'USD');
      assert.match(table.date, /^\d{4}-\d{2}-\d{2}$/);
      assert.isAtLeast(table.perBase.size, 30);
      const sgd = convert(table, 100_0000, 'USD', 'SGD') ?? 0n;
      assert.isTrue(sgd > 120_0000n && sgd < 140_0000n, `100 USD are ${sgd}`);
    });

    it('is that of the operator if there is one', () => {
      const table = readText('{"base":"EUR","date":"2026-02-28","rates":{"USD":"1.25"},"source":"bank"}');
      assert.strictEqual(convert(table, 100_0000, 'EUR', 'USD'), 125_0000n);
      assert.isNull(convert(table, 100_0000, 'EUR', 'SGD'));
    });

    const table = (rates: unknown, rest: object = {}) =>
      JSON.stringify({ base: 'USD', date: '2026-01-31', rates, ...rest });
    const wrong: [string, string, RegExp][] = [
      ['no JSON', '{"base":', /is not JSON/],
      ['an array', '[]', /"base", "date" and "rates"/],
      ['no base', table({}, { base: 'usd' }), /"base"/],
      ['no date', table({}, { date: '2026-02-30' }), /"date"/],
      ['no rates', table([]), /"rates"/],
      ['a code that is none', table({ Euro: '1' }), /"Euro"/],
      ['a binary float', table({ EUR: 0.85 }), /rate of EUR/],
      ['zero', table({ EUR: '0.00' }), /rate of EUR/],
      ['a negative rate', table({ EUR: '-1' }), /rate of EUR/],
      ['an exponent', table({ EUR: '1e3' }), /rate of EUR/],
      ['another rate of the base', table({ USD: '1.01' }), /base USD/],
    ];
    for (const [what, text, message] of wrong) {
      it(`is rejected for ${what}, with the name of the variable`, () => {
        assert.throws(() => readText(text), ConfigError, message);
        assert.throws(() => readText(text), ConfigError, /^EXCHANGE_RATES_FILE /);
      });
    }

    it('is rejected if the file does not exist', () => {
      const missing = path.join(folder, 'missing.json');
      assert.throws(() => readRates(missing), ConfigError, /^EXCHANGE_RATES_FILE cannot be read/);
    });
  });
});
