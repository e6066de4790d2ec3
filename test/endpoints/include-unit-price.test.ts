import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { pluck, record, skus } from '../support/listings.js';

/** Tests what endpoints do with unit prices. How quantities are read is tested in test/listing/quantity.test.ts. */
describe('include=unit_price', () => {
  const olive = { category: 'Oils', brand: 'Oliva', is_available: true, currency: 'EUR' };
  const api = useApi([
    record({ ...olive, sku: 'small', name: 'Oliva olive oil 500 ml', price: '6.00', gtin: '4006381333931' }),
    record({ ...olive, sku: 'large', name: 'Oliva olive oil 3 l', price: '24.30' }),
    record({ ...olive, sku: 'dollars', name: 'Oliva olive oil 1 l', price: '9.00', currency: 'USD' }),
    record({ ...olive, sku: 'unclear', name: 'Oliva olive oil', price: '5.00' }),
    record({
      ...olive,
      sku: 'stated',
      name: 'Oliva olive oil tin',
      price: '10.00',
      metadata: { unit_pricing_measure: '1.25 l' },
    }),
    record({ ...olive, sku: 'soap', name: 'Oliva olive oil soap 4 x 100 g', price: '4.00' }),
    record({ ...olive, sku: 'free', name: 'Oliva olive oil 250 ml', price: null }),
    record({ sku: 'kettle', name: 'Oliva electric kettle 1.7 l', price: '1.00', currency: 'EUR' }),
  ]);
  /** The unit prices that listings must have, by SKU. */
  const EXPECTED: Record<string, unknown> = {
    small: { value: '12.00', currency: 'EUR', per: 'l', basis: 'name' },
    large: { value: '8.10', currency: 'EUR', per: 'l', basis: 'name' },
    dollars: { value: '9.00', currency: 'USD', per: 'l', basis: 'name' },
    unclear: null,
    stated: { value: '8.00', currency: 'EUR', per: 'l', basis: 'stated' },
    soap: { value: '10.00', currency: 'EUR', per: 'kg', basis: 'name' },
    free: null,
    kettle: null,
  };
  const ALL = Object.keys(EXPECTED);

  const pages: [path: string, skus: string[], items?: (body: any) => any[]][] = [
    ['/v1/search?', ALL],
    ['/v1/products?fields=sku', ALL],
    ['/v1/search?cursor=', ALL],
    ['/v1/products/ID?', ['small'], (body) => [body]],
    ['/v1/products/ID/offers?', ['small'], ({ offers }) => offers],
    ['/v1/products/best-price?q=4006381333931', ['small'], (body) => [body]],
    ['/v1/products/export?', ALL, (body) => body],
    ['/v1/products/trending?', ALL],
  ];
  for (const [path, expected, items = (body: any) => body.items] of pages)
    it(`adds the unit price: ${path}`, async () => {
      const own = path.replace('ID', String(await api.id('small')));
      assert.notInclude((await api.get(own)).text, 'unit_price');
      const found = items(await api.ok(`${own}&include=unit_price`));
      assert.deepEqual(
        Object.fromEntries(found.map(({ sku, unit_price }: any) => [sku, unit_price])),
        Object.fromEntries(expected.map((sku) => [sku, EXPECTED[sku]])),
      );
    });

  it('adds it to price histories and deals, and to exports as CSV', async () => {
    const id = await api.id('small');
    const history = await api.ok(`/v1/products/${id}/price-history?include=unit_price`);
    assert.deepEqual(history.unit_price, EXPECTED['small']);
    assert.isArray((await api.ok('/v1/deals?include=unit_price')).items);
    const { text } = await api.get('/v1/products/export?format=csv&include=unit_price');
    assert.match(text, /^[^\n]*"?unit_price"?/);
    assert.include(text, '""value"":""12.00""');
  });

  it('sorts by it in one unit and one currency, other units and no unit price last', async () => {
    const sorted = await api.ok('/v1/search?q=oliva olive oil&sort=unit_price&unit_per=l');
    // One dollar is 0.853 euros, so 9 USD are 7.68 EUR.
    assert.deepEqual(skus(sorted).slice(0, 4), ['dollars', 'stated', 'large', 'small']);
    assert.sameMembers(skus(sorted).slice(4), ['unclear', 'soap', 'free']);
    const ids = pluck(sorted.items, 'id').slice(4);
    assert.deepEqual(
      ids,
      [...ids].sort((a, b) => a - b),
    );
    const mass = await api.ok('/v1/search?q=oliva olive oil&sort=unit_price&unit_per=kg&limit=1');
    assert.deepEqual(skus(mass), ['soap']);
    const cursor = await api.ok('/v1/search?sort=unit_price&unit_per=l&limit=2&cursor=');
    assert.deepEqual(skus(cursor), ['dollars', 'stated']);
    const next = `/v1/search?sort=unit_price&unit_per=l&limit=2&cursor=${encodeURIComponent(String(cursor.next_cursor))}`;
    assert.deepEqual(skus(await api.ok(next)), ['large', 'small']);
  });

  const LIMITS: Record<string, string[]> = {
    // In the base currency, US dollars: 8 EUR are 9.37866 USD, and 8.10 EUR are 9.49590 USD.
    'max_unit_price=9.4960&unit_per=l': ['large', 'stated', 'dollars'],
    'max_unit_price=9.3787&unit_per=l': ['stated', 'dollars'],
    'max_unit_price=9.37&unit_per=l': ['dollars'],
    'max_unit_price=8.9999&unit_per=l': [],
    // In the currency that the request filters by.
    'max_unit_price=8&unit_per=l&currency=EUR': ['stated'],
    'max_unit_price=7.9999&unit_per=l&currency=eur': [],
    'max_unit_price=1000&unit_per=kg': ['soap'],
    'max_unit_price=1000&unit_per=piece': [],
  };
  for (const [parameters, expected] of Object.entries(LIMITS))
    it(`filters by it: ${parameters}`, async () => {
      const page = await api.ok(`/v1/search?${parameters}`);
      assert.sameMembers(skus(page), expected);
      assert.equal(page.total, expected.length);
    });

  it('needs a unit, and a use for it', async () => {
    for (const [parameters, message] of Object.entries({
      'sort=unit_price': 'sort=unit_price needs unit_per',
      'max_unit_price=3': 'max_unit_price needs unit_per',
      'unit_per=kg': 'unit_per needs',
      'sort=unit_price&unit_per=lb': 'should be',
      'max_unit_price=-1&unit_per=kg': 'greater than or equal to 0',
    })) {
      const { status, text } = await api.get(`/v1/search?${parameters}`);
      assert.equal(status, 422, parameters);
      assert.include(text, message, parameters);
    }
    assert.equal((await api.get('/v1/products/export?max_unit_price=3')).status, 422);
  });
});
