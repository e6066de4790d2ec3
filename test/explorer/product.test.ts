import { assert } from 'chai';
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
