import { assert } from 'chai';
import { seededRandom } from '../../src/text/statistics.js';
import { useApi } from '../support/api.js';
import { groupListings, pluck, record, skus } from '../support/listings.js';

/** An amount as decimal text, in ten-thousandths. Written apart from the code of the service. */
function tenThousandths(amount: string): bigint {
  const [whole = '', decimals = ''] = amount.split('.');
  return BigInt(whole + decimals.padEnd(4, '0'));
}

/** The amount of each currency for one US dollar, in thousandths, as `mappings/exchange-rates.json` has it. */
const PER_DOLLAR: Record<string, bigint> = { USD: 1_000n, EUR: 853n, CHF: 793n };

interface Stated {
  sku: string;
  price: string;
  currency: string;
  is_available: boolean;
  delivery: { price?: string; currency?: string; free_from?: string } | null;
}

/**
 * The price with delivery, and the price alone, in US dollars times 10^16, in exact arithmetic. A delivery price in another
 * currency is first rounded to cents.
 */
function bruteForce({ price, currency, delivery }: Stated): { total: bigint | null; alone: bigint } {
  const rate = PER_DOLLAR[currency] ?? 1n;
  const inDollars = (units: bigint): bigint => (units * 10n ** 15n) / rate;
  const alone = tenThousandths(price);
  const own = delivery?.currency ?? currency;
  const isFree =
    delivery?.free_from !== undefined && own === currency && alone >= tenThousandths(delivery.free_from);
  const amount = isFree ? '0' : delivery?.price;
  const other = PER_DOLLAR[own];
  if (amount === undefined || other === undefined) return { total: null, alone: inDollars(alone) };
  const converted = (2n * tenThousandths(amount) * rate + 100n * other) / (200n * other);
  const added = own === currency ? tenThousandths(amount) : converted * 100n;
  return { total: inDollars(alone + added), alone: inDollars(alone) };
}

/** Sorts offers by their total, those without one last. */
const byTotal = (a: Stated, b: Stated): number => {
  const [x, y] = [bruteForce(a), bruteForce(b)];
  if ((x.total === null) !== (y.total === null)) return x.total === null ? 1 : -1;
  const difference = (x.total ?? x.alone) - (y.total ?? y.alone);
  return difference === 0n ? 0 : difference > 0n ? 1 : -1;
};

const OFFERS = 40;

/**
 * Random offers of one product: in three currencies, with delivery prices, thresholds, both or neither. No two offers have
 * the same rank, because the test does not compute how the service breaks ties.
 */
function randomOffers(seed: number): Stated[] {
  const random = seededRandom(seed);
  const amount = (low: number, high: number) => {
    const cents = String(Math.floor(100 * (low + random() * (high - low)))).padStart(3, '0');
    return `${cents.slice(0, -2)}.${cents.slice(-2)}`;
  };
  const pick = <One>(values: readonly One[]): One => values[Math.floor(random() * values.length)] as One;
  const randomOffer = (at: number): Stated => {
    const currency = pick(['USD', 'EUR', 'CHF']);
    const price = random() < 0.7 ? { price: amount(0, 20) } : {};
    const free_from = random() < 0.3 ? { free_from: amount(60, 120) } : {};
    // No exchange rate is known for the Pacific franc.
    const other = random() < 0.3 ? { currency: pick(['USD', 'EUR', 'CHF', 'XPF']) } : {};
    const isStated = 'price' in price || 'free_from' in free_from;
    return {
      sku: `offer-${at}`,
      price: amount(60, 120),
      currency,
      is_available: random() < 0.8,
      delivery: isStated ? { ...price, ...free_from, ...other } : null,
    };
  };
  const offers: Stated[] = [];
  while (offers.length < OFFERS) {
    const offer = randomOffer(offers.length);
    if (offers.every((other) => byTotal(offer, other) !== 0)) offers.push(offer);
  }
  return offers;
}

describe('rank_by=total', () => {
  const seed = Number(process.env['TEST_SEED'] ?? 1);
  const offers = randomOffers(seed);
  const api = useApi(
    offers.map((one, at) =>
      record({
        ...one,
        source: `shop_${at}`,
        name: 'Vortek kettle VK-900X',
        metadata: { model: 'VK-900X' },
        list_price: '250.00',
      }),
    ),
  );
  const inStockFirst = [...offers].sort(
    (a, b) => Number(b.is_available) - Number(a.is_available) || byTotal(a, b),
  );
  const unknown = offers.filter((one) => bruteForce(one).total === null).length;

  before(async () => {
    await groupListings(
      api,
      offers.map(({ sku }) => sku),
    );
  });

  it(`sorts offers as a brute force does, and counts those without a delivery price (seed ${seed})`, async () => {
    const body = await api.ok(`/v1/products/${await api.id('offer-0')}/offers?rank_by=total&limit=100`);
    assert.deepEqual(pluck(body.offers, 'sku'), pluck(inStockFirst, 'sku'));
    assert.strictEqual(body.without_delivery, unknown);
    assert.strictEqual(body.best_offer_id, body.offers[0].id);
    assert.isAbove(unknown, 0);
    assert.isBelow(unknown, OFFERS);
  });

  it('shows totals that are the exact sum, and null where the total is unknown', async () => {
    const body = await api.ok(`/v1/products/${await api.id('offer-0')}/offers?rank_by=total&limit=100`);
    const bySku = new Map(offers.map((one) => [one.sku, one]));
    for (const { sku, delivery, total_price } of body.offers) {
      const one = bySku.get(sku) as Stated;
      assert.strictEqual(total_price === null, bruteForce(one).total === null, sku);
      if (total_price === null) continue;
      const { total } = bruteForce({ ...one, price: total_price, delivery: { price: '0.00' } });
      assert.strictEqual(total, bruteForce(one).total, sku);
      if (delivery.currency === one.currency)
        assert.strictEqual(
          tenThousandths(total_price),
          tenThousandths(one.price) + tenThousandths(delivery.price),
          sku,
        );
    }
  });

  it('sorts best prices and deals in the same way, on every page', async () => {
    const best = await api.ok('/v1/products/best-price?q=VK-900X&rank_by=total&limit=20');
    assert.deepEqual(skus(best), pluck(inStockFirst.slice(0, 20), 'sku'));
    assert.strictEqual(best.without_delivery, unknown);
    const paged: string[] = [];
    for (let offset = 0; offset < OFFERS; offset += 15) {
      const page = await api.ok(
        `/v1/deals?rank_by=total&min_discount_pct=1&limit=15&offset=${offset}&out_of_stock=last`,
      );
      assert.deepInclude(page, { total: OFFERS, without_delivery: unknown, has_more: offset + 15 < OFFERS });
      paged.push(...skus(page));
    }
    assert.deepEqual(paged, pluck(inStockFirst, 'sku'));
    const mixed = await api.ok('/v1/deals?rank_by=total&min_discount_pct=1&limit=100');
    assert.deepEqual(skus(mixed), pluck([...offers].sort(byTotal), 'sku'));
    const beyond = await api.ok('/v1/deals?rank_by=total&min_discount_pct=1&offset=1000');
    assert.deepInclude(beyond, { items: [], without_delivery: unknown });
    const filtered = await api.ok('/v1/deals?rank_by=total&min_discount_pct=1&currency=EUR&limit=100');
    const euros = offers.filter(({ currency }) => currency === 'EUR').sort(byTotal);
    assert.deepEqual(skus(filtered), pluck(euros, 'sku'));
    assert.strictEqual(
      filtered.without_delivery,
      euros.filter((one) => bruteForce(one).total === null).length,
    );
  });
});

describe('include=delivery', () => {
  const offer = { name: 'Vortek toaster VT-200X', metadata: { model: 'VT-200X' }, currency: 'EUR' };
  const api = useApi([
    record({ ...offer, sku: 'near', price: '50.00', delivery: { price: '4.90', to: 'DE' } }),
    record({
      ...offer,
      sku: 'far',
      source: 'shop_b',
      price: '45.00',
      delivery: { price: '12.00', to: 'AT' },
    }),
    record({
      ...offer,
      sku: 'free',
      source: 'shop_c',
      price: '52.00',
      delivery: { price: '5.00', free_from: '50.00' },
    }),
    record({ ...offer, sku: 'silent', source: 'shop_d', price: '40.00' }),
    record({
      ...offer,
      sku: 'gone',
      source: 'shop_e',
      price: '30.00',
      is_available: false,
      delivery: { price: '0.00' },
    }),
  ]);
  const EXPECTED: Record<string, [object | null, string | null]> = {
    near: [{ price: '4.90', currency: 'EUR', to: 'DE', basis: 'stated' }, '54.90'],
    far: [{ price: '12.00', currency: 'EUR', to: 'AT', basis: 'stated' }, '57.00'],
    free: [{ price: '0.00', currency: 'EUR', to: null, basis: 'free_from' }, '52.00'],
    silent: [null, null],
    gone: [{ price: '0.00', currency: 'EUR', to: null, basis: 'stated' }, '30.00'],
  };
  const all = Object.keys(EXPECTED);

  const pages: [path: string, skus: string[], items?: (body: any) => any[]][] = [
    ['/v1/search?', all],
    ['/v1/search?fields=sku&q=toaster', all],
    ['/v1/search?cursor=', all],
    ['/v1/products?', all],
    ['/v1/products/trending?', all],
    ['/v1/lookup?model=VT-200X', all],
    ['/v1/products/ID?', ['free'], (body) => [body]],
    ['/v1/products/ID/offers?', all, ({ offers }) => offers],
    ['/v1/products/best-price?q=VT-200X&limit=5', all],
    ['/v1/products/best-price?q=VT-200X', ['silent'], (body) => [body]],
    ['/v1/products/export?', all, (body) => body],
    ['/v1/products/compare?product_id=ID', all.filter((sku) => sku !== 'free'), ({ matches }) => matches],
  ];
  for (const [path, expected, items = (body: any) => body.items] of pages)
    it(`adds the delivery price and the total: ${path}`, async () => {
      const own = path.replace('ID', String(await api.id('free')));
      assert.notInclude((await api.get(own)).text, 'total_price');
      const found = items(await api.ok(`${own}&include=delivery`));
      assert.deepEqual(
        Object.fromEntries(found.map((item: any) => [item.sku, [item.delivery, item.total_price]])),
        Object.fromEntries(expected.map((sku) => [sku, EXPECTED[sku]])),
      );
    });

  it('adds both to price histories', async () => {
    const id = await api.id('free');
    const history = await api.ok(`/v1/products/${id}/price-history?include=delivery`);
    assert.deepEqual([history.delivery, history.total_price], EXPECTED['free']);
    const { body } = await api.post('/v1/products/price-history', {
      product_ids: [id],
      include: ['delivery'],
    });
    assert.strictEqual(body.histories[0].total_price, '52.00');
  });

  it('a best price by total is the cheapest in stock with a known delivery price, and says how many lack one', async () => {
    const best = await api.ok('/v1/products/best-price?q=VT-200X&rank_by=total&explain=true');
    assert.deepInclude(best, { sku: 'free', total_price: '52.00', without_delivery: 1 });
    const reasons = best.considered.map(({ price, rejected }: any) => [price, rejected]);
    assert.deepEqual(reasons, [
      ['52.00', null],
      ['50.00', 'dearer'],
      ['45.00', 'dearer'],
      ['40.00', 'no_delivery_price'],
      ['30.00', 'out_of_stock'],
    ]);
    const byPrice = await api.ok('/v1/products/best-price?q=VT-200X');
    assert.strictEqual(byPrice.sku, 'silent');
    assert.notProperty(byPrice, 'without_delivery');
  });

  it('refuses to rank by total what is sorted by update', async () => {
    const path = `/v1/products/${await api.id('free')}/offers?rank_by=total`;
    assert.strictEqual((await api.get(`${path}&sort=price`)).status, 200);
    const { status, body } = await api.get(`${path}&sort=updated`);
    assert.strictEqual(status, 422);
    assert.deepEqual(body.detail[0].loc, ['query', 'rank_by']);
    assert.strictEqual((await api.get('/v1/deals?rank_by=price')).status, 422);
  });

  it('an export with the delivery prices can be loaded again', async () => {
    const { text } = await api.get('/v1/products/export?format=csv&include=delivery');
    assert.match(text.split('\r\n')[0] ?? '', /"updated_at","delivery","total_price"$/);
    const exported = await api.ok('/v1/products/export?include=delivery&source=shop_a');
    await api.load(exported.map((one: any) => ({ ...one, price: '51.00' })));
    const { items } = await api.ok('/v1/search?include=delivery&source=shop_a');
    assert.deepEqual(pluck(items, 'price', 'total_price'), [['51.00', '55.90']]);
    await api.load(exported);
  });

  it('a changed delivery price is a change of the price, which the change feed reports', async () => {
    const start = await api.ok('/v1/changes');
    await api.load([
      record({
        ...offer,
        sku: 'far',
        source: 'shop_b',
        price: '45.00',
        delivery: { price: '11.00', to: 'AT' },
      }),
    ]);
    const { items } = await api.ok(`/v1/changes?cursor=${encodeURIComponent(start.cursor)}&wait=25`);
    assert.deepEqual(
      items.map(({ id, kinds }: any) => [id, kinds]),
      [[await api.id('far'), ['price']]],
    );
  });
});
