import { assert } from 'chai';
import { compileRules } from '../../src/published/compile-rules.js';
import type { RuleFile } from '../../src/schemas/rules.js';
import { ruleVersions } from '../../src/published/published-rules.js';
import { findByText, TEXT_ALONE } from '../../src/usecases/search/text-match.js';
import { CURRENT_SCHEMA } from '../../src/listing/schema-versions.js';
import { useApi } from '../support/api.js';
import { offer, pluck, skus } from '../support/listings.js';
import { until } from '../support/until.js';

const KETTLES = Array.from({ length: 40 }, (_, at) =>
  offer(`kettle-${at}`, `Steel kettle ${at} cordless`, `${20 + at}.00`, {
    brand: at % 4 === 0 ? 'Ombrello' : 'Vortek',
    category: at % 2 === 0 ? 'Kettles' : 'Kitchen appliances',
    source: at % 5 === 0 ? 'shop_b' : 'shop_a',
  }),
);
const OTHERS = [
  offer('toaster', 'Brixalo toaster', '35.00', { brand: 'Brixalo', category: 'Toasters' }),
  offer('teapot', 'Porcelain teapot', '15.00', { brand: 'Tazza', category: 'Tea', source: 'shop_b' }),
  offer('settee', 'Blue settee for two', '400.00', { category: 'Furniture' }),
  offer('sofa', 'Blue sofa for three', '500.00', { category: 'Furniture' }),
  offer('sofa-red', 'Red sofa', '450.00', { category: 'Furniture' }),
  offer('set', 'Colour television set', '300.00', { category: 'Electronics' }),
  offer('airfryer', 'Hot air cooker', '80.00', { category: 'Kitchen appliances' }),
];

const NOW = new Date('2026-11-24T12:00:00Z');

describe('merchandising rules in a search', () => {
  const api = useApi([...KETTLES, ...OTHERS]);
  const ids: Record<string, number> = {};
  const publish = (file: RuleFile) =>
    ruleVersions(api.es, api.prefix).store(file, { now: NOW, counts: {}, figures: {} });

  before(async () => {
    for (const sku of ['toaster', 'teapot', 'kettle-7', 'kettle-9', 'kettle-12'])
      ids[sku] = await api.id(sku);
    const id = (sku: string) => ids[sku] ?? 0;
    await publish({
      rules: [
        {
          name: 'tea time',
          query: { exact: ['Steel Kettles'] },
          pin: [{ id: id('toaster') }, { id: id('kettle-7') }, { id: id('teapot') }],
          hide: [{ id: id('kettle-9') }],
        },
        {
          name: 'more brands',
          query: { contains: ['cordless kettle'] },
          boost: [{ brand: 'OMBRELLO', by: 3 }],
        },
        {
          name: 'no shop b',
          query: { exact: ['kettle'] },
          hide: [{ source: 'SHOP_B' }],
          pin: [{ brand: 'ombrello' }],
        },
        {
          name: 'identifier',
          query: { exact: ['kettle 7'] },
          pin: [{ id: id('teapot') }, { brand: 'Ombrello' }],
        },
        { name: 'seats', synonyms: ['sofa, couch, settee'] },
        { name: 'hobs', synonyms: ['hob => kettle'] },
        { name: 'fryers', synonyms: ['air fryer => hot air cooker'] },
        {
          name: 'over',
          query: { exact: ['steel kettle'] },
          hide: [{ brand: 'Vortek' }],
          until: '2020-01-01',
        },
      ],
    });
  });

  const walk = async (query: string): Promise<any[]> => {
    const items: any[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: any = await api.ok(`/v1/search?${query}&cursor=${encodeURIComponent(cursor)}`);
      items.push(...page.items);
      cursor = page.next_cursor;
    }
    return items;
  };

  it('puts pinned listings first in the order of the pins, also those without any of the words, and hides listings', async () => {
    const page = await api.ok('/v1/search?q=steel+kettle&limit=100&explain=true');
    assert.deepEqual(skus(page).slice(0, 3), ['toaster', 'kettle-7', 'teapot']);
    assert.notInclude(skus(page), 'kettle-9');
    assert.equal(page.total, 41);
    assert.lengthOf(page.items, 41);
    assert.deepEqual(page.explanation.rules, ['tea time']);
    const [first, second, third] = page.items.slice(0, 3).map(({ why }: any) => why.clauses.pinned);
    assert.isAbove(first, second);
    assert.isAbove(second, third);
    assert.deepEqual(page.items[1].why.missing, []);
    assert.notProperty(page.items[3].why.clauses, 'pinned');
  });

  it('lets pinned listings obey filters, and counts them in total and facets', async () => {
    const page = await api.ok('/v1/search?q=steel+kettle&brand=Vortek%7CTazza&facets=brand,source&limit=100');
    assert.deepEqual(skus(page).slice(0, 2), ['kettle-7', 'teapot']);
    assert.equal(page.total, 30);
    const brands = page.facets.find(({ name }: any) => name === 'brand');
    const counts = Object.fromEntries(brands.values.map(({ value, count }: any) => [value, count]));
    assert.deepEqual(counts, { Vortek: 29, Ombrello: 10, Brixalo: 1, Tazza: 1 });
    const none = await api.ok('/v1/search?q=steel+kettle&brand=Brixalo');
    assert.deepEqual(skus(none), ['toaster']);
  });

  for (const filter of ['', '&brand=Vortek%7CTazza', '&match=all', '&match=any', '&match=any&max_price=30'])
    it(`returns each listing once by cursor and by offset: ${filter}`, async () => {
      const query = `q=steel+kettle&limit=7${filter}`;
      const items = await walk(query);
      const { total } = await api.ok(`/v1/search?${query}`);
      assert.lengthOf(items, total);
      assert.equal(new Set(pluck(items, 'id')).size, total);
      const paged: any[] = [];
      for (let offset = 0; offset < total; offset += 7)
        paged.push(...(await api.ok(`/v1/search?${query}&offset=${offset}`)).items);
      assert.deepEqual(pluck(paged, 'sku'), pluck(items, 'sku'));
      const unpaged = await api.ok(`/v1/search?q=steel+kettle&limit=100${filter}`);
      assert.deepEqual(skus(unpaged), pluck(items, 'sku'));
      const isPinned = (sku: string) => ['toaster', 'kettle-7', 'teapot'].includes(sku);
      const first = pluck(items, 'sku').findIndex((sku) => !isPinned(sku));
      assert.isFalse(pluck(items, 'sku').slice(first).some(isPinned));
    });

  it('finds synonyms, boosts brands and pins them', async () => {
    const queries = ['kettle', 'steel kettle', 'blue cordless kettle', 'hob kettle', 'kettle 7'];
    const found = async () =>
      Promise.all(
        queries.map(
          async (q) => (await api.ok(`/v1/search?q=${encodeURIComponent(q)}&limit=10&match=any`)).total,
        ),
      );
    const brandsOf = async (q: string) =>
      new Set(
        pluck((await api.ok(`/v1/search?q=${encodeURIComponent(q)}&limit=8&match=any`)).items, 'brand'),
      );
    const totals = await found();
    assert.deepEqual([totals[0], totals[3]], [32, 40]);
    assert.deepEqual(await brandsOf('kettle'), new Set(['Ombrello']));
    assert.deepEqual(await brandsOf('blue cordless kettle'), new Set(['Ombrello']));
  });

  it('groups pinned listings like others', async () => {
    const page = await api.ok('/v1/search?q=steel+kettle&group=product&limit=3');
    assert.deepEqual(skus(page), ['toaster', 'kettle-7', 'teapot']);
    assert.equal(page.total_groups, 41);
  });

  it('applies pins and boosts only by relevance, and hides listings in every order', async () => {
    const page = await api.ok('/v1/search?q=steel+kettle&sort=price_asc&limit=100&explain=true');
    assert.deepEqual(skus(page).slice(0, 2), ['kettle-0', 'kettle-1']);
    assert.notIncludeMembers(skus(page), ['toaster']);
    assert.notInclude(skus(page), 'kettle-9');
    assert.deepEqual(page.explanation.rules, ['tea time']);
    const boosted = await api.ok('/v1/search?q=cordless+kettle&sort=price_asc&explain=true');
    assert.deepEqual(boosted.explanation.rules, []);
  });

  it('orders the listings of a pinned brand by relevance, before listings that an identifier names', async () => {
    const page = await api.ok('/v1/search?q=kettle-7&limit=100&match=any');
    assert.equal(skus(page)[0], 'teapot');
    assert.equal(
      page.items.findIndex(({ brand }: any) => brand !== 'Ombrello' && brand !== 'Tazza'),
      11,
    );
    assert.equal(skus(page)[11], 'kettle-7');
    const alone = await api.ok('/v1/search?q=the+kettle+7&limit=100&match=any&brand=Ombrello');
    assert.deepEqual(skus(page).slice(1, 11), skus(alone));
  });

  it('pins a brand among the found listings, and hides a source', async () => {
    const page = await api.ok('/v1/search?q=kettle&limit=100&facets=source');
    assert.equal(page.total, 32);
    assert.deepEqual(new Set(pluck(page.items.slice(0, 8), 'brand')), new Set(['Ombrello']));
    assert.deepEqual(new Set(pluck(page.items, 'source')), new Set(['shop_a']));
    assert.deepEqual(
      page.facets[0].values.map(({ value }: any) => value),
      ['shop_a'],
    );
  });

  it('raises boosted listings, but not above listings with more of the words', async () => {
    const page = await api.ok('/v1/search?q=blue+cordless+kettle&limit=100&match=any&explain=true');
    assert.deepEqual(page.explanation.rules, ['more brands']);
    const kettles = page.items.filter(({ sku }: any) => sku.startsWith('kettle'));
    assert.deepEqual(new Set(pluck(kettles.slice(0, 10), 'brand')), new Set(['Ombrello']));
    assert.deepEqual(skus(page).slice(-2).sort(), ['settee', 'sofa']);
  });

  it('finds listings with synonyms, in both directions or in one', async () => {
    for (const match of ['all', 'auto'])
      for (const sort of ['relevance', 'price_asc']) {
        const page = await api.ok(`/v1/search?q=blue+couches&match=${match}&sort=${sort}&explain=true`);
        assert.sameMembers(skus(page).slice(0, 2), ['sofa', 'settee'], `${match} ${sort}`);
        assert.deepEqual(page.explanation.rules, ['seats']);
        assert.isNull(page.explanation.corrected_query);
        assert.equal(page.explanation.found_all, 2);
        assert.deepEqual(page.items[0].why?.missing ?? [], []);
      }
    assert.deepEqual(skus(await api.ok('/v1/search?q=air+fryer&match=all')), ['airfryer']);
    assert.deepEqual(skus(await api.ok('/v1/search?q=hot+air+cooker&match=all')), ['airfryer']);
    assert.deepEqual(skus(await api.ok('/v1/search?q=red+%22settee%22&match=all')), []);
  });

  it('applies the rules of the corrected spelling', async () => {
    const page = await api.ok('/v1/search?q=stel+kettle&explain=true');
    assert.deepEqual(page.explanation.rules, ['tea time']);
    assert.equal(skus(page)[0], 'toaster');
  });

  it('recognizes an exact name although another listing is pinned before it', async () => {
    const query = '/v1/search?q=Porcelain+teapot&limit=1';
    assert.equal(skus(await api.ok(query))[0], 'teapot');
    assert.deepEqual((await api.ok('/v1/products?q=steel+kettle&limit=1')).items[0].sku, 'toaster');
  });

  it('applies a rule only within its period', async () => {
    const rules = compileRules(
      {
        rules: [
          {
            name: 'day',
            query: { exact: ['teapot'] },
            hide: [{ source: 'shop_b' }],
            from: '2026-11-24',
            until: '2026-11-25',
          },
        ],
      },
      1,
    );
    const totalAt = async (time: string) => {
      const { total } = await findByText(api.es, {
        ...TEXT_ALONE,
        text: 'Teapot',
        target: { index: api.products },
        schema: CURRENT_SCHEMA,
        rules: { published: rules, now: new Date(time) },
        page: { slice: { limit: 1, offset: 0 } },
      });
      return total;
    };
    assert.equal(await totalAt('2026-11-23T23:59:59Z'), 1);
    assert.equal(await totalAt('2026-11-24T00:00:00Z'), 0);
    assert.equal(await totalAt('2026-11-25T23:59:59Z'), 0);
    assert.equal(await totalAt('2026-11-26T00:00:00Z'), 1);
  });

  it('uses a new version within seconds, and the earlier one for cursors that began with it', async () => {
    const first = await api.ok('/v1/search?q=steel+kettle&limit=5&cursor=');
    const rest = await api.ok('/v1/search?q=steel+kettle&limit=100');
    const { version } = await publish({ rules: [] });
    assert.equal(version, 2);
    await until(async () => (await api.ok('/v1/search?q=steel+kettle')).total === 40);
    const next = await api.ok(
      `/v1/search?q=steel+kettle&limit=100&cursor=${encodeURIComponent(first.next_cursor)}`,
    );
    assert.equal(next.total, 41);
    assert.deepEqual([...skus(first), ...skus(next)], skus(rest));
  });
});
