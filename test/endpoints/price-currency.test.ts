import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { offer, pastPrices, skus } from '../support/listings.js';

const NAME = 'Hestan Coral 5 desk lamp';

/** Prices of about 10, 20 and 30 dollars in several currencies, one without a rate, and a listing without a price. */
const OFFERS: [sku: string, price: string | null, currency: string | null][] = [
  ['usd10', '10.00', 'USD'],
  ['myr20', '84.20', 'MYR'],
  ['sgd20', '25.44', 'SGD'],
  ['kwd30', '9.174', 'KWD'],
  ['none', null, null],
  ['mga', '20.00', 'MGA'],
];

describe('price_currency and has_price', () => {
  const api = useApi(
    OFFERS.map(([sku, price, currency]) =>
      offer(sku, NAME, price, {
        source: `shop_${sku}`,
        currency,
        brand: 'Hestan',
        category: 'Lamps',
        ...(price !== null && { price_history: pastPrices([`${Number(price) * 2}`, 40]) }),
        ...(price !== null && { list_price: String(Number(price) * 2) }),
      }),
    ),
  );
  const found = async (path: string): Promise<string[]> => {
    const body = await api.ok(path);
    return skus(Array.isArray(body) ? { items: body } : { items: body.items ?? body.matches }).sort();
  };

  it('compare prices after conversion on every list, without those that have no exchange rate', async () => {
    const id = await api.id('usd10');
    for (const path of [
      `/v1/search?q=lamp`,
      '/v1/products?sort=price_asc',
      '/v1/products/export?limit=100',
      '/v1/products/trending?limit=50',
      '/v1/deals?min_discount_pct=0',
      `/v1/products/compare?product_id=${id}`,
    ]) {
      const list = path.includes('?') ? path : `${path}?`;
      const within = (limits: string) => found(`${list}&${limits}`);
      assert.deepEqual(
        await within('price_currency=usd&max_price=20&min_price=15'),
        ['myr20', 'sgd20'],
        path,
      );
      assert.deepEqual(
        await within('price_currency=SGD&min_price=25.44&max_price=25.44'),
        ['myr20', 'sgd20'],
        path,
      );
      assert.deepEqual(await within('price_currency=MYR&min_price=84.21'), ['kwd30'], path);
      assert.include(await within('max_price=20&min_price=20'), 'mga', `${path} without the currency`);
    }
  });

  it('return listings with or without a price', async () => {
    for (const path of ['/v1/search?q=lamp', '/v1/products?limit=20', '/v1/products/export?limit=20']) {
      assert.deepEqual(await found(`${path}&has_price=false`), ['none']);
      assert.notInclude(await found(`${path}&has_price=true`), 'none');
      assert.deepEqual(await found(`${path}&has_price=false&min_price=0`), []);
    }
  });

  it('accept the highest limits, and refuse a currency without a rate everywhere', async () => {
    const most = '900719925474';
    for (const limit of [`max_price=${most}&price_currency=KWD`, `max_unit_price=${most}&unit_per=kg`])
      assert.equal((await api.get(`/v1/search?q=lamp&${limit}`)).status, 200);
    const [id, other] = [await api.id('usd10'), await api.id('none')];
    for (const path of [
      '/v1/search?q=lamp',
      '/v1/products?limit=1',
      '/v1/products/export?limit=1',
      '/v1/products/trending?limit=1',
      '/v1/deals?limit=1',
      `/v1/products/${id}/similar?limit=1`,
      `/v1/products/${id}/compatible?limit=1`,
      `/v1/products/compare?product_id=${id}`,
    ]) {
      const { status, body } = await api.get(`${path}&price_currency=mga`);
      assert.deepEqual([status, body.detail[0].loc], [422, ['query', 'price_currency']], path);
    }
    const matrix = { product_ids: [id, other], price_currency: 'MGA' };
    const { status, body } = await api.post('/v1/products/compare', matrix);
    assert.deepEqual([status, body.detail[0].loc], [422, ['body', 'price_currency']]);
  });
});
