import { assert } from 'chai';
import sharp from 'sharp';
import { exampleHistory } from '../../src/usecases/price-history/example.js';
import { priceHistorySvg } from '../../src/usecases/price-history/svg.js';
import { useApi } from '../support/api.js';
import { daysAgo, pastPrices, pluck, record } from '../support/listings.js';
import { words } from '../support/words.js';

const DAY = 86_400_000;

describe('price history', () => {
  let sale: number;
  let unpriced: number;

  const api = useApi([
    record({
      sku: 'sale',
      name: 'Kettle </text><script>alert(1)</script> & "more" \u{1F600}',
      price: '80.00',
      last_checked: daysAgo(1),
      price_history: pastPrices(
        ...Array.from({ length: 30 }, (_, i): [string, number] => ['100.00', 92 - 3 * i]),
      ),
    }),
    record({ sku: 'unpriced', price: null }),
    record({ sku: 'moved', price: '9.00', currency: 'USD', last_checked: daysAgo(20) }),
  ]);

  before(async () => {
    await api.load([record({ sku: 'moved', price: '12.00', currency: 'SGD', last_checked: daysAgo(2) })]);
    sale = await api.id('sale');
    unpriced = await api.id('unpriced');
  });

  const of = async (id: number, query = '') => await api.ok(`/v1/products/${id}/price-history${query}`);

  it('returns the prices, the position of the current price and the deal', async () => {
    const body = await of(sale);
    assert.deepEqual(
      Object.keys(body),
      words('product_id currency from to interval points statistics position deal coverage'),
    );
    assert.include(body, { product_id: sale, currency: 'SGD', interval: 'day' });
    assert.closeTo(Date.parse(body.to) - Date.parse(body.from), 90 * DAY, 1_000);
    assert.isAtLeast(body.points.length, 90);
    assert.deepInclude(body.points[0], { price: '100.00' });
    assert.deepInclude(body.points.at(-1), { price: '80.00' });
    assert.include(body.statistics, {
      current: '80.00',
      median: '100.00',
      lowest_30d: '80.00',
      lowest_90d: '80.00',
      lowest_ever: '80.00',
      changes: 1,
      days_at_current: 1,
    });
    assert.equal(body.statistics.lowest.price, '80.00');
    assert.equal(body.statistics.last_change_at, body.statistics.lowest.at);
    assert.deepInclude(body.position, { percentile: 0, verdict: 'lowest_ever' });
    assert.deepEqual(body.deal, { original_price: '100.00', discount_pct: 20, price_basis: 'observed' });
    const [deal] = (await api.get('/v1/deals')).body.items;
    assert.include(deal, { ...body.deal, lowest_price_30d: body.statistics.lowest_30d });
    assert.deepEqual(body.coverage.gaps, []);
  });

  it('accepts days, times and an interval', async () => {
    // The price was observed every third day, and one observation in twelve days is kept.
    const { points, coverage } = await of(sale, '?days=3650&interval=raw');
    assert.lengthOf(points, 10);
    assert.equal(coverage.observations, 10);
    assert.isAtMost((await of(sale, '?interval=week')).points.length, 14);
    const from = daysAgo(40).slice(0, 10);
    const to = daysAgo(20).slice(0, 10);
    const body = await of(sale, `?from=${from}&to=${to}`);
    assert.deepEqual([body.from, body.to], [`${from}T00:00:00Z`, `${to}T00:00:00Z`]);
    assert.equal(body.statistics.lowest.price, '100.00');
    assert.equal(body.statistics.current, '80.00');
    const plus = await of(sale, `?from=${from}T08:00:00+08:00&to=${to}`);
    assert.equal(plus.from, body.from);
    assert.equal(
      (await of(sale, `?to=${to}&days=2`)).from,
      new Date(Date.parse(to) - 2 * DAY).toISOString().replace('.000', ''),
    );
  });

  it('only counts observations in another currency', async () => {
    const body = await of(await api.id('moved'));
    assert.equal(body.currency, 'SGD');
    assert.deepInclude(body.coverage, { observations: 1, other_currency: 1 });
    assert.include(body.statistics, { lowest_ever: '12.00', changes: 0, last_change_at: null });
    assert.equal(body.position.verdict, 'unknown');
  });

  it('returns no statistics for a listing that never had a price', async () => {
    const body = await of(unpriced);
    assert.deepInclude(body, { points: [], statistics: null, deal: null });
    assert.deepEqual(body.position, { percentile: null, verdict: 'unknown', basis_days: 0 });
  });

  it('returns several histories, in request order', async () => {
    const { body } = await api.post('/v1/products/price-history', {
      product_ids: [unpriced, sale, unpriced],
      days: 30,
    });
    assert.deepEqual(Object.keys(body), ['histories']);
    assert.deepEqual(pluck(body.histories, 'product_id'), [unpriced, sale]);
    const { to: _to, from: _from, ...alone } = await of(sale, '?days=30');
    const { to: _later, from: _since, ...together } = body.histories[1];
    assert.deepEqual(together.points, alone.points);
    assert.deepEqual(together.coverage, alone.coverage);
    assert.deepInclude(await api.post('/v1/products/price-history', { product_ids: [sale, 12, 13] }), {
      status: 404,
      body: { detail: 'Product not found: 12, 13' },
    });
    const get = await api.get('/v1/products/price-history');
    assert.equal(get.status, 405);
    assert.equal(get.headers.get('allow'), 'POST');
  });

  it('answers 400, 404 and 422 to invalid requests', async () => {
    assert.equal(
      (await api.get(`/v1/products/${sale}/price-history?from=2026-02-01&to=2026-01-01`)).status,
      400,
    );
    assert.equal(
      (await api.get(`/v1/products/${sale}/price-history?from=1990-01-01&to=2026-01-01`)).status,
      400,
    );
    for (const id of ['0', '12', '9007199254740993']) {
      for (const end of ['', '.svg']) {
        assert.deepInclude(
          await api.get(`/v1/products/${id}/price-history${end}`),
          { status: 404, body: { detail: 'Product not found' } },
          id,
        );
      }
    }
    const wrong: Record<string, string[]> = {
      'from=soon&to=2026-02-30': ['from datetime_parsing', 'to datetime_parsing'],
      'days=0': ['days greater_than_equal'],
      'from=soon&days=0': ['days greater_than_equal', 'from datetime_parsing'],
      'days=30&from=2026-01-01': ['days value_error'],
      'days=3651&interval=hour': ['days less_than_equal', 'interval literal_error'],
    };
    for (const [query, types] of Object.entries(wrong)) {
      const { status, body } = await api.get(`/v1/products/${sale}/price-history?${query}`);
      assert.equal(status, 422, query);
      const found = body.detail.map(({ loc, type }: any) => `${loc[1]} ${type}`);
      assert.deepEqual(found, types);
    }
    assert.equal((await api.get('/v1/products/x/price-history')).status, 422);
    const body = { product_ids: [], days: 0 };
    assert.lengthOf((await api.post('/v1/products/price-history', body)).body.detail, 2);
    assert.equal(
      (await api.post('/v1/products/price-history', { product_ids: Array(21).fill(1) })).status,
      422,
    );
  });

  it('is available as an image without scripts or external resources, with light and dark colours', async () => {
    for (const id of [sale, unpriced]) {
      const { status, headers, text } = await api.get(`/v1/products/${id}/price-history.svg?days=60`);
      assert.equal(status, 200);
      assert.equal(headers.get('content-type'), 'image/svg+xml; charset=utf-8');
      assert.include(headers.get('content-security-policy'), "default-src 'none'");
      assert.match(text, /^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
      assert.notMatch(text, /<script|<foreignObject|<image|<use|href|url\(|@import|@font-face|\son\w+=/i);
      assert.include(text, 'prefers-color-scheme: dark');
      // An XML parser accepts the chart, whatever the name of the listing is.
      const { width, height } = await sharp(Buffer.from(text)).metadata();
      assert.deepEqual([width, height], [720, 260]);
    }
    const { text, headers } = await api.get(`/v1/products/${sale}/price-history.svg`);
    assert.include(text, 'Kettle &lt;/text&gt;&lt;script&gt;');
    assert.include(text, '80.00 SGD');
    const long = priceHistorySvg(exampleHistory('day'), '耳机'.repeat(400));
    assert.include(long, `>${'耳机'.repeat(15)}耳…</text>`);
    const etag = headers.get('etag') ?? '';
    assert.match(etag, /^W\/"/);
    const docs = await api.open('/docs/price-history.svg');
    assert.equal(docs.headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    assert.match(docs.text, /class="gap" d="M/);
    const { body } = await api.open('/openapi.json');
    const { description } = body.paths['/v1/products/{product_id}/price-history.svg'].get;
    assert.include(description, '/docs/price-history.svg');
  });

  it('requires a key', async () => {
    for (const end of ['', '.svg']) {
      assert.equal((await api.open(`/v1/products/${sale}/price-history${end}`)).status, 401);
    }
  });
});
