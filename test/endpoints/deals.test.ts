import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { main as quality } from '../../scripts/quality.js';
import { useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { assertSorted, offer, pastPrices, pluck, record, skus } from '../support/listings.js';

describe('GET /v1/deals with a declared price', () => {
  const lamp = (sku: string, source: string, price: string, list_price?: string) =>
    record({ sku, source, price, name: `Askvoll ${sku} floor lamp`, list_price: list_price ?? null });
  const api = useApi([
    lamp('alone-91', 'shop_a', '9.00', '100.00'),
    lamp('alone-90', 'shop_a', '10.00', '100.00'),
    lamp('huge', 'shop_a', '50.00', '99999999.00'),
    ...['b', 'c', 'd'].flatMap((shop, at) => [
      lamp('huge', `shop_${shop}`, `${80 + at}.00`),
      lamp('low', `shop_${shop}`, `${60 + at}.00`),
    ]),
    lamp('low', 'shop_a', '70.00', '100.00'),
  ]);
  const deals = async (query = ''): Promise<string[]> => {
    const { items } = await api.ok(`/v1/deals?source=shop_a${query}`);
    return items.map((item: Record<string, unknown>) =>
      ['sku', 'original_price', 'discount_pct'].map((name) => String(item[name])).join(' '),
    );
  };
  const idOf = async (sku: string): Promise<number> =>
    (await api.ok(`/v1/search?source=shop_a&q=${sku}&limit=1`)).items[0].id;

  it('lists no reduction above 90 % that nobody else confirms', async () => {
    assert.deepEqual(await deals(), ['alone-90 100.00 90', 'low 100.00 30']);
    assert.deepEqual(await deals('&price_basis=declared'), await deals());
    const sorted = skus(await api.ok('/v1/search?source=shop_a&sort=discount'));
    assert.deepEqual(sorted.slice(0, 2), ['alone-90', 'low']);
    const history = await api.ok(`/v1/products/${await idOf('alone-91')}/price-history`);
    assert.isNull(history.deal);
  });

  it('counts it up to the usual price of three or more other owners', async () => {
    await outputOf(link, api.prefix);
    const capped = ['alone-90 100.00 90', 'huge 81.00 38.27'];
    assert.deepEqual(await deals(), capped);
    const { deal } = await api.ok(`/v1/products/${await idOf('huge')}/price-history`);
    assert.deepInclude(deal, { original_price: '81.00', discount_pct: 38.27 });
    // It stays so if the listing is loaded again, whatever its list price is, and if the flags are computed again.
    await api.load([lamp('huge', 'shop_a', '50.00', '77777777.00')]);
    await outputOf(quality, api.prefix);
    assert.deepEqual(await deals(), capped);
    await api.load([lamp('huge', 'shop_a', '50.00', '66.00')]);
    assert.deepEqual(await deals(), ['alone-90 100.00 90', 'huge 66.00 24.24']);
  });
});

describe('GET /v1/deals', () => {
  const api = useApi([
    record({
      sku: 'real',
      category: 'Tea',
      price: '80.00',
      price_history: pastPrices(['100.00', 100], ['80.00', 2]),
    }),
    record({ sku: 'exactly-10', price: '2.70', price_history: pastPrices(['3.00', 60], ['2.70', 1]) }),
    record({ sku: 'just-below-10', price: '2.7001', price_history: pastPrices(['3.00', 60], ['2.7001', 1]) }),
    record({
      sku: 'raised-for-a-day',
      price: '100.00',
      price_history: pastPrices(['100.00', 100], ['150.00', 2], ['100.00', 1]),
    }),
    record({
      sku: 'never-that-dear',
      price: '50.00',
      list_price: '99.00',
      price_history: pastPrices(['50.00', 60]),
    }),
    record({ sku: 'declared', price: '60.00', list_price: '80.00' }),
    record({ sku: 'dearer', price: '120.00', price_history: pastPrices(['100.00', 50], ['120.00', 2]) }),
    record({ sku: 'no-price', price: null, list_price: '10.00' }),
    record({
      sku: 'old-low',
      price: '90.00',
      price_history: pastPrices(['100.00', 100], ['70.00', 25], ['100.00', 20], ['90.00', 1]),
    }),
  ]);

  it('lists listings priced below their own history, the highest discount first', async () => {
    const body = await api.ok('/v1/deals');
    assert.hasAllKeys(body, ['total', 'limit', 'offset', 'has_more', 'items']);
    assert.sameMembers(skus(body).slice(2), ['exactly-10', 'old-low'], 'equal discounts come by id');
    assert.deepEqual(skus(body).slice(0, 2), ['declared', 'real']);
    assert.equal(body.total, 4);
  });

  it('returns the reference price and the lowest price of 30 days', async () => {
    const { body } = await api.get('/v1/deals');
    const of = (sku: string) => body.items.find((item: { sku: string }) => item.sku === sku);
    assert.include(of('real'), {
      original_price: '100.00',
      discount_pct: 20,
      price_basis: 'observed',
      lowest_price_30d: '80.00',
    });
    assert.include(of('declared'), {
      original_price: '80.00',
      discount_pct: 25,
      price_basis: 'declared',
      lowest_price_30d: '60.00',
    });
    assert.include(of('old-low'), { original_price: '100.00', discount_pct: 10, lowest_price_30d: '70.00' });
    assert.notProperty(of('real'), 'internal');
  });

  it('compares the unrounded discount with the minimum, inclusively', async () => {
    assert.notInclude(skus((await api.get('/v1/deals?min_discount_pct=10')).body), 'just-below-10');
    assert.include(skus((await api.get('/v1/deals?min_discount_pct=9.99')).body), 'just-below-10');
    assert.include(skus((await api.get('/v1/deals?min_discount_pct=10.0')).body), 'exactly-10');
    assert.deepEqual(skus((await api.get('/v1/deals?min_discount_pct=25')).body), ['declared']);
    assert.deepEqual(skus((await api.get('/v1/deals?min_discount_pct=25.01')).body), []);
  });

  it('filters by category and returns pages', async () => {
    assert.deepEqual(skus((await api.get('/v1/deals?category=tea')).body), ['real']);
    const { body } = await api.get('/v1/deals?limit=1&offset=1');
    assert.deepEqual(skus(body), ['real']);
    assert.isTrue(body.has_more);
  });

  it('filters by words, price basis and availability, and sorts unavailable listings last on request', async () => {
    await api.load([
      offer('gone', 'Jasmine tea of Ceylon', '50.00', {
        is_available: false,
        source: 'shop_t',
        price_history: pastPrices(['100.00', 100], ['50.00', 2]),
      }),
      offer('here', 'Green tea of Ceylon', '70.00', {
        is_available: true,
        source: 'shop_t',
        price_history: pastPrices(['100.00', 100], ['70.00', 2]),
      }),
    ]);
    const found = async (query: string) => skus((await api.get(`/v1/deals?${query}`)).body);
    assert.deepEqual(await found('q=teas+ceylon'), ['gone', 'here']);
    assert.deepEqual(await found('q=teas+ceylon&out_of_stock=last'), ['here', 'gone']);
    assert.deepEqual(await found('q=green+tea'), ['here'], 'every word counts');
    assert.deepEqual(await found('in_stock=true&source=shop_t'), ['here']);
    assert.deepEqual(await found('price_basis=declared'), ['declared']);
    assert.notInclude(await found('price_basis=observed'), 'declared');
    const [first] = await found('out_of_stock=last');
    assert.equal(first, 'here', 'what does not say counts as in stock');
    assert.equal((await api.get('/v1/deals?price_basis=guessed')).status, 422);
  });

  it('answers 422 to parameters that are out of range', async () => {
    for (const query of ['min_discount_pct=x', 'min_discount_pct=-1', 'limit=101', 'offset=-1']) {
      assert.equal((await api.get(`/v1/deals?${query}`)).status, 422, query);
    }
  });
});

describe('GET /v1/deals with almost equal discounts', () => {
  const near = Array.from({ length: 8 }, (_, at) =>
    record({ sku: `near-${at}`, price: `20000.${at}0`, list_price: '30000.00' }),
  );
  const api = useApi(near);

  it('sorts deals that are shown with the same discount by id', async () => {
    for (const path of ['/v1/deals', '/v1/search?sort=discount']) {
      const { items } = await api.ok(path);
      assert.lengthOf(items, near.length);
      assertSorted(pluck(items, 'id') as number[], 'ascending');
    }
    const { items } = await api.ok('/v1/deals');
    assert.deepEqual([...new Set(pluck(items, 'discount_pct'))], [33.33]);
  });
});
