import { assert } from 'chai';
import { platformMap } from '../../../src/feeds/map/feed-map.js';
import type { FeedMap } from '../../../src/feeds/map/feed-map.js';
import { Mapper } from '../../../src/feeds/map/mapper.js';

const NOW = new Date('2026-06-01T00:00:00Z');

/** What the records of a row state: the price, and whether it is a "from" price. */
function pricesIn(map: FeedMap, value: object): [price: unknown, from: unknown, reasons?: unknown][] {
  const mapper = new Mapper(map, { now: NOW, timezone: 'UTC' });
  const item = { line: 1, bytes: 1, raw: value, value };
  return [...mapper.records(item)].map(({ value: record, reasons }) => {
    const { price, price_from } = record as Record<string, unknown>;
    return [price, price_from, ...(reasons === undefined ? [] : [reasons])] as [unknown, unknown];
  });
}

const map = (decimal: '.' | ','): FeedMap => ({
  about: 'a table',
  decimal,
  fields: {
    sku: 'id',
    name: 'id',
    currency: [{ from: ['sale', 'price'], money: 'currency' }],
    price: { from: ['sale'], money: 'amount' },
  },
});

describe('"from" prices of feeds', () => {
  const both: FeedMap = {
    ...map('.'),
    fields: {
      ...map('.').fields,
      price: [
        { from: 'sale', money: 'amount' },
        { from: 'price', money: 'amount' },
      ],
    },
  };

  for (const [text, decimal, price] of [
    ['ab 19,99 €', ',', '19.99'],
    ['Ab 1.299,00 EUR', ',', '1299.00'],
    ['from $19.99', '.', '19.99'],
    ['From: USD 19.99', '.', '19.99'],
    ['starting at €20', '.', '20'],
    ['as low as 5.00', '.', '5.00'],
    ['à partir de 19,99 €', ',', '19.99'],
    ['desde 19,99 €', ',', '19.99'],
    ['a partire da 19,99 €', ',', '19.99'],
    ['vanaf 19,99 €', ',', '19.99'],
    ['od 199 zł', ',', '199'],
    ['mulai dari Rp 20000', ',', '20000'],
    ['dari RM 12.50', '.', '12.50'],
    ['¥100起', '.', '100'],
    ['1980円から', '.', '1980'],
    ['$19.99+', '.', '19.99'],
  ] as const)
    it(`are loaded with a mark: ${text}`, () => {
      assert.deepEqual(pricesIn(map(decimal), { id: 'a', sale: text }), [[price, true]]);
    });

  it('are no plain prices, amounts in other words, or ranges', () => {
    assert.deepEqual(pricesIn(map('.'), { id: 'a', sale: '19.99 EUR' }), [['19.99', undefined]]);
    for (const text of ['ab Lager 19.99 Stück', '19.99 - 29.99', 'monthly from 19.99'])
      assert.lengthOf(pricesIn(map('.'), { id: 'a', sale: text })[0] ?? [], 3, text);
  });

  it('are left out if the row has a plain price', () => {
    assert.deepEqual(pricesIn(both, { id: 'a', sale: 'from 10', price: '20' }), [['20', undefined]]);
    assert.deepEqual(pricesIn(both, { id: 'a', sale: '10', price: 'from 20' }), [['10', undefined]]);
    assert.deepEqual(pricesIn(both, { id: 'a', price: 'from 20' }), [['20', true]]);
  });

  it('are the lowest prices of an AggregateOffer with a higher one', () => {
    const product = (offers: object) => ({ '@type': 'Product', sku: 'A', name: 'Desk', offers });
    const of = (offers: object) => pricesIn(platformMap('schemaorg'), product(offers));
    const aggregate = { '@type': 'AggregateOffer', priceCurrency: 'EUR', lowPrice: '389.00' };
    assert.deepEqual(of({ ...aggregate, highPrice: 499 }), [['389.00', true]]);
    assert.deepEqual(of({ ...aggregate, offerCount: 3 }), [['389.00', true]]);
    assert.deepEqual(of({ ...aggregate, highPrice: '389.0' }), [['389.00', undefined]]);
    assert.deepEqual(of(aggregate), [['389.00', undefined]]);
    assert.deepEqual(of({ priceCurrency: 'EUR', priceSpecification: { minPrice: 389, maxPrice: 499 } }), [
      ['389', true],
    ]);
    const plain = { '@type': 'Offer', price: '420.00', priceCurrency: 'EUR' };
    assert.deepEqual(of([{ ...aggregate, highPrice: 499 }, plain]), [['420.00', undefined]]);
  });
});
