// Chaos only (oracles, sampled, 2 min): it walks through the results of 200 random searches.
import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { oracle } from '../support/chaos.js';
import { groupListings, record } from '../support/listings.js';

const { random: next, rounds } = oracle(20_261_124, 200);
const below = (most: number) => Math.floor(next() * most);
const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;

const LISTINGS = 900;
const BRANDS = ['Orvano', 'Tarnix', 'Leafly', 'Sound Bay'];
const KINDS = ['headphones', 'laptop', 'sound bar', 'phone charger', 'desk lamp', 'green tea'];
const ADJECTIVES = ['wireless', 'red', 'portable', 'stainless steel', '15 inch', 'QX-4410', 'studio'];
const SOURCES = ['shop_a', 'shop_b', 'shop_c'];
/** The words of queries. Few listings have the rare ones, and none has the last one. */
const WORDS = [...BRANDS, ...KINDS, ...ADJECTIVES, 'notebook', 'soundbar', 'stand', 'charger', 'zzqx'];

const listing = (index: number) =>
  record({
    sku: `s${index}`,
    source: pick(SOURCES),
    name: `${pick(ADJECTIVES)} ${pick(KINDS)}`,
    brand: pick([...BRANDS, null]),
    category: pick(['Audio', 'Computers', 'Lamps', null]),
    description: pick([
      null,
      `Comes with a ${pick(KINDS)} and a stand.`,
      `A ${pick(ADJECTIVES)} ${pick(KINDS)}`,
    ]),
    price: `${1 + below(100)}.00`,
    is_available: pick([true, false, null]),
    metadata: { colour: pick(['red', 'green']) },
  });

interface Item {
  id: number;
  source: string;
  is_available: boolean | null;
}

interface Page {
  total: number | null;
  items: Item[];
  facets: { name: string; values: { value: string; count: number }[] }[];
  next_cursor: string | null;
}

const randomQuery = (): Record<string, string> => ({
  q: Array.from({ length: 1 + below(4) }, () => pick(WORDS)).join(' '),
  ...pick<Record<string, string>>([{}, {}, { match: 'auto' }, { match: 'all' }, { match: 'any' }]),
  ...pick<Record<string, string>>([
    {},
    {},
    {},
    { sort: 'price_asc' },
    { sort: 'rating' },
    { sort: 'newest' },
  ]),
});

const randomFilters = (): Record<string, string> =>
  pick<Record<string, string>>([
    {},
    {},
    { brand: pick(BRANDS) },
    { min_price: String(below(60)) },
    { max_price: String(20 + below(60)), category: 'audio' },
    { 'attr.colour': 'red' },
    { in_stock: 'true' },
  ]);

const countsBy = (items: readonly Item[], valueOf: (item: Item) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[valueOf(item)] = (counts[valueOf(item)] ?? 0) + 1;
  return counts;
};

describe('the totals and facets of a search', function () {
  this.timeout(180_000);
  const api = useApi(Array.from({ length: LISTINGS }, (_, index) => listing(index)));

  // The key is replaced before it reaches its rate limit, but not within a walk.
  let authorization = '';
  let sent = 0;
  const renewKey = async (): Promise<void> => {
    if (authorization !== '' && sent < 100) return;
    authorization = `Bearer ${await api.key()}`;
    sent = 0;
  };
  const ok = async (path: string): Promise<Page> => {
    sent += 1;
    const { status, body, text } = await api.get(path, { headers: { authorization } });
    assert.equal(status, 200, `${path}: ${text}`);
    return body as Page;
  };

  const walk = async (parameters: Record<string, string>): Promise<Page[]> => {
    await renewKey();
    const pages: Page[] = [];
    const limit = pick(['15', '100']);
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null)
      pages.push(await ok(`/v1/search?${new URLSearchParams({ ...parameters, limit, cursor })}`));
    return pages;
  };

  it('equal the counts over the listings that a walk by cursor returns, once each, in the order of offsets', async () => {
    for (let nth = 0; nth < rounds; nth += 1) {
      const parameters = { ...randomQuery(), ...randomFilters(), facets: 'source,availability' };
      const about = JSON.stringify(parameters);
      const pages = await walk(parameters);
      const items = pages.flatMap((page) => page.items);
      assert.equal(new Set(items.map(({ id }) => id)).size, items.length, about);
      for (const { total, facets } of pages) {
        assert.equal(total, items.length, about);
        const [bySource, byAvailability] = facets.map(({ values }) =>
          Object.fromEntries(values.flatMap(({ value, count }) => (count === 0 ? [] : [[value, count]]))),
        );
        assert.deepEqual(
          bySource,
          countsBy(items, ({ source }) => source),
          about,
        );
        if ('in_stock' in parameters) continue;
        const available = ({ is_available: is }: Item) =>
          is === null ? 'unknown' : is ? 'in_stock' : 'out_of_stock';
        assert.deepEqual(byAvailability, countsBy(items, available), about);
      }
      const offset = 10 * below(Math.ceil(items.length / 10));
      const query = new URLSearchParams({ ...parameters, limit: '100', offset: String(offset) });
      const page = await ok(`/v1/search?${query}`);
      const ids = (some: readonly Item[]) => some.map(({ id }) => id);
      assert.deepEqual(ids(page.items), ids(items.slice(offset, offset + 100)), about);
      const { facets: _, ...uncounted } = parameters;
      const same = await ok(
        `/v1/search?${new URLSearchParams({ ...uncounted, count: 'none', limit: '100', offset: String(offset) })}`,
      );
      const { facets: __, ...shown } = { ...page, total: null };
      assert.deepEqual<object>(same, shown, about);
    }
  });

  const pagesOf = async (parameters: Record<string, string>, limit: number) => {
    await renewKey();
    const items: Record<string, any>[] = [];
    for (let more = true; more;) {
      const paging = { limit: String(limit), offset: String(items.length) };
      const page = (await ok(`/v1/search?${new URLSearchParams({ ...parameters, ...paging })}`)) as Page & {
        has_more: boolean;
      };
      items.push(...page.items);
      more = page.has_more;
    }
    return items;
  };

  it('lists each product once, where its first listing is', async () => {
    for (const members of [
      ['s1', 's2', 's3'],
      ['s4', 's800'],
      ['s400', 's500', 's600', 's700'],
    ])
      await groupListings(api, members);
    // A merge between the walks would remove updated listings from the statistics by which words are scored.
    await api.es.indices.forcemerge({ index: api.products, max_num_segments: 1 });
    const search = { q: 'red phone charger stand', match: 'any' };
    const plain = await pagesOf(search, 100);
    const grouped = await pagesOf({ ...search, group: 'product' }, 20);
    const { hits } = await api.es.search({ index: api.products, size: LISTINGS });
    const groups = new Map(
      hits.hits.map(({ _id, _source }) => [Number(_id), (_source as any).internal.group_id as number]),
    );
    assert.sameMembers(
      grouped.map(({ id }) => groups.get(id)),
      [...new Set(plain.map(({ id }) => groups.get(id)))],
    );
    const heads = plain.filter(
      ({ id }, at) => plain.findIndex((other) => groups.get(other['id']) === groups.get(id)) === at,
    );
    assert.deepEqual(
      grouped.map(({ id }) => id),
      heads.map(({ id }) => id),
    );
  });
});
