import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { offer, pluck, record, skus } from '../support/listings.js';
import { type Proxy, startProxy } from '../support/proxy.js';
import { elasticsearchUrl } from '../support/services.js';

interface Page {
  total: number;
  items: { sku: string; why?: { missing: string[] } }[];
  matched?: { mode: string; all_words: number; kind: string | null; corrected?: string };
  empty?: { reason: string; without: object[] };
  interpreted?: { parameter: string; value: string }[];
  facets?: { values: { value: string; count: number }[] }[];
  next_cursor?: string | null;
}

const ENOUGH = 20;

const tea = (index: number, more: object = {}) =>
  record({ sku: `tea-${index}`, name: 'Green tea', brand: index < 3 ? 'Leafly' : 'Hillside', ...more });

describe('the set of listings that a search lists', () => {
  let proxy: Proxy;
  const laptop = { category: 'Laptops', brand: 'Tarnix', description: 'Works with wireless headphones.' };
  const api = useApi(
    [
      ...Array.from({ length: ENOUGH }, (_, index) => tea(index)),
      offer('mug', 'Green mug', '10.00', { brand: 'Leafly' }),
      offer('laptop-a', 'Quarry 14 inch laptop', '900.00', { rating: 4.1, ...laptop }),
      offer('laptop-b', 'Alder 15 inch laptop', '700.00', { rating: 4.5, ...laptop }),
      offer('paper', 'A5 lined paper notebook', '3.00', { rating: 4.9 }),
      offer('sleeve', 'Red laptop sleeve', '9.00', { rating: 5, category: 'Sleeves' }),
      offer('headphones', 'Wireless headphones', '150.00', { category: 'Headphones' }),
      offer('case', 'Phone case', '2.00', { description: 'Fits wireless headphones too.' }),
      offer('kettle', 'Electric kettle', '40.00', { source: 'lazada_sg', rating: 4.2 }),
      offer('desk-lamp', 'Desk lamp not too bright', '20.00', { source: 'lazada_sg' }),
      offer('phone', 'Orvano phone', '300.00', { category: 'Phones' }),
      offer('mesh', 'Mesh Wi-Fi under the desk, 6 inch', '99.00'),
      offer('in-ear', 'In-ear headphones', '20.00', { category: 'Headphones' }),
    ],
    async () => {
      proxy = await startProxy(elasticsearchUrl);
      return { ELASTICSEARCH_URL: proxy.url };
    },
  );
  after(() => proxy.close());

  const ask = async (parameters: Record<string, string>): Promise<Page> =>
    (await api.ok(`/v1/search?${new URLSearchParams(parameters).toString()}`)) as Page;
  const found = async (q: string, more: Record<string, string> = {}) => skus(await ask({ q, ...more }));
  const matched = async (q: string, more: Record<string, string> = {}) =>
    (await ask({ q, match: 'auto', ...more })).matched;

  for (const sort of ['price_asc', 'price_desc', 'rating', 'discount', 'newest', 'updated']) {
    it(`is of the kind that the words name when sorted by ${sort}`, async () => {
      assert.sameMembers(await found('laptop', { sort }), ['laptop-a', 'laptop-b']);
      assert.sameMembers(await found('laptop sleeve', { sort }), ['sleeve']);
      assert.sameMembers(await found('sleeve laptop', { sort }), ['sleeve']);
    });
  }

  it('is sorted by price or rating', async () => {
    assert.deepEqual(await found('laptop', { sort: 'price_asc' }), ['laptop-b', 'laptop-a']);
    assert.deepEqual(await found('laptop', { sort: 'rating' }), ['laptop-b', 'laptop-a']);
    assert.deepEqual(await matched('laptop', { sort: 'rating' }), {
      mode: 'all',
      all_words: 4,
      kind: 'laptop',
    });
  });

  it('states the text that was searched for if a word was misspelt', async () => {
    assert.equal((await matched('electric ketle'))?.corrected, 'electric kettle');
    assert.equal((await matched('headpohnes', { sort: 'price_asc' }))?.corrected, 'headphones');
    assert.notProperty(await matched('electric kettle'), 'corrected');
  });

  it('has most of the words if no listing has all of them', async () => {
    // No laptop in the catalogue is green. The laptop of 14 inches has more words of the query than the other
    // one.
    assert.deepEqual(await found('green 14 inch laptop', { sort: 'price_asc' }), ['laptop-a']);
    assert.deepEqual(await matched('green 14 inch laptop', { sort: 'price_asc' }), {
      mode: 'any',
      all_words: 0,
      kind: 'laptop',
    });
    // A word that no listing contains cannot name the kind of product.
    assert.equal((await matched('laptop zzqx', { sort: 'price_asc' }))?.kind, 'laptop');
  });

  it('is empty if no listing of the kind passes the filters', async () => {
    for (const [q, kind, max] of [
      ['wireless headphones under $100 cheapest', 'headphones', '100'],
      ['cheapest laptop under $300', 'laptop', '300'],
    ] as const) {
      const page = await ask({ q, interpret: 'true', explain: 'true', facets: 'brand' });
      assert.deepEqual(page.items, [], q);
      assert.equal(page.matched?.kind, kind);
      assert.equal(page.empty?.reason, 'filters');
      const read = (page.interpreted ?? []).map(({ parameter, value }) => `${parameter}=${value}`);
      assert.include(read, `max_price=${max}`);
      const [{ total }] = page.empty?.without as [{ total: number }];
      assert.equal(total, kind === 'laptop' ? 2 : 1, 'without the limit');
      const plain = await ask({ q: kind, max_price: '10', sort: 'price_asc' });
      assert.equal(plain.total, 0);
    }
  });

  it('is of the kind, without some of the words, if only other things have all of them', async () => {
    // No laptop in the catalogue is red, and a red sleeve is not a laptop.
    const red = await ask({ q: 'red laptop', sort: 'price_asc', explain: 'true' });
    assert.deepEqual(red.matched, { mode: 'any', all_words: 1, kind: 'laptop' });
    assert.deepEqual(skus(red), ['laptop-b', 'laptop-a']);
    const cheap = await ask({ q: 'red laptop', sort: 'price_asc', max_price: '100', explain: 'true' });
    assert.deepEqual([cheap.total, cheap.empty?.reason], [0, 'filters']);
  });

  it('has all words by relevance if 20 listings have them, whatever the words name and the filters are', async () => {
    const phones = Array.from({ length: ENOUGH }, (_, index) =>
      offer(`smart-${index}`, `Orvano smartphone ${index}`, '10.00', {
        category: 'Phones',
        brand: 'Orvano',
        description: 'This phone comes with a charger.',
      }),
    );
    const charger = { name: 'USB-C charger 20 W', category: 'Chargers', brand: 'Tarnix' };
    const chargers = ['charger-a', 'charger-b', 'charger-c', 'charger-d', 'charger-e'];
    const named = offer('phone-charger', 'Charger for a phone', '9.00', { category: 'Chargers' });
    await api.load([...phones, named, ...chargers.map((sku) => record({ sku, ...charger }))]);
    const page = await ask({ q: 'phone charger', explain: 'true', limit: '100' });
    assert.deepEqual(page.matched, { mode: 'all', all_words: ENOUGH + 1, kind: null });
    assert.equal(page.total, ENOUGH + 1);
    assert.equal(skus(page)[0], 'phone-charger', 'what the words name comes first');
    assert.deepEqual(await found('phone charger', { brand: 'Tarnix' }), []);
    const any = await ask({ q: 'phone charger', match: 'any', explain: 'true', limit: '100' });
    const missing = any.items.map(({ why }) => why?.missing.length ?? 0);
    assert.deepEqual(
      missing,
      missing.toSorted((a, b) => a - b),
      'those with more words first',
    );
    assert.deepEqual(
      skus(any)
        .slice(0, ENOUGH + 1)
        .toSorted(),
      skus(page).toSorted(),
    );
    assert.sameMembers(skus(any).slice(ENOUGH + 1, ENOUGH + 1 + chargers.length), chargers);
  });

  it('has all words if 20 listings have them, and any of the words otherwise, whatever the filters are', async () => {
    assert.deepEqual(await matched('green tea'), { mode: 'all', all_words: ENOUGH, kind: null });
    const all = await ask({ q: 'green tea', limit: '100' });
    assert.equal(all.total, ENOUGH);
    assert.notInclude(skus(all), 'mug');
    const filtered = await ask({ q: 'green tea', brand: 'Leafly', facets: 'brand' });
    assert.equal(filtered.total, 3);
    assert.deepEqual(pluck(filtered.facets?.[0]?.values, 'value', 'count'), [
      ['Hillside', ENOUGH - 3],
      ['Leafly', 3],
    ]);
    assert.equal((await ask({ q: 'green tea', brand: 'Leafly', match: 'any' })).total, 4);
    assert.equal((await ask({ q: 'green tea', match: 'any' })).total, ENOUGH + 1);
    // The catalogue has 19 matching listings, one fewer than `match=auto` requires.
    await api.load([tea(0, { name: 'Black coffee' })]);
    const any = await ask({ q: 'green tea', explain: 'true' });
    assert.deepEqual([any.matched?.mode, any.matched?.all_words, any.total], ['any', ENOUGH - 1, ENOUGH]);
    assert.equal((await ask({ q: 'green tea', brand: 'Leafly' })).total, 3);
    assert.equal((await ask({ q: 'green tea', match: 'all' })).total, ENOUGH - 1);
    await api.load([tea(0)]);
  });

  it('is the same by offset and by cursor as the one that is counted', async () => {
    for (const [q, total] of [
      ['green tea', ENOUGH],
      ['green mug', ENOUGH + 1],
    ] as const) {
      const walked: string[] = [];
      let cursor: string | null = '';
      while (typeof cursor === 'string') {
        const page: Page = await ask({ q, cursor, limit: '6' });
        assert.equal(page.total, total);
        walked.push(...skus(page));
        cursor = page.next_cursor ?? null;
      }
      assert.equal(new Set(walked).size, total);
      const paged = [await found(q, { limit: '15' }), await found(q, { limit: '15', offset: '15' })].flat();
      assert.deepEqual(paged, walked);
      assert.deepEqual(await found(q, { offset: '50' }), []);
    }
  });

  it('does not depend on stop words and words that no listing has', async () => {
    for (const q of [
      'zzqx green tea',
      'a green tea that is not bitter',
      'teh hijau yang green tea',
      '"green tea" zzqx',
    ]) {
      assert.equal((await ask({ q })).total, ENOUGH, q);
      assert.equal((await ask({ q, sort: 'price_asc' })).total, ENOUGH, q);
    }
    const tidy = await ask({ q: 'a green tea that is not bitter', match: 'all' });
    assert.deepEqual([tidy.total, tidy.matched?.all_words], [ENOUGH, ENOUGH]);
    assert.deepEqual((await found('in ear headphones')).slice(0, 1), ['in-ear']);
  });

  it('is empty with match=all if no listing has one of the words', async () => {
    for (const q of ['zzqx', 'zzqx green tea', 'green zzqx', '"green tea" zzqx', 'samsnug headphones'])
      for (const more of [{}, { sort: 'price_asc' }, { brand: 'Leafly' }] as Record<string, string>[]) {
        const page = await ask({ q, match: 'all', ...more });
        assert.deepEqual([page.total, page.matched?.all_words], [0, 0], q);
        assert.equal(page.empty?.reason, 'unknown_words', q);
      }
    const other = await ask({ q: 'green laptop sleeve', match: 'all' });
    assert.deepEqual([other.total, other.empty?.reason], [0, 'nothing'], 'each word is known');
  });

  it('has a word in each unit and spelling, in the same set by price, and says which words are missing', async () => {
    await api.load([
      offer('rug-cm', 'Quilted rug 140cm', '50.00', { brand: 'QUILTERRA' }),
      offer('rug-m', 'Quilted rug 1.4 m', '60.00', { brand: 'QUILTERRA' }),
      offer('towel-m', 'Bath towel 1.4m', '20.00', { description: 'Goes with a quilterra rug.' }),
      offer('router', 'WiFi router WX250M2 black', '90.00'),
      offer('wall', 'Quilterra wall shelf', '30.00', { description: 'A shelf, not a rug.' }),
    ]);
    const sets: Record<string, string[]> = {
      'rug 140cm': ['rug-cm', 'rug-m', 'towel-m'],
      '140cm rug': ['rug-cm', 'rug-m', 'towel-m'],
      'quilterra rug': ['rug-cm', 'rug-m', 'towel-m', 'wall'],
      'rug quilterra': ['rug-cm', 'rug-m', 'towel-m', 'wall'],
      'towel 1400 mm': ['towel-m'],
      'quilted rug 1.4 metres': ['rug-cm', 'rug-m'],
      'wi fi router': ['router'],
      'black wx 250 m2': ['router'],
      'wx250m2 wi-fi': ['router'],
    };
    for (const [q, all] of Object.entries(sets)) {
      const page = await ask({ q, match: 'all', explain: 'true', limit: '100' });
      assert.sameMembers(skus(page), all, q);
      for (const { why, sku } of page.items) assert.deepEqual(why?.missing, [], `${q}: ${sku}`);
      assert.sameMembers(await found(q, { match: 'all', sort: 'price_asc', limit: '100' }), all, q);
      const any = await ask({ q, match: 'any', explain: 'true', limit: '100' });
      const byPrice = await ask({ q, match: 'any', sort: 'price_asc', limit: '100' });
      assert.sameMembers(skus(any), skus(byPrice), q);
      assert.equal(any.total, byPrice.total, q);
      const complete = any.items.filter(({ why }) => why?.missing.length === 0).map(({ sku }) => sku);
      assert.sameMembers(complete, all, `${q}: complete`);
      assert.sameMembers(skus(any).slice(0, all.length), all, `${q}: first`);
    }
  });

  it('does not depend on conditions in the text', async () => {
    for (const interpret of ['true', 'false']) {
      assert.deepEqual(await found('kettle not from lazada', { interpret }), ['kettle']);
      assert.deepEqual(await found('a kettle that is not loud', { interpret }), ['kettle']);
      assert.equal((await found('phone under 6 inch', { interpret }))[0], 'phone');
      assert.deepEqual(await found('top rated kettle', { interpret }), ['kettle']);
      assert.deepEqual(await found('kettle 4 stars', { interpret }), ['kettle']);
    }
    assert.deepEqual(await found('out of stock kettle'), ['kettle']);
    assert.deepEqual(await found('out of stock kettle', { interpret: 'true' }), [], 'in_stock=false');
  });

  it('is reported only on request', async () => {
    assert.notProperty(await ask({ q: 'laptop' }), 'matched');
    assert.notProperty(await ask({ q: 'laptop', sort: 'price_asc' }), 'matched');
    assert.deepEqual(await matched('laptop', { match: 'any' }), { mode: 'any', all_words: 4, kind: null });
    assert.equal((await matched('green tea', { match: 'any' }))?.all_words, ENOUGH);
    assert.equal((await matched('green tea', { match: 'any', brand: 'Leafly' }))?.all_words, ENOUGH);
    assert.deepEqual((await ask({ q: 'laptop', explain: 'true' })).matched, {
      mode: 'any',
      all_words: 4,
      kind: null,
    });
  });

  it('takes one request if many listings have all the words, and further requests only if few have', async () => {
    const requestsOf = async (parameters: Record<string, string>) => {
      const before = proxy.requests.length;
      await ask(parameters);
      return proxy.requests.slice(before).filter((line) => line.includes('_search')).length;
    };
    assert.equal(await requestsOf({ q: 'green tea' }), 1);
    assert.equal(await requestsOf({ q: 'green tea', match: 'any' }), 1);
    assert.equal(await requestsOf({ q: 'green mug' }), 2);
    assert.equal(await requestsOf({ q: 'green tea', brand: 'Leafly' }), 2, 'and a count without the filter');
    assert.equal(await requestsOf({ q: 'laptop', sort: 'price_asc' }), 2);
  });
});
