import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { offer, skus } from '../support/listings.js';

describe('the order of flagged prices', () => {
  /** Low prices, the cheapest first after conversion. */
  const OFFERS: [sku: string, price: string, currency: string][] = [
    ['idr', '900.00', 'IDR'],
    ['jpy', '20.00', 'JPY'],
    ['myr', '0.80', 'MYR'],
    ['usd', '0.300', 'USD'],
    ['usd2', '0.301', 'USD'],
    ['usd3', '0.302', 'USD'],
    ['usd4', '0.303', 'USD'],
    ['usd5', '0.304', 'USD'],
    ['kwd', '0.100', 'KWD'],
  ];
  const api = useApi([
    ...OFFERS.map(([sku, price, currency]) => offer(sku, 'Trivet', price, { currency })),
    offer('dear', 'Trivet', '99999999.00', { currency: 'KWD' }),
    offer('rateless', 'Trivet', '1.00', { currency: 'BND' }),
  ]);
  before(() =>
    api.es.updateByQuery({
      index: api.products,
      query: { terms: { sku: OFFERS.map(([sku]) => sku) } },
      script: { source: "ctx._source.internal.flags = ['price_placeholder']" },
      refresh: true,
    }),
  );

  it('is by price after all others, also below 1.00 and in other currencies', async () => {
    const { items } = await api.ok('/v1/search?q=trivet&sort=price_asc&limit=20');
    assert.deepEqual(skus({ items }), ['dear', ...OFFERS.map(([sku]) => sku), 'rateless']);
  });
});
