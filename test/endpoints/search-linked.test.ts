import { assert } from 'chai';
import { mayBeIdentifier } from '../../src/engine/queries/linked-offers.js';
import { useApi } from '../support/api.js';
import { groupListings, record, skus } from '../support/listings.js';

describe('mayBeIdentifier', () => {
  for (const text of ['WH-1000XM5', 'wh 1000 xm5', '4006381333931', '400638 1333931', 'SKU_12-x', 'A2633'])
    it(`accepts ${text}`, () => {
      assert.isTrue(mayBeIdentifier(text));
    });
  for (const text of ['kettle', 'iphone 13', '500g', '1.7 l', '128 GB', '4k', 'sony wh-1000xm5', ''])
    it(`rejects "${text}"`, () => {
      assert.isFalse(mayBeIdentifier(text));
    });
});

describe('a search for an identifier', () => {
  const model = { metadata: { model: 'KX-4711B' } };
  const api = useApi([
    record({ sku: 'stated', source: 'shop_a', name: 'Brewster kettle', price: '30.00', ...model }),
    record({ sku: 'silent', source: 'shop_b', name: 'Electric water boiler by Brewster', price: '28.00' }),
    record({ sku: 'silent-dear', source: 'shop_c', name: 'Boiler of Brewster, steel', price: '90.00' }),
    record({ sku: 'mention', source: 'shop_b', name: 'Lid for KX-4711B', price: '5.00' }),
    record({
      sku: 'described',
      source: 'shop_d',
      name: 'Limescale filter',
      description: 'Fits KX-4711B',
      price: '9.00',
    }),
    record({ sku: 'other', source: 'shop_d', name: 'Toaster' }),
    record({ sku: 'named', source: 'shop_a', name: 'Brewster grinder MB-902Q', price: '60.00' }),
    record({ sku: 'named-silent', source: 'shop_b', name: 'Coffee mill by Brewster', price: '55.00' }),
    record({ sku: 'brush', source: 'shop_c', name: 'Brush', description: 'Fits the MB-902Q' }),
    record({ sku: 'valve', source: 'shop_a', name: 'Brass valve', metadata: { mpn: '90QX55LMN' } }),
    record({ sku: 'alone', source: 'shop_a', name: 'Brewster scale', metadata: { model: 'SC-33071' } }),
  ]);

  before(async () => {
    await groupListings(api, ['stated', 'silent', 'silent-dear']);
    await groupListings(api, ['named', 'named-silent']);
  });

  const search = async (query: string) => (await api.get(`/v1/search?${query}`)).body;

  for (const q of ['KX-4711B', 'kx-4711b', 'KX 4711 B'])
    it(`lists the linked offers after the listing that states it and before mentions: ${q}`, async () => {
      const body = await search(`q=${encodeURIComponent(q)}`);
      const found = skus(body);
      assert.strictEqual(found[0], 'stated');
      assert.sameMembers(found.slice(1, 3), ['silent', 'silent-dear']);
      assert.sameMembers(found.slice(3), ['mention', 'described']);
      assert.strictEqual(body.total, 5);
    });

  it('finds a listing by the beginning of a model number that only its attributes state', async () => {
    for (const q of ['90QX55', '90qx5', '90-QX55L', '90 QX 55'])
      for (const sort of ['relevance', 'price_asc'])
        assert.deepEqual(skus(await search(`sort=${sort}&q=${encodeURIComponent(q)}`)), ['valve'], q);
    for (const q of ['90QX', 'QX55LMN', '90QX56']) assert.deepEqual(skus(await search(`q=${q}`)), [], q);
    const found = skus(await search('q=kx4711'));
    assert.strictEqual(found[0], 'stated');
    assert.sameMembers(found.slice(1, 4), ['mention', 'silent', 'silent-dear']);
  });

  it('lists the linked offers in any notation of the model number', async () => {
    assert.deepEqual(skus(await search('q=mb902q')), ['named', 'named-silent']);
  });

  it('lists the offers linked to a listing that has the model number in its name only', async () => {
    assert.deepEqual(skus(await search('q=MB-902Q')), ['named', 'named-silent', 'brush']);
  });

  it('finds the same listings by pages, by a cursor and in another order', async () => {
    const all = skus(await search('q=KX-4711B'));
    const pages = await Promise.all(
      all.map(async (_, offset) => {
        const page = await search(`q=KX-4711B&limit=1&offset=${offset}`);
        assert.include(page, { total: 5, has_more: offset < 4 });
        return skus(page)[0];
      }),
    );
    assert.deepEqual(pages, all);
    const first = await search('q=KX-4711B&limit=3&cursor=');
    const second = await search(`q=KX-4711B&limit=3&cursor=${encodeURIComponent(first.next_cursor)}`);
    assert.deepEqual([...skus(first), ...skus(second)], all);
    assert.deepEqual([first.total, second.total], [5, 5]);
    const byPrice = await search('q=KX-4711B&sort=price_asc&has_price=true');
    assert.sameMembers(skus(byPrice), all);
    assert.strictEqual(skus(byPrice)[0], 'mention');
  });

  it('applies filters to the linked offers, also if they exclude the listing with the identifier', async () => {
    for (const [filter, expected] of [
      ['source=shop_b', ['silent', 'mention']],
      ['source=shop_c', ['silent-dear']],
      ['max_price=29&min_price=10', ['silent']],
    ] as const) {
      const body = await search(`q=KX-4711B&${filter}`);
      assert.deepEqual(skus(body), [...expected], filter);
      assert.strictEqual(body.total, expected.length);
    }
  });

  it('counts the linked offers in facets and products', async () => {
    const { facets } = await search('q=KX-4711B&facets=source&limit=1');
    const counts = facets[0].values.map(({ value, count }: { value: string; count: number }) => [
      value,
      count,
    ]);
    assert.sameDeepMembers(counts, [
      ['shop_a', 1],
      ['shop_b', 2],
      ['shop_c', 1],
      ['shop_d', 1],
    ]);
    const grouped = await search('q=KX-4711B&group=product');
    assert.include(grouped, { total: 5, total_groups: 3 });
  });

  it('explains a linked offer, and counts only listings with all words as such', async () => {
    const { items, matched } = await search('q=KX-4711B&explain=true');
    assert.strictEqual(items[1].why.clauses.linked, 5_000);
    assert.notProperty(items[3].why.clauses, 'linked');
    assert.strictEqual(matched.all_words, 3);
  });

  it('lists the linked offers with match=any, before mentions', async () => {
    const found = skus(await search('q=KX-4711B&match=any'));
    assert.strictEqual(found[0], 'stated');
    assert.sameMembers(found.slice(1, 3), ['silent', 'silent-dear']);
    assert.includeMembers(found.slice(3), ['mention', 'described']);
  });

  it('lists no linked offers if all words must match, if the text is no identifier, or if nothing is linked', async () => {
    assert.sameMembers(skus(await search('q=KX-4711B&match=all')), ['stated', 'mention', 'described']);
    assert.notInclude(skus(await search('q=kettle')), 'silent');
    assert.deepEqual(skus(await search('q=SC-33071')), ['alone']);
  });
});
