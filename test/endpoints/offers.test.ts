import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { moveToSchema } from '../support/earlier-schema.js';
import { useApi } from '../support/api.js';
import { run, ends } from '../support/command.js';
import { pluck, record, skus } from '../support/listings.js';

const NAME = 'Sony WH-1000XM5 Wireless Headphones';
const ids = (body: { offers: { id: number }[] }) => body.offers.map(({ id }) => id);
const offered = (body: { offers: { sku: string }[] }) => skus({ items: body.offers });

/**
 * The number of shops that offer the product. It exceeds the number of candidates that `compare` examines.
 */
const SHOPS = 25;

describe('GET /v1/products/{product_id}/offers', function () {
  const model = { brand: 'Sony', metadata: { model: 'WH-1000XM5' }, name: NAME };
  const api = useApi([
    record({ ...model, sku: 'dear', source: 'shop_b', price: '420.00', gtin: '4548736132610' }),
    record({ ...model, sku: 'cheap', source: 'shop_c', price: '380.00', is_available: false }),
    record({ ...model, sku: 'dollars', source: 'shop_d', price: '300.00', currency: 'USD' }),
    record({ ...model, sku: 'unpriced', source: 'shop_e', price: null }),
    record({
      ...model,
      sku: 'worded',
      source: 'shop_a',
      price: '400.00',
      brand: 'SONY',
      name: '[Local Warranty] Sony WH1000XM5 Headphones',
    }),
    record({ sku: 'other', source: 'shop_a', brand: 'Sony', name: 'Sony WF-C700N Earbuds' }),
    ...Array.from({ length: SHOPS }, (_, at) =>
      record({ sku: `tv-${at}`, source: `tv_${at}`, name: 'LG OLED55C4 55" OLED TV', brand: 'LG' }),
    ),
  ]);

  const linked = async (...args: string[]) => {
    await ends(run(link, args, { env: { INDEX_PREFIX: api.prefix } }), 0);
  };
  const offersOf = async (sku: string, query = '') =>
    (await api.get(`/v1/products/${await api.id(sku)}/offers${query}`)).body;

  it('finds offers live before linking, and as linked afterwards', async () => {
    const live = await offersOf('worded');
    assert.include(live, { basis: 'live', linked_at: null, group_id: await api.id('worded'), total: 5 });
    await linked();
    const body = await offersOf('worded');
    assert.strictEqual(body.basis, 'linked');
    assert.match(body.linked_at, /^\d{4}-\d\d-\d\dT.*Z$/);
    assert.deepInclude(body, { name: NAME, brand: 'Sony', gtins: ['04548736132610'], models: ['wh1000xm5'] });
    assert.include(body, { total: 5, sources: 5, limit: 50, offset: 0, has_more: false });
    const [other] = body.offers;
    assert.strictEqual((await offersOf(other.sku)).group_id, body.group_id);
    assert.strictEqual((await offersOf('other')).total, 1);
  });

  it('sorts by stock and by price in one currency, and ranks prices', async () => {
    const body = await offersOf('worded');
    const first = body.offers.find(({ sku }: { sku: string }) => sku === 'dollars');
    const sgd = Number(first.price_converted);
    assert.isTrue(sgd > 300 && sgd < 500, `${sgd} SGD for 300 USD`);
    assert.match(first.price_converted, /^\d+\.\d\d$/);
    assert.strictEqual(body.price_range.currency, 'SGD');
    const [cheapest] = offered(body);
    assert.strictEqual(body.best_offer_id, await api.id(cheapest ?? ''));
    assert.deepEqual(offered(body).slice(-2), ['unpriced', 'cheap'], 'without a price, out of stock');
    const priced = body.offers.filter(({ price }: { price: string | null }) => price !== null);
    const converted = priced.map(({ price_converted: price }: { price_converted: string }) => Number(price));
    assert.deepEqual(
      pluck(priced, 'price_rank'),
      converted.map((price: number) => 1 + converted.filter((other: number) => other < price).length),
    );
    assert.deepEqual(
      [Number(body.price_range.min), Number(body.price_range.max)],
      [Math.min(...converted), Math.max(...converted)],
    );
    const unpriced = body.offers.find(({ sku }: { sku: string }) => sku === 'unpriced');
    assert.include(unpriced, { price_converted: null, price_rank: null });
    const worded = body.offers.find(({ sku }: { sku: string }) => sku === 'worded');
    assert.include(worded, { match_score: 1 });
    for (const { match_score: score } of body.offers) assert.isAtLeast(score, 0.5);
  });

  it('ranks a flagged price behind all others', async () => {
    const ranks = async (query = '') =>
      Object.fromEntries(
        (await offersOf('worded', query)).offers.map((one: { sku: string; price_rank: number }) => [
          one.sku,
          one.price_rank,
        ]),
      ) as Record<string, number>;
    const before = await ranks();
    assert.strictEqual(before['dear'], 4);
    const cheapest = Object.keys(before).find((sku) => before[sku] === 1) ?? '';
    const flag = async (flags: string[]) => {
      const doc = { internal: { flags } };
      await api.es.update({ index: api.products, id: String(await api.id(cheapest)), doc, refresh: true });
    };
    await flag(['price_outlier']);
    assert.include(await ranks(), { [cheapest]: 4, dear: 3 });
    assert.deepEqual(await ranks('?include_flagged=true'), before);
    await flag([]);
    assert.deepEqual(await ranks(), before);
  });

  it('filters, sorts and pages the offers', async () => {
    assert.notInclude(offered(await offersOf('worded', '?in_stock=true')), 'cheap');
    const dollars = await offersOf('worded', '?currency=usd');
    assert.deepEqual(offered(dollars), ['dollars']);
    assert.deepEqual(dollars.price_range, { currency: 'USD', min: '300.00', max: '300.00' });
    assert.deepInclude(await offersOf('worded', '?currency=EUR'), {
      total: 0,
      sources: 0,
      price_range: null,
      best_offer_id: null,
      offers: [],
      name: NAME,
    });
    const all = await offersOf('worded', '?sort=updated');
    const pages = [];
    for (const offset of [0, 2, 4])
      pages.push(await offersOf('worded', `?sort=updated&limit=2&offset=${offset}`));
    assert.deepEqual(pages.flatMap(ids), ids(all));
    assert.deepEqual(pluck(pages, 'has_more'), [true, true, false]);
  });

  it('sorts offers that changed at the same time by their ids', async () => {
    const { offers } = await offersOf('worded');
    assert.lengthOf(new Set(pluck(offers, 'updated_at')), 1);
    const byId = ids({ offers }).sort((a, b) => a - b);
    // The listing that is asked for is the last one, so that it does not come first only because it was asked for.
    const last = offers.find(({ id }: { id: number }) => id === byId.at(-1));
    assert.deepEqual(ids(await offersOf(last.sku, '?sort=updated')), byId);
  });

  it('returns all shops of a product that more than twenty shops sell', async () => {
    const body = await offersOf('tv-0');
    assert.include(body, { basis: 'linked', total: SHOPS, sources: SHOPS });
    assert.strictEqual(new Set(ids(body)).size, SHOPS);
  });

  it('agrees with compare, the matrix and best-price', async () => {
    const [id, tv] = [await api.id('worded'), await api.id('tv-0')];
    const matches = (body: { matches: { sku: string }[] }) => skus({ items: body.matches }).sort();
    const single = (await api.get(`/v1/products/compare?product_id=${id}&include_same_source=true`)).body;
    const others = (await offersOf('worded')).offers.filter((one: { id: number }) => one.id !== id);
    assert.deepEqual(matches(single), skus({ items: others }).sort());
    const all = (await api.get(`/v1/products/compare?product_id=${tv}`)).body;
    assert.strictEqual(all.total_matches, SHOPS - 1, 'more than it would look at');
    const matrix = await api.post('/v1/products/compare', { product_ids: [id, tv] });
    assert.deepEqual(matrix.body.comparisons[1], all);
    const priced = await api.get(`/v1/products/compare?product_id=${id}&min_price=400`);
    assert.deepEqual(matches(priced.body), ['dear']);
    const best = await api.get('/v1/products/best-price?q=Sony+WH-1000XM5');
    assert.strictEqual(best.body.id, (await offersOf('worded')).best_offer_id);
  });

  it('matches live if the listing has changed since it was linked', async () => {
    await api.load([record({ sku: 'tv-3', source: 'tv_3', name: 'Sony WF-C700N Earbuds', brand: 'Sony' })]);
    const changed = await offersOf('tv-3');
    assert.strictEqual(changed.basis, 'live');
    assert.include(offered(changed), 'other');
    assert.notInclude(offered(await offersOf('tv-0')), 'tv-3', 'nor is it shown where it was');
    await api.load([
      record({ sku: 'tv-4', source: 'tv_4', name: 'LG OLED55C4 55" OLED TV', brand: 'LG', price: '9.00' }),
    ]);
    assert.include(await offersOf('tv-0'), { basis: 'linked', best_offer_id: await api.id('tv-4') });
  });

  it('rejects invalid requests', async () => {
    assert.include(await api.get('/v1/products/12/offers'), { status: 404 });
    const { status, body } = await api.get('/v1/products/12/offers?sort=name&limit=0&in_stock=perhaps');
    assert.strictEqual(status, 422);
    assert.lengthOf(body.detail, 3);
    assert.strictEqual((await api.get('/v1/products/12/offers?offset=1000001')).status, 400);
  });
});

describe('GET /v1/products/{product_id}/offers in an index of an earlier schema', () => {
  const api = useApi();
  it('tells the operator how to upgrade it', async () => {
    await moveToSchema(api, 3);
    await api.load([record({ sku: 'old' })]);
    const { status, body } = await api.get(`/v1/products/${await api.id('old')}/offers`);
    assert.strictEqual(status, 503);
    assert.match(body.detail, /npm run reindex/);
  });
});
