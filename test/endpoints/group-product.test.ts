import { assert } from 'chai';
import { main as link } from '../../scripts/link.js';
import { useApi } from '../support/api.js';
import { outputOf } from '../support/command.js';
import { daysAgo, record, skus } from '../support/listings.js';

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
      assert.deepEqual(item.group, {
        group_id: offers.group_id,
        linked_at: offers.linked_at,
        offers: offers.total,
        sources: offers.sources,
        min_price: offers.price_range.min,
        max_price: offers.price_range.max,
        currency: 'SGD',
        best_offer_id: offers.best_offer_id,
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
