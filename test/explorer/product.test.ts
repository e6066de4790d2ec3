import { assert } from 'chai';
import { verdictOf } from '../../explorer/src/plots/verdict.js';
import { readAmount } from '../../explorer/src/amount.js';
import { reduction } from '../../explorer/src/format.js';
import { toSeries, type PriceLine } from '../../explorer/src/plots/price-lines.js';
import { productTitle } from '../../explorer/src/views/product-title.js';
import type { Reading } from '../../explorer/src/types.js';

const reading = (parts: Partial<Reading>): Reading => ({
  maker: null,
  line: null,
  model: null,
  variant: null,
  kind: null,
  sizes: [],
  count: null,
  colour: null,
  edition: null,
  compatible_with: [],
  specification: [],
  ...parts,
});

describe('the title of a product', () => {
  const cases: [name: string, brand: string | null, read: Partial<Reading>, title: string][] = [
    [
      '[1 Year Warranty] SONVARA Kestrel 7 Pro Wireless Earbuds (Pink) Fast Delivery',
      'Sonvara',
      { line: 'kestrel', model: '7', variant: 'pro', kind: 'earbud', colour: 'pink' },
      'Sonvara Kestrel 7 Pro Wireless Earbuds',
    ],
    ['Kettle VK-100X steel', 'Sonvara', { model: 'vk100x', kind: 'kettle' }, 'Sonvara Kettle VK-100X'],
    ['Rondure VK 100 X', 'Rondure', { model: 'vk100x' }, 'Rondure VK 100 X'],
    ['Coffee beans 200 g', 'Rondure', { kind: 'bean' }, 'Coffee beans 200 g'],
    ['[Only brackets]', null, {}, '[Only brackets]'],
    ['<b>Kettle</b> VK-2 (a+', null, { model: 'vk2', kind: 'kettle' }, 'Kettle</b> VK-2'],
    ['手机 X9 Pro', null, { model: 'x9', variant: 'pro' }, 'X9 Pro'],
  ];
  for (const [name, brand, read, title] of cases)
    it(`of ${name}`, () => assert.equal(productTitle({ name, brand }, reading(read)), title));

  it('is the name if nothing was read from it', () => {
    assert.equal(productTitle({ name: 'Plain name', brand: 'A' }, null), 'Plain name');
  });
});

describe('the verdict on the best price of a product', () => {
  const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
  const line = (label: string, ...prices: string[]): PriceLine => ({
    label,
    currency: 'SGD',
    points: prices.map((price, week) => ({ at: at(1 + 7 * week), price })),
    gaps: [],
    to: at(29),
    known: at(29),
  });
  const offer = (price: string) => ({ price, source: 'shop_a' });
  const cases: [title: string, price: string, verdict: string, lines: PriceLine[], text: string][] = [
    [
      'compares with the usual best price of all shops, not with that of its own shop',
      '261.00',
      'lowest_ever',
      [line('Shop A', '519.00', '519.00', '519.00', '261.00'), line('Shop B', '479.00')],
      'Lowest ever · 45 % below the usual best price of 479.00',
    ],
    [
      'names the shop if another one was cheaper before',
      '30.00',
      'lowest_ever',
      [
        line('Shop A', '40.00', '40.00', '40.00', '40.00', '30.00'),
        line('Shop B', '35.00', '25.00', '35.00'),
      ],
      'Lowest ever at Shop A · 14 % below the usual best price of 35.00',
    ],
    [
      'names the shop whose own prices it is about',
      '35.00',
      'typical',
      [line('Shop A', '35.00'), line('Shop B', '35.50')],
      'Usual price at Shop A',
    ],
    [
      'names no shop if there is one',
      '40.00',
      'highest_ever',
      [line('Shop A', '30.00', '40.00')],
      'Highest ever',
    ],
    ['needs observations', '40.00', 'unknown', [], 'Not observed long enough to judge'],
  ];
  for (const [title, price, verdict, lines, text] of cases)
    it(title, () => {
      const lowest = Math.min(...lines.flatMap(({ points }) => points.map((one) => Number(one.price))));
      const series = toSeries(lines);
      assert.equal(verdictOf(verdict as Parameters<typeof verdictOf>[0], offer(price), series, lowest), text);
    });

  it('names the shop if another one was cheaper before the period that is shown', () => {
    const series = toSeries([line('Shop A', '40.00', '40.00', '30.00'), line('Shop B', '45.00')]);
    assert.equal(verdictOf('lowest_ever', offer('30.00'), series, 25), 'Lowest ever at Shop A');
    assert.equal(verdictOf('lowest_ever', offer('30.00'), series, 30), 'Lowest ever');
  });
});

describe('a reduction', () => {
  for (const [given, shown] of [
    [49.9, 49],
    [50, 50],
    [0.4, 0],
    [100 * (1 - 54 / 100), 46],
  ] as const)
    it(`of ${given} is shown as ${shown}`, () => assert.equal(reduction(given), shown));
});

describe('the lowest price of all shops', () => {
  const line = (
    label: string,
    prices: [day: number, price: string][],
    rest: Partial<PriceLine> = {},
  ): PriceLine => ({
    label,
    currency: 'SGD',
    points: prices.map(([day, price]) => ({ at: at(day), price })),
    gaps: [],
    to: at(30),
    known: at(28),
    ...rest,
  });
  const at = (day: number) => new Date(Date.UTC(2026, 0, day)).toISOString();
  const lowestOn = (lines: PriceLine[], day: number) => {
    const { times, lowest } = toSeries(lines);
    return lowest[times.findLastIndex((time) => time <= Date.parse(at(day)) / 1_000)] ?? null;
  };

  it('is that of the shop which is cheapest at the time', () => {
    const lines = [
      line('A', [
        [1, '30.00'],
        [20, '10.00'],
      ]),
      line('B', [[5, '20.00']]),
    ];
    assert.deepEqual(lowestOn(lines, 3), { price: '30.00', label: 'A' });
    assert.deepEqual(lowestOn(lines, 10), { price: '20.00', label: 'B' });
    assert.deepEqual(lowestOn(lines, 25), { price: '10.00', label: 'A' });
  });

  it('includes shops that were checked a little earlier than the others, and not those seen long ago', () => {
    const a = line('A', [[1, '30.00']]);
    assert.deepEqual(lowestOn([a, line('B', [[1, '20.00']], { known: at(27) })], 28), {
      price: '20.00',
      label: 'B',
    });
    assert.deepEqual(lowestOn([a, line('B', [[1, '20.00']], { known: at(10) })], 28), {
      price: '30.00',
      label: 'A',
    });
  });

  it('is interrupted where no shop was observed', () => {
    const gaps = [{ from: at(5), to: at(25) }];
    assert.isNull(lowestOn([line('A', [[1, '30.00']], { gaps })], 10));
    assert.deepEqual(lowestOn([line('A', [[1, '30.00']], { gaps }), line('B', [[1, '40.00']])], 10), {
      price: '40.00',
      label: 'B',
    });
  });

  it('has guides that are prices which were asked, the median by time', () => {
    const { guides } = toSeries([
      line('A', [
        [1, '30.00'],
        [2, '0.10'],
        [3, '25.05'],
      ]),
    ]);
    assert.deepEqual(guides, { low: '0.10', median: '25.05', high: '30.00' });
    assert.isNull(toSeries([]).guides);
    assert.isNull(toSeries([line('A', [])]).guides);
  });
});

describe('a price that somebody typed', () => {
  const cases: [typed: string, amount: string | null][] = [
    ['30', '30'],
    [' 30.5 ', '30.5'],
    ['30,50', '30.50'],
    ['1,299.00', '1299.00'],
    ['1.299,00', '1299.00'],
    ['1 299', '1299'],
    ['12,345,678', '12345678'],
    ["1'299.50", '1299.50'],
    ['1,299', null],
    ['1.299', null],
    ['-5', null],
    ['abc', null],
    ['30 SGD', null],
    ['1e3', null],
    ['30.505', null],
    ['', null],
  ];
  for (const [typed, amount] of cases)
    it(`“${typed}” is ${amount ?? 'refused'}`, () => {
      const read = readAmount(typed);
      assert.equal(read.amount, amount);
      assert.equal(read.problem === null, amount !== null);
    });
});
