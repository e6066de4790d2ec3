import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { daysAgo, groupListings, record, skus } from '../support/listings.js';

interface Item {
  id: number;
  sku: string;
  group: { group_id: number; offers: number } & Record<string, unknown>;
}

describe('group=product', function () {
  const models = ['WH-1000XM5', 'WF-C700N', 'MDR-7506', 'ULT WEAR 900', 'XB910N'];
  const shops = ['shop_a', 'shop_b', 'shop_c'];

  const api = useApi([
    ...models.flatMap((model, nth) =>
      shops.map((source, at) =>
        record({
          sku: `${model}-${source}`,
          source,
          brand: 'Sony',
          metadata: { model },
          name: `Sony ${model} Headphones`,
          price: `${100 + 10 * nth + at}.00`,
          last_checked: daysAgo(0),
          price_history: [{ price: `${300 - 10 * nth + at}.00`, at: daysAgo(60) }],
          is_available: source !== 'shop_a',
        }),
      ),
    ),
    record({ sku: 'mug', name: 'Mug', brand: 'Ikea' }),
  ]);

  before(async () => {
    await outputOf(link, api.prefix);
  });

  const groupsOf = ({ items }: { items: Item[] }) => items.map(({ group }) => group.group_id);

  it('returns the first listing of each product with a summary of its offers', async () => {
    const plain = (await api.get('/v1/search?q=sony+headphones&limit=100')).body;
    assert.notProperty(plain, 'total_groups');
    assert.notProperty(plain.items[0], 'group');
    const { body } = await api.get('/v1/search?q=sony+headphones&group=product');
    assert.include(body, { total: 15, total_groups: 5, has_more: false });
    assert.lengthOf(new Set(groupsOf(body)), 5);
    for (const item of body.items as Item[]) {
      const first = plain.items.find(({ sku }: Item) => sku.slice(0, -1) === item.sku.slice(0, -1));
      assert.strictEqual(item.id, first.id, 'the best-ranked');
      const offers = (await api.get(`/v1/products/${item.id}/offers`)).body;
      const best = offers.offers.find(({ id }: Item) => id === offers.best_offer_id);
      assert.deepInclude(
        best,
        { source: 'shop_b', is_available: true },
        'not the lowest price, which is out of stock',
      );
      assert.deepEqual(item.group, {
        group_id: offers.group_id,
        linked_at: offers.linked_at,
        offers: offers.total,
        sources: offers.sources,
        min_price: offers.price_range.min,
        max_price: offers.price_range.max,
        currency: 'SGD',
        best_offer_id: offers.best_offer_id,
        best_offer: {
          source: best.source,
          price: best.price,
          currency: best.currency,
          is_available: best.is_available,
        },
      });
    }
  });

  it('reports that a listing was not linked and therefore has no other offers', async () => {
    await api.load([
      record({ sku: 'late', name: 'Sony MDR-7506 Headphones', brand: 'Sony', source: 'shop_late' }),
    ]);
    const { items } = (await api.get('/v1/search?source=shop_late&group=product')).body;
    assert.deepInclude(items[0].group, { linked_at: null, offers: 1 });
    const offers = (await api.get(`/v1/products/${items[0].id}/offers`)).body;
    assert.include(offers, { basis: 'live', linked_at: null });
    assert.isAbove(offers.total, 1);
    await api.es.delete({ index: api.products, id: String(items[0].id), refresh: true });
  });

  it('pages through every product once, in any order, with filters and facets', async () => {
    for (const query of ['q=sony+headphones', 'sort=price_asc', 'brand=sony&facets=brand&sort=price_desc']) {
      const seen: number[] = [];
      for (let offset = 0; ; offset += 2) {
        const { body } = await api.get(`/v1/search?${query}&group=product&limit=2&offset=${offset}`);
        assert.isAtMost(body.items.length, 2);
        seen.push(...groupsOf(body));
        assert.strictEqual(body.total_groups, query === 'sort=price_asc' ? 6 : 5, query);
        if (!body.has_more) break;
      }
      assert.lengthOf(seen, query === 'sort=price_asc' ? 6 : 5, query);
      assert.strictEqual(new Set(seen).size, seen.length, query);
    }
    const { body } = await api.get('/v1/search?source=shop_b&group=product&fields=sku&facets=source');
    assert.deepEqual([body.total, body.total_groups, body.items.length], [5, 5, 5]);
    assert.deepEqual(Object.keys(body.items[0]), ['id', 'sku', 'group']);
    assert.strictEqual(body.items[0].group.offers, 3, 'of the product, whatever the filters');
  });

  it('returns each product once among the deals', async () => {
    const plain = (await api.get('/v1/deals?limit=100')).body;
    const { body } = await api.get('/v1/deals?group=product&limit=3');
    assert.include(body, { total: plain.total, total_groups: 5, has_more: true });
    assert.deepEqual(skus(body)[0], skus(plain)[0]);
    assert.strictEqual(new Set(groupsOf(body)).size, 3);
    assert.strictEqual(body.items[0].group.offers, 3);
    const rest = (await api.get('/v1/deals?group=product&limit=3&offset=3')).body;
    assert.include(rest, { has_more: false });
    assert.strictEqual(new Set([...groupsOf(body), ...groupsOf(rest)]).size, 5);
  });

  it('rejects parameters that it cannot be combined with', async () => {
    assert.strictEqual((await api.get('/v1/search?group=product&cursor=')).status, 422);
    assert.strictEqual((await api.get('/v1/search?group=listing')).status, 422);
    for (const path of ['/v1/search', '/v1/deals']) {
      const { status, body } = await api.get(`${path}?group=product&offset=60000`);
      assert.strictEqual(status, 400);
      assert.match(body.detail, /below 50000/);
    }
  });
});

describe('group=product in an order by price', () => {
  const lamp = (sku: string, source: string, price: string | null, fields: Record<string, unknown> = {}) =>
    record({
      sku,
      source,
      price,
      name: `Norra floor lamp ${sku.slice(0, -2)}`,
      category: 'Lamps',
      ...fields,
    });
  const api = useApi([
    lamp('oak-a', 'shop_a', '48.00', { is_available: false }),
    lamp('oak-b', 'shop_b', '49.00', { is_available: true }),
    lamp('oak-c', 'shop_c', '62.00'),
    lamp('ash-a', 'shop_a', '51.00', { is_available: true }),
    lamp('ash-b', 'shop_b', '90.00'),
    lamp('elm-a', 'shop_a', '30.00', { currency: 'USD' }),
    lamp('elm-b', 'shop_b', '95.00'),
    lamp('fir-a', 'shop_a', '10.00', { is_available: false }),
    lamp('fir-b', 'shop_b', '99.00', { is_available: false }),
    lamp('box-a', 'shop_a', null),
    lamp('box-b', 'shop_b', null),
  ]);
  before(async () => {
    for (const members of [
      ['oak-a', 'oak-b', 'oak-c'],
      ['ash-a', 'ash-b'],
      ['elm-a', 'elm-b'],
      ['fir-a', 'fir-b'],
      ['box-a', 'box-b'],
    ])
      await groupListings(api, members);
  });

  const page = (query: string) => api.ok(`/v1/search?group=product&${query}`);
  const best = async (query: string) => {
    const { items } = (await page(query)) as {
      items: (Item & { group: { best_offer_id: number | null } })[];
    };
    for (const { id, sku, group } of items)
      if (!sku.startsWith('box')) assert.strictEqual(group.best_offer_id, id, sku);
    return skus({ items });
  };

  it('shows and sorts each product by its best offer, those out of stock and without a price last', async () => {
    for (const q of ['', 'q=norra+lamp&']) {
      const [rising, falling] = [await best(`${q}sort=price_asc`), await best(`${q}sort=price_desc`)];
      assert.deepEqual(rising.slice(-2), ['fir-a', 'box-a']);
      assert.deepEqual(falling.slice(-2), ['fir-a', 'box-a']);
      assert.sameMembers(rising.slice(0, 3), ['elm-a', 'oak-b', 'ash-a']);
      assert.deepEqual(falling.slice(0, 3), rising.slice(0, 3).reverse());
      assert.isBelow(rising.indexOf('oak-b'), rising.indexOf('ash-a'));
    }
  });

  it('pages, filters and counts as in any order', async () => {
    const whole = await best('sort=price_desc');
    const pages = [];
    for (const offset of [0, 2, 4]) pages.push(...(await best(`sort=price_desc&limit=2&offset=${offset}`)));
    assert.deepEqual(pages, whole);
    const first = await page('sort=price_desc&limit=2&facets=source,availability&source=shop_b|shop_c');
    assert.include(first, { total: 6, total_groups: 5, has_more: true });
    assert.deepEqual(skus(first), ['elm-b', 'ash-b']);
    const counts = first.facets[0].values.map(({ count }: { count: number }) => count);
    assert.strictEqual(
      counts.reduce((sum: number, count: number) => sum + count, 0),
      11,
    );
    assert.deepEqual(skus(await page('sort=price_desc&offset=10')), []);
  });
});

describe('group=product after the offers of a product were renamed', () => {
  const jug = (sku: string, source: string, name: string) => record({ sku, source, name, brand: 'Fjordal' });
  const api = useApi([
    jug('jug-a', 'shop_a', 'Fjordal glass jug FJ-1200'),
    jug('jug-b', 'shop_b', 'Fjordal FJ-1200 jug, glass'),
  ]);

  it('has every listing in the offers of an item', async () => {
    await outputOf(link, api.prefix);
    const renamed = [
      jug('jug-a', 'shop_a', 'Fjordal glass carafe FJ-1200'),
      jug('jug-b', 'shop_b', 'Fjordal FJ-1200 carafe, glass'),
    ];
    for (const count of [1, 2]) {
      await api.load(renamed.slice(0, count));
      const { items, total } = await api.ok('/v1/search?group=product&q=fjordal');
      assert.strictEqual(total, 2);
      assert.strictEqual(
        items.reduce((sum: number, { group }: Item) => sum + group.offers, 0),
        2,
      );
    }
    const { items } = await api.ok('/v1/search?group=product&q=fjordal');
    const offers = await api.ok(`/v1/products/${items[0].id}/offers`);
    assert.strictEqual(items[0].group.offers, offers.total);
  });
});

describe('group=product after one of the offers of a product was renamed', () => {
  const shops = ['shop_a', 'shop_b', 'shop_c'];
  const pan = (source: string, more: Record<string, unknown> = {}) =>
    record({
      sku: `pan-${source}`,
      source,
      brand: 'Hestvik',
      name: `Hestvik cast iron pan HV-2600 (${source.at(-1)})`,
      metadata: { model: 'HV-2600' },
      is_available: true,
      price: '60.00',
      ...more,
    });
  const api = useApi(shops.map((source) => pan(source)));
  const items = async (query: string): Promise<Item[]> => {
    const page = await api.ok(`/v1/search?group=product&q=hestvik&${query}`);
    assert.strictEqual(page.total_groups, page.items.length);
    return page.items;
  };
  const kinds = (id: number) =>
    api.es
      .get<{ internal: { changes: { last: string[] } } }>({ index: api.products, id: String(id) })
      .then(({ _source }) => _source?.internal.changes.last ?? []);

  for (const which of ['the listing whose id is that of the product', 'another listing'])
    it(`shows it alone, as its offers do, if it is ${which}`, async () => {
      await api.load(shops.map((source) => pan(source)));
      await outputOf(link, api.prefix);
      const [product, ...none] = await items('');
      assert.isEmpty(none);
      const { group_id: group, offers: linked } = product?.group ?? {};
      assert.strictEqual(linked, 3);
      const { offers } = await api.ok(`/v1/products/${product?.id}/offers`);
      const isIt = which !== 'another listing';
      const renamed = offers.find(({ id }: Item) => (id === group) === isIt);
      const name = 'Hestvik bread knife HV-77';
      await api.load([pan(renamed.source, { name, metadata: { model: 'HV-77' }, price: '20.00' })]);
      assert.notInclude(await kinds(renamed.id), 'group', 'npm run link decides on its group');
      for (const query of ['', 'sort=price_asc', 'sort=price_desc', 'sort=updated']) {
        const found = await items(query);
        assert.sameMembers(
          found.map(({ id, group: { offers: count } }) => `${id === renamed.id} ${count}`),
          ['true 1', 'false 2'],
          query,
        );
        for (const { id, group: summary } of found) {
          const { total, group_id, price_range } = await api.ok(`/v1/products/${id}/offers`);
          assert.include(summary, { offers: total, group_id, min_price: price_range.min });
        }
      }
      await outputOf(link, api.prefix);
      const after = await items('');
      const kept = after.find(({ group: { offers: count } }) => count === 2);
      assert.strictEqual(kept?.group.group_id, group, 'the larger part keeps the id');
      assert.lengthOf(new Set(after.map(({ group: { group_id } }) => group_id)), 2);
    });
});
