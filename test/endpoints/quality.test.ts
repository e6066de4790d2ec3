import { assert } from 'chai';
import { main } from '../../scripts/quality.js';
import { useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { daysAgo, groupListings, pastPrices, pluck, record, skus } from '../support/listings.js';

const history = (price: string, ...days: number[]) =>
  pastPrices(...days.map((day): [string, number] => [price, day]));

/** Returns a feed record of a listing without a quality flag. */
const sound = (fields: { sku: string } & Record<string, unknown>) =>
  record({
    name: `A listing of its own ${fields.sku}`,
    brand: 'Auralis',
    category: 'Tea',
    last_checked: daysAgo(0),
    image_url: 'https://shop.example/a.jpg',
    price: '20.00',
    ...fields,
  });

describe('GET /v1/quality', function () {
  const headphones = { name: 'Auralis AX-1000M5 Headphones' };
  const api = useApi([
    sound({ sku: 'sound', ...headphones, price: '349.00', price_history: history('349.00', 80, 40, 1) }),
    sound({
      sku: 'own',
      ...headphones,
      source: 'shop_b',
      price: '1.00',
      last_checked: daysAgo(0),
      price_history: history('349.00', 80, 79, 60),
    }),
    sound({ sku: 'deal', price: '60.00', price_history: history('100.00', 80, 60) }),
    ...['s1', 's2', 's3', 's4'].map((sku) => sound({ sku, source: 'shop_s', price: '1.50' })),
    ...Array.from({ length: 40 }, (_, n) => sound({ sku: `t${n}`, source: 'shop_s', price: `${n + 30}.00` })),
    ...['shop_b', 'shop_c', 'shop_d'].map((source, n) =>
      sound({ sku: `g${n}`, source, price: `${400 + n}.00` }),
    ),
    sound({ sku: 'far', source: 'shop_e', price: '90.00' }),
    sound({ sku: 'none', source: 'shop_f', price: '20.00' }),
    sound({ sku: 'dollars', source: 'shop_g', price: '900.00', currency: 'USD' }),
    sound({ sku: 'check', metadata: { ean: '4006381333932', unit_pricing_measure: '250 g' } }),
    sound({ sku: 'k1', gtin: '4006381333931', brand: 'Stabilo' }),
    sound({ sku: 'k2', gtin: '4006381333931', brand: 'STABILO' }),
    sound({ sku: 'k3', gtin: '4006381333931', brand: 'Faber' }),
    sound({ sku: 'd1', name: 'Kettle of two litres' }),
    sound({ sku: 'd2', name: 'Kettle of two litres ' }),
    sound({ sku: 'd3', name: 'Kettle of two litres', source: 'shop_z' }),
    sound({ sku: 'old', last_checked: daysAgo(9), delivery: { price: '4.90' } }),
    record({ sku: 'bare', name: '茶', price: null }),
  ]);
  const assess = () => outputOf(main, api.prefix);
  const reasons = async (flag: string): Promise<Record<string, string>> =>
    Object.fromEntries(
      (await api.ok(`/v1/quality/${flag}`)).items.map(({ sku, reason }: Record<string, string>) => [
        sku,
        reason,
      ]),
    );
  const group = (...members: string[]) => groupListings(api, members);

  before(async () => {
    await group('g0', 'g1', 'g2', 'far', 'none', 'dollars');
    const out = await assess();
    assert.match(
      out,
      /^quality: \d+ of 62 listings have a flag \(6 price_placeholder, 2 price_outlier, 1 gtin_check/,
    );
  });

  it('flags placeholder and outlier prices with reasons', async () => {
    assert.deepEqual(await reasons('price_placeholder'), {
      own: '1.00 where 3 other days say 349.00',
      ...Object.fromEntries(
        ['s1', 's2', 's3', 's4'].map((sku) => [sku, '1.50 as 3 other listings of shop_s (9.1 % of them)']),
      ),
      none: '20.00 where the median of 6 shops of this product is 400.50',
    });
    const far = await reasons('price_outlier');
    assert.sameMembers(Object.keys(far), ['far', 'none']);
    assert.equal(far['far'], '90.00 where the median of 6 shops of this product is 400.50');
  });

  it('flags contested identifiers, duplicates, stale listings and missing fields', async () => {
    assert.deepEqual(await reasons('gtin_check'), { check: 'the check digit of "4006381333932" is wrong' });
    assert.deepEqual(await reasons('gtin_conflict'), {
      k3: 'GTIN 04006381333931 is of "stabilo" in 2 listings, and of "faber" here',
    });
    const twins = 'one of 2 listings of shop_a with this name and price';
    assert.deepEqual(await reasons('duplicate'), { d1: twins, d2: twins });
    assert.deepEqual(await reasons('stale'), { old: 'last checked 9 days ago' });
    for (const flag of ['no_brand', 'no_category', 'no_image', 'no_price', 'short_name']) {
      assert.deepEqual(Object.keys(await reasons(flag)), ['bare'], flag);
    }
    assert.equal((await api.get('/v1/quality/ugly')).status, 422);
  });

  it('assesses each source', async () => {
    const { body } = await api.get('/v1/quality');
    assert.equal(body.total, 9);
    assert.equal(body.all.listings, 62);
    const [first] = body.sources;
    assert.deepEqual(
      [first.source, first.listings, first.flags.price_placeholder, first.completeness.brand],
      ['shop_s', 44, 4, 1],
    );
    assert.deepEqual(first.freshness, { day: 44, week: 0, month: 0, older: 0, never: 0 });
    assert.isTrue(first.score > 0 && first.score < 100);
    const one = await api.get('/v1/quality?source=shop_a|shop_z');
    assert.deepEqual(pluck(one.body.sources, 'source'), ['shop_a', 'shop_z']);
    assert.equal(one.body.sources[0].freshness.never, 0);
    assert.equal(one.body.sources[0].freshness.month, 1);
    const { listings, price_details } = one.body.sources[0];
    assert.deepEqual(price_details, {
      delivery: Math.round(1_000 / listings) / 1_000,
      unit_price: Math.round(1_000 / listings) / 1_000,
    });
    assert.deepEqual(one.body.sources[1].price_details, { delivery: 0, unit_price: 0 });
    const listed = await api.get('/v1/quality/duplicate?source=shop_z');
    assert.equal(listed.body.total, 0);
  });

  it('sorts flagged prices last and excludes them from deals, unless they are requested', async () => {
    const cheapest = async (more = '') =>
      skus((await api.get(`/v1/search?sort=price_asc&limit=100${more}`)).body);
    const last = (await cheapest()).slice(-8);
    assert.deepEqual(last.slice(0, 1), ['own'], 'by price among themselves');
    assert.sameMembers(last.slice(1, 5), ['s1', 's2', 's3', 's4']);
    assert.deepEqual(last.slice(5), ['none', 'far', 'bare']);
    assert.deepEqual((await cheapest('&include_flagged=true')).slice(0, 1), ['own']);
    assert.deepEqual(skus((await api.get('/v1/deals')).body), ['deal']);
    assert.deepEqual(skus((await api.get('/v1/deals?include_flagged=true')).body), ['own', 'deal']);
  });

  it('never reports a flagged price as a deal, neither when sorting by discount nor in the price history', async () => {
    const deepest = async (more = '') =>
      skus((await api.get(`/v1/search?sort=discount&limit=2${more}`)).body)[0];
    assert.equal(await deepest(), 'deal');
    assert.equal(await deepest('&include_flagged=true'), 'own');
    const dealOf = async (sku: string) =>
      (await api.get(`/v1/products/${await api.id(sku)}/price-history`)).body.deal;
    assert.isNull(await dealOf('own'));
    assert.deepInclude(await dealOf('deal'), { original_price: '100.00', discount_pct: 40 });
  });

  it('excludes flagged prices from the best price and the best offer', async () => {
    const best = async (more = '') =>
      (await api.get(`/v1/products/best-price?q=Auralis+AX-1000M5${more}`)).body;
    assert.equal((await best()).sku, 'sound');
    assert.equal((await best('&include_flagged=true')).sku, 'own');
    const offers = async (more = '') =>
      (await api.get(`/v1/products/${await api.id('g1')}/offers${more}`)).body;
    const { offers: listed, price_range, best_offer_id } = await offers();
    assert.deepEqual(skus({ items: listed }), ['g0', 'g1', 'g2', 'dollars', 'none', 'far']);
    assert.equal(best_offer_id, await api.id('g0'));
    assert.equal(price_range.min, '400.00');
    const all = await offers('?include_flagged=true');
    assert.deepEqual([all.offers[0].sku, all.price_range.min], ['none', '20.00']);
  });

  it('drops flags when the listing changes, and updates them in the next run', async () => {
    await api.load([sound({ sku: 'far', source: 'shop_e', price: '410.00' })]);
    assert.notProperty(await reasons('price_outlier'), 'far');
    await api.load([sound({ sku: 'd2', name: 'A kettle of three litres' })]);
    assert.deepEqual(Object.keys(await reasons('duplicate')), ['d1']);
    await assess();
    assert.deepEqual(await reasons('duplicate'), {});
    assert.match(await assess(), /; the flags of 0 changed/);
  });
});
