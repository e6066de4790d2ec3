// Chaos too (oracles, 2 min): npm test walks through the results of 20 random searches, npm run test:chaos of 200.
import { assert } from 'chai';
import { useApi } from '../support/api.js';
import { oracle } from '../support/chaos.js';
import { record } from '../support/listings.js';

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
  total: number;
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
  ]);

const countsBy = (items: readonly Item[], valueOf: (item: Item) => string): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const item of items) counts[valueOf(item)] = (counts[valueOf(item)] ?? 0) + 1;
  return counts;
};

describe('the totals and facets of a search', function () {
  this.timeout(180_000);
  const api = useApi(Array.from({ length: LISTINGS }, (_, index) => listing(index)));

  const walk = async (parameters: Record<string, string>): Promise<Page[]> => {
    const pages: Page[] = [];
    for (let cursor: string | null = ''; cursor !== null; cursor = pages.at(-1)?.next_cursor ?? null)
      pages.push(
        (await api.ok(`/v1/search?${new URLSearchParams({ ...parameters, limit: '100', cursor })}`)) as Page,
      );
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
        const available = ({ is_available: is }: Item) =>
          is === null ? 'unknown' : is ? 'in_stock' : 'out_of_stock';
        assert.deepEqual(byAvailability, countsBy(items, available), about);
      }
      const offset = 10 * below(Math.ceil(items.length / 10));
      const query = new URLSearchParams({ ...parameters, limit: '100', offset: String(offset) });
      const page = (await api.ok(`/v1/search?${query}`)) as Page;
      const ids = (some: readonly Item[]) => some.map(({ id }) => id);
      assert.deepEqual(ids(page.items), ids(items.slice(offset, offset + 100)), about);
    }
  });
});
