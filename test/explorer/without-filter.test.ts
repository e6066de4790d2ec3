import { assert } from 'chai';
import { withoutFilter } from '../../explorer/src/views/without-filter.js';

describe('a search without one of its filters', () => {
  const q = 'kettle -"two litres" under $20 -red';
  const search = new URLSearchParams({ q, brand: 'Orvane', min_price: '5', page: '2' });
  const excluded = [
    { text: 'two litres', from: 7, to: 20, applied: true },
    { text: 'red', from: 31, to: 35, applied: true },
  ];
  const interpreted = [
    { parameter: 'max_price', value: '20', from: 21, to: 30 },
    { parameter: 'price_currency', value: 'SGD', from: 21, to: 30 },
  ];
  const without = (filter: string, more = {}) => [
    ...withoutFilter(search, filter, { excluded, interpreted, ...more }),
  ];

  it('removes a parameter, and the number of the page', () => {
    assert.deepEqual(without('brand'), [
      ['q', q],
      ['min_price', '5'],
    ]);
  });

  it('removes the exclusions that apply from the text', () => {
    assert.deepEqual(without('excluded')[0], ['q', 'kettle under $20']);
    const [[, text] = []] = without('excluded', {
      excluded: excluded.map((one) => ({ ...one, applied: false })),
    });
    assert.strictEqual(text, q);
  });

  it('removes both price limits, as parameters and as words', () => {
    assert.deepEqual(without('price'), [
      ['q', 'kettle -"two litres" -red'],
      ['brand', 'Orvane'],
    ]);
  });
});
