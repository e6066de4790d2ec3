// Chaos too (oracles): npm test compares the facets of 40 of 200 sets of filters.
import { assert } from 'chai';
import { seededRandom } from '../../src/text/statistics.js';
import { itRefuses, useApi } from '../support/api.js';
import { readRates } from '../../src/products/read-rates.js';
import { isChaos, sampled } from '../support/chaos.js';
import { assertSorted, pluck, record } from '../support/listings.js';

const next = seededRandom(20_260_301);
const below = (most: number) => Math.floor(next() * most);
const chance = (of: number) => next() < of;
const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;

const BRANDS = ['Sony', 'SONY', 'sony', 'Bose', 'Nescafé', 'NESCAFE', 'Ölmühle', '小米', null];
const CATEGORIES = [
  ['Audio', 'Headphones'],
  ['Audio', 'Speakers'],
  ['Home', 'Audio', 'HEADPHONES'],
  ['TVs'],
  [],
];
const COLOURS = ['Black', 'black', 'BLACK', 'White', 'Café noir', 'Sky   Blue'];
/** Prices at, and one ten-thousandth beside, the edges of the ranges of the facet `price`. */
const EDGES = [
  '1',
  '2',
  '5',
  '10',
  '20.00',
  '50',
  '99.9999',
  '100',
  '200',
  '200.0001',
  '1000',
  '5000',
  '20000',
];
const WORDS = ['wireless', 'portable', 'studio', 'cable'];

const listing = (i: number) => ({
  ...record({ sku: `s${i}`, source: pick(['Shop_A', 'shop_b', 'shop_c']) }),
  name: `${pick(WORDS)} ${pick(WORDS)} thing ${i}`,
  brand: pick(BRANDS),
  category_path: pick(CATEGORIES),
  ...(chance(0.85)
    ? {
        price: chance(0.3) ? pick(EDGES) : `${below(10 ** (1 + below(5)))}.${10 + below(90)}`,
        currency: pick(['SGD', 'SGD', 'USD', 'IDR']),
      }
    : { price: null, currency: null }),
  ...(chance(0.8) ? { rating: pick(['0', '0.9', '1', '2.5', '3', '3.99', '4', '4.5', '5']) } : {}),
  ...(chance(0.8) ? { is_available: chance(0.7) } : {}),
  ...(chance(0.5) ? { condition: pick(['new', 'refurbished', 'used']) } : {}),
  ...(chance(0.3) ? { image_url: `https://images.example/${i}.jpg` } : {}),
  metadata: chance(0.2)
    ? {
        attributes: { Colour: [pick(COLOURS), pick(COLOURS)], [' Form  Factor ']: pick([1, 2.5, true]) },
        colour: 'no',
      }
    : {
        ...pick([
          { colour: pick(COLOURS) },
          { color: pick(COLOURS) },
          { Color: [pick(COLOURS), pick(COLOURS)], colour: pick(COLOURS) },
        ]),
        ean: '4006381333931',
        size: pick(['S', 'M', 'L', null, { w: 1 }]),
        'a.b [c]>': 'x',
        // This attribute has more values than a facet requests.
        serial: `No ${i}`,
      },
});

type Json = Record<string, any>;
type Filters = Record<string, string>;

const fold = (text: string) =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .trim();
const folds = (parameter: string) => parameter.split('|').map(fold);
/** Every path from the first level of a category path on, folded. */
const pathsOf = (levels: readonly string[]) =>
  levels.map((_, at) =>
    levels
      .slice(0, at + 1)
      .map(fold)
      .join(' > '),
  );
const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
const units = (price: string) => Math.round(Number(price) * 10_000);

/** Returns the attributes of a listing, as the specification of facets defines them. */
function attributes({ metadata }: Json): Map<string, Set<string>> {
  const stated = Object.entries((metadata?.attributes ?? metadata ?? {}) as Json);
  const found = new Map<string, Set<string>>();
  for (const [name, value] of stated) {
    const values = [value].flat().filter((one) => one !== null && typeof one !== 'object');
    if (name === 'ean' || values.length === 0) continue;
    const attribute = fold(name).replace('color', 'colour');
    found.set(
      attribute,
      new Set([...(found.get(attribute) ?? []), ...values.map((one) => fold(String(one)))]),
    );
  }
  return found;
}

/**
 * For each parameter, the facet that it belongs to, and a function that tests whether a listing passes the
 * filter.
 */
const TESTS: Record<
  string,
  [facet: string, passes: (item: Json, asked: string, filters: Filters) => boolean]
> = {
  q: ['', (item, asked) => item.name.split(' ').includes(asked)],
  brand: ['brand', (item, asked) => item.brand !== null && folds(asked).includes(fold(item.brand))],
  source: ['source', (item, asked) => folds(asked).includes(fold(item.source))],
  currency: [
    'currency',
    (item, asked) => item.currency !== null && folds(asked).includes(fold(item.currency)),
  ],
  category: [
    'category',
    (item, asked) => item.category?.toLowerCase().includes(asked.toLowerCase()) ?? false,
  ],
  category_path: [
    'category_path',
    (item, asked) =>
      `${item.category_path.map(fold).join(' > ')} > `.startsWith(
        `${asked.split('>').map(fold).join(' > ')} > `,
      ),
  ],
  in_stock: ['availability', (item, asked) => item.is_available === (asked === 'true')],
  condition: ['condition', (item, asked) => asked.split('|').includes(item.condition.value as string)],
  min_rating: ['rating', (item, asked) => item.rating !== null && Number(item.rating) >= Number(asked)],
  min_price: ['price', (item, asked, filters) => (compared(item, asked, filters) ?? -1) >= 0],
  max_price: ['price', (item, asked, filters) => (compared(item, asked, filters) ?? 1) <= 0],
  has_price: ['', (item, asked) => (item.price !== null) === (asked === 'true')],
  has_image: ['', (item, asked) => (item.image_url !== null) === (asked === 'true')],
  'attr.colour': ['attr.colour', (item, asked) => hasAttribute(item, 'colour', asked)],
  'attr.color': ['attr.colour', (item, asked) => hasAttribute(item, 'colour', asked)],
  'attr.Size': ['attr.size', (item, asked) => hasAttribute(item, 'size', asked)],
};

const { perBase: RATES } = readRates(null);

/** How a price compares with a limit, in the currency of the limit if it states one; null if they cannot be compared. */
function compared({ price, currency }: Json, limit: string, { price_currency: of }: Filters): number | null {
  if (price === null) return null;
  if (of === undefined) return units(price) - units(limit);
  const [from, to] = [RATES.get(currency ?? ''), RATES.get(of.toUpperCase())];
  if (from === undefined || to === undefined) return null;
  return Number(BigInt(units(price)) * to - BigInt(units(limit)) * from);
}

const hasAttribute = (item: Json, name: string, asked: string) =>
  folds(asked).some((value) => attributes(item).get(name)?.has(value));

/** Returns a random set of filters. */
function someFilters(): Filters {
  const several = (values: readonly string[]) =>
    chance(0.4) ? `${pick(values)}|${pick(values)}` : pick(values);
  const all: [number, string, () => string][] = [
    [0.2, 'q', () => pick(WORDS)],
    [0.3, 'brand', () => several(['sony', 'BOSE', 'nescafe', 'ölmühle', '小米', 'nobody'])],
    [0.2, 'source', () => several(['SHOP_A', 'shop_b', 'shop_c'])],
    [0.2, 'currency', () => several(['sgd', 'USD', 'JPY'])],
    [0.15, 'category', () => pick(['phone', 'TVs', 'speakers', 'none'])],
    [0.15, 'category_path', () => pick(['audio', 'Audio > Headphones', 'Home>Audio', 'Headphones'])],
    [0.2, 'in_stock', () => pick(['true', 'false'])],
    [0.2, 'condition', () => several(['new', 'refurbished', 'used'])],
    [0.2, 'min_rating', () => pick(['0', '1', '2.50', '3.99', '4', '5'])],
    [0.15, 'min_price', () => String(below(300))],
    [0.15, 'max_price', () => String(300 + below(3_000))],
    [0.3, 'price_currency', () => pick(['USD', 'myr', 'JPY', 'SGD'])],
    [0.15, 'has_price', () => pick(['true', 'false'])],
    [0.1, 'has_image', () => pick(['true', 'false'])],
    [
      0.25,
      pick(['attr.colour', 'attr.color']),
      () => several(['black', 'White', 'cafe noir', 'sky blue', 'pink']),
    ],
    [0.15, 'attr.Size', () => several(['s', 'M', 'XXL'])],
  ];
  return Object.fromEntries(all.flatMap(([of, name, make]) => (chance(of) ? [[name, make()]] : [])));
}

describe('facets', () => {
  const api = useApi(Array.from({ length: 400 }, (_, i) => listing(i)));
  let catalogue: Json[];
  before(async () => {
    catalogue = (await api.get('/v1/products/export?limit=10000&include=condition')).body as Json[];
  });

  const get = async (parameters: Filters) =>
    (await api.ok(`/v1/search?${new URLSearchParams(parameters).toString()}`)) as Json & { facets: Json[] };

  /** Returns the listings that pass all filters except those of one facet. */
  const passing = (filters: Filters, facet?: string) =>
    catalogue.filter((item) =>
      Object.entries(filters).every(([name, asked]) => {
        const [of, passes] = TESTS[name] ?? ['', () => true];
        return (facet !== undefined && of === facet) || passes(item, asked, filters);
      }),
    );

  const valuesOf = (item: Json, facet: string): string[] => {
    switch (facet) {
      case 'brand':
      case 'category':
      case 'source':
      case 'currency':
        return item[facet] === null ? [] : [fold(item[facet] as string)];
      case 'availability':
        return [item.is_available === null ? 'unknown' : item.is_available ? 'in_stock' : 'out_of_stock'];
      case 'condition':
        return [item.condition.value as string];
      case 'category_path':
        return pathsOf(item.category_path as string[]);
      default:
        return [...(attributes(item).get(facet.slice('attr.'.length)) ?? [])];
    }
  };

  const counted = (items: Json[], facet: string): Map<string, number> => {
    const counts = new Map<string, number>();
    for (const value of items.flatMap((item) => valuesOf(item, facet))) {
      counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    return counts;
  };

  function checkPrices(items: Json[], facets: Json[], why: string) {
    const priced = items.filter(({ price, currency }) => price !== null && currency !== null);
    const currencies = [...new Set(priced.map(({ currency }) => currency as string))];
    assert.sameMembers(pluck(facets, 'currency'), currencies, why);
    for (const { currency, count, min, max, buckets } of facets) {
      const prices = priced
        .filter((item) => item.currency === currency)
        .map(({ price }) => units(price as string));
      assert.equal(count, prices.length, why);
      assert.equal(units(min as string), Math.min(...prices), why);
      assert.equal(units(max as string), Math.max(...prices), why);
      assert.isAtMost(buckets.length, 10);
      buckets.forEach(({ from, to, count: inside }: Json, at: number) => {
        assert.match(from as string, /^0?[.0]*[125][.0]*$/);
        assert.equal(at === 0 ? from : buckets[at - 1].to, from, why);
        const [low, high] = [units(from as string), units(to as string)];
        assert.equal(inside, prices.filter((price) => price >= low && price <= high).length, why);
      });
      const met = buckets.slice(1).map(({ from }: Json) => units(from as string));
      const twice = prices.filter((price) => met.includes(price)).length;
      assert.equal(sum(pluck(buckets, 'count')) - twice, count, why);
    }
  }

  function checkValues(filters: Filters, facet: Json, limit: number, why: string) {
    const name = facet.name as string;
    const items = passing(filters, name);
    if (name === 'rating') {
      for (const { value, count } of facet.values) {
        assert.equal(count, items.filter(({ rating }) => Number(rating ?? -1) >= Number(value)).length, why);
      }
      return;
    }
    const counts = counted(items, name);
    const listed = (facet.values as Json[]).map(({ value, count }) => [fold(value as string), count]);
    for (const [value, count] of listed)
      assert.equal(count, counts.get(value as string) ?? 0, `${why} ${String(value)}`);
    if (name === 'category_path') {
      const levelOf = (path: string) => path.split(' > ').length;
      const most = [1, 2, 3].flatMap((level) =>
        [...counts]
          .flatMap(([path, count]) => (levelOf(path) === level ? [count] : []))
          .sort((a, b) => b - a)
          .slice(0, limit),
      );
      assert.deepEqual(pluck(listed.slice(0, most.length), '1'), most, why);
    } else if (name !== 'availability') {
      const most = [...counts.values()].sort((a, b) => b - a).slice(0, limit);
      assert.deepEqual(pluck(listed.slice(0, most.length), '1'), most, why);
    }
    assert.equal(facet.other, sum([...counts.values()]) - sum(pluck(listed, '1')), why);
    assert.equal(facet.distinct, counts.size, why);
    assert.isTrue(facet.exact);
    if (!name.startsWith('attr.')) return;
    const stating = items.filter((item) => attributes(item).has(name.slice('attr.'.length))).length;
    assert.approximately(facet.coverage as number, stating / Math.max(1, items.length), 1e-4, why);
  }

  const FACETS = 'brand,category,category_path,source,currency,condition,rating,price,attr.Colour,attributes';

  it('equal counts over the export for random sets of filters', async function () {
    const sets = sampled(Array.from({ length: 200 }, someFilters), 40);
    let selected = 0;
    const check = async (filters: Filters) => {
      const limit = pick([2, 20]);
      const page = await get({ ...filters, facets: FACETS, facet_limit: String(limit), limit: '1' });
      const why = JSON.stringify(filters);
      assert.equal(page.total, passing(filters).length, why);
      const prices = page.facets.filter(({ name }) => name === 'price');
      checkPrices(passing(filters, 'price'), prices, why);
      for (const facet of page.facets) if (facet.name !== 'price') checkValues(filters, facet, limit, why);
      const matching = passing(filters).map((item) => [...attributes(item).keys()]);
      const common = [...new Set(matching.flat())].filter(
        (name) => matching.filter((stated) => stated.includes(name)).length >= 0.05 * matching.length,
      );
      const asked = Object.keys(filters).filter((name) => name.startsWith('attr.'));
      const named = asked.map((name) => fold(name).replace('color', 'colour'));
      const expected = new Set(['attr.colour', ...named, ...common.map((name) => `attr.${name}`)]);
      const returned = pluck(page.facets, 'name').filter((name) => name.startsWith('attr.'));
      assert.sameMembers(returned, [...expected], why);
      if (filters.brand !== undefined) {
        const shown = page.facets[0]?.values
          .filter((value: Json) => value.selected)
          .map(({ value }: Json) => fold(value));
        assert.sameMembers(shown, [...new Set(folds(filters.brand))], `${why}: what is selected is listed`);
        const beside = page.facets[0]?.values.slice(limit).map(({ count }: Json) => count as number) ?? [];
        assertSorted(beside, 'descending', why);
        selected += 1;
      }
    };
    for (let at = 0; at < sets.length; at += 4) await Promise.all(sets.slice(at, at + 4).map(check));
    assert.isAbove(selected, isChaos ? 30 : 2);
  });

  it('count the ranges of prices and ratings as the filters that select them do', async () => {
    const totalOf = async (filters: Filters) => (await get({ ...filters, limit: '1' })).total as number;
    for (const filters of [{}, { q: 'wireless' }, { brand: 'sony', in_stock: 'true' }] as Filters[]) {
      const { facets } = await get({ ...filters, facets: 'price,rating', limit: '1' });
      for (const { currency, buckets = [], values = [] } of facets) {
        for (const { from, to, count } of buckets)
          assert.equal(
            await totalOf({ ...filters, currency, min_price: from, max_price: to }),
            count as number,
            `${currency} ${from} to ${to}`,
          );
        for (const { value, count } of values)
          assert.equal(await totalOf({ ...filters, min_rating: value }), count as number, `rating ${value}`);
      }
    }
  });

  it('display the most frequent form of a value', async () => {
    const { facets } = await get({ facets: 'brand,category,attr.colour,attr.form factor' });
    for (const { name, values } of facets) {
      const spelled = (item: Json): string[] => {
        if (!String(name).startsWith('attr.')) return [item[name as string]];
        const {
          Colour,
          colour,
          Color,
          color,
          ' Form  Factor ': factor,
        } = item.metadata?.attributes ?? item.metadata ?? {};
        const colours = [Colour, colour, Color, color].flat().filter((one) => one !== undefined);
        return (name === 'attr.colour' ? colours : [factor ?? []].flat()).map(String);
      };
      for (const { value } of values as Json[]) {
        const counts = new Map<string, number>();
        for (const item of catalogue) {
          const same = spelled(item).filter((text) => text !== null && fold(text) === fold(value as string));
          for (const text of same.slice(0, 1)) counts.set(text, (counts.get(text) ?? 0) + 1);
        }
        const most = Math.max(...counts.values());
        const commonest = [...counts]
          .filter(([, count]) => count === most)
          .map(([text]) => text.replace(/\s+/g, ' '));
        assert.include(commonest, value, String(name));
      }
    }
  });

  it('are in the requested order, each once, with the attributes that most matches state', async () => {
    const { facets } = await get({
      facets: 'attributes,source,attr.size,ATTR.x,source'.replace('ATTR', 'attr'),
    });
    const names = facets.map(({ name }) => name);
    assert.deepEqual(names.slice(-3), ['source', 'attr.size', 'attr.x']);
    assert.sameMembers(names.slice(0, -3), [
      'attr.colour',
      'attr.a.b [c]>',
      'attr.form factor',
      'attr.serial',
    ]);
    const none = await get({ facets: 'attributes,price,brand', q: 'nosuchword' });
    assert.deepEqual(none.facets, [
      { name: 'brand', type: 'values', values: [], distinct: 0, other: 0, exact: true },
    ]);
    assert.notProperty(await get({ facets: '' }), 'facets');
  });

  it('name an attribute as the request does, in either of its two forms', async () => {
    for (const name of ['attr.color', 'attr.colour']) {
      const other = name === 'attr.color' ? 'attr.colour' : 'attr.color';
      const { facets, total } = await get({ facets: `${name},${other}`, [other]: 'black' });
      assert.deepEqual(pluck(facets, 'name'), [name]);
      const black = facets[0]?.values.find(({ value }: Json) => fold(value as string) === 'black');
      assert.deepInclude(black, { count: total, selected: true });
      const { facets: all } = await get({ facets: `attributes,${name}` });
      assert.lengthOf(
        pluck(all, 'name')
          .join(' ')
          .match(/\battr\.colou?r\b/g) ?? [],
        1,
      );
    }
  });

  it('display a selected value without listings as other listings or the request write it', async () => {
    const { facets } = await get({
      q: 'nosuchword',
      facets: 'brand,source,category,attr.colour,currency',
      brand: 'NESCAFE|Düsenjäger',
      source: 'Nowhere_SG',
      category: 'No Such',
      'attr.colour': 'CAFÉ NOIR|Pinkish',
      currency: 'jpy',
    });
    const shown = facets.map(({ name, values }) => [name, values.map(({ value }: Json) => value).sort()]);
    assert.include(['Nescafé', 'NESCAFE'], shown[0]?.[1].pop());
    assert.deepEqual(shown, [
      ['brand', ['Düsenjäger']],
      ['source', ['Nowhere_SG']],
      ['category', ['No Such']],
      ['attr.colour', ['Café noir', 'Pinkish']],
      ['currency', ['JPY']],
    ]);
  });

  it('count the levels of category paths, joined by " > " and as most listings write them', async () => {
    const { facets, total } = await get({ facets: 'category_path', category_path: 'Home', limit: '1' });
    const values = facets[0]?.values as Json[];
    const levels = values.map(({ value }) => (value as string).split(' > ').length);
    assert.deepEqual(levels, [...levels].sort());
    assert.sameMembers(pluck(values, 'value'), [
      'Audio',
      'Home',
      'TVs',
      'Audio > Headphones',
      'Audio > Speakers',
      'Home > Audio',
      // Most listings of this path write its last level in capitals.
      'Home > Audio > HEADPHONES',
    ]);
    assert.deepInclude(values, { value: 'Home', count: total, selected: true });
  });

  describe('with facet_q', () => {
    const shown = async (facet_q: string, more: Filters = {}) => {
      const { facets } = await get({ facet_q, limit: '1', ...more });
      const values = (facets.at(-1)?.values ?? []) as Json[];
      return values.map(({ value }) => value as string).sort();
    };

    it('count only the values that contain the text, in any case and without accents', async () => {
      for (const text of ['SO', 'so', 'sony']) {
        assert.deepEqual((await shown(`brand:${text}`)).map(fold), ['sony'], text);
      }
      assert.deepEqual((await shown('brand:CAFÉ')).map(fold), ['nescafe']);
      assert.deepEqual(await shown('brand:米'), ['小米']);
      assert.deepEqual(await shown('source:SHOP_'), ['Shop_A', 'shop_b', 'shop_c']);
      assert.deepEqual(await shown('currency:d'), ['IDR', 'SGD', 'USD']);
      assert.deepEqual((await shown('category:eadph')).map(fold), ['headphones']);
      assert.deepEqual(await shown('attr.color:NOIR'), ['Café noir']);
      assert.deepEqual(await shown('category_path:audio > '), [
        'Audio > Headphones',
        'Audio > Speakers',
        'Home > Audio > HEADPHONES',
      ]);
      assert.deepEqual(await shown('category_path:> audio'), ['Home > Audio', 'Home > Audio > HEADPHONES']);
      assert.deepEqual(await shown('brand:none of them'), []);
    });

    it('take every character of the text as itself', async () => {
      for (const text of [
        '.*',
        's.ny',
        'son[xy]',
        'sony|bose',
        '"',
        '\\',
        '~',
        '@',
        '<1-9>',
        '&',
        '#',
        '(',
        '{',
      ]) {
        assert.deepEqual(await shown(`brand:${text}`), [], text);
        assert.deepEqual(await shown(`attr.colour:${text}`), [], text);
      }
    });

    it('answer a long text that repeats one letter', async () => {
      for (const name of ['brand', 'source', 'attr.colour'])
        assert.deepEqual(await shown(`${name}:${'a'.repeat(200 - name.length - 1)}`), [], name);
    });

    it('count as without the text, and show a selected value only if it contains the text', async () => {
      const filters: Filters = { 'attr.size': 'S|M', brand: 'Bose' };
      const [page, whole] = await Promise.all([
        get({ ...filters, facets: 'source,brand', facet_q: 'brand:so' }),
        get({ ...filters, facets: 'source,brand' }),
      ]);
      assert.equal(page.total, whole.total);
      assert.deepEqual(page.facets[0], whole.facets[0]);
      const sony = whole.facets[1]?.values.find(({ value }: Json) => fold(value as string) === 'sony');
      assert.deepEqual(page.facets[1], {
        name: 'brand',
        type: 'values',
        values: [sony],
        distinct: 1,
        other: 0,
        exact: true,
      });
      const selected = await get({ ...filters, facet_q: 'brand:bos' });
      assert.deepEqual(pluck(selected.facets[0]?.values, 'selected'), [true]);
    });

    it('count the different values of a facet with many of them', async () => {
      const { facets } = await get({ facet_q: 'attr.serial:no ', facet_limit: '3', limit: '1' });
      const stated = new Set(catalogue.flatMap((item) => [...(attributes(item).get('serial') ?? [])]));
      // The facet itself requests 200 values.
      assert.isAbove(stated.size, 200);
      assert.lengthOf(facets[0]?.values, 3);
      assert.equal(facets[0]?.distinct, stated.size);
      assert.equal(facets[0]?.other, stated.size - 3);
    });
  });

  const invalid: Record<string, [string, string]> = {
    'facet_q=son': ['facet_q', 'value_error'],
    'facet_q=brand:': ['facet_q', 'value_error'],
    'facet_q=price:1': ['facet_q', 'value_error'],
    'facet_q=attr.:black': ['facet_q', 'value_error'],
    'facet_q=colour:black': ['facet_q', 'value_error'],
    [`facet_q=brand:${'x'.repeat(200)}`]: ['facet_q', 'string_too_long'],
    'facets=brand,colour': ['facets', 'literal_error'],
    'facets=attr.': ['facets', 'literal_error'],
    [`facets=${Array.from({ length: 11 }, (_, i) => `attr.a${i}`).join(',')}`]: ['facets', 'too_long'],
    'facet_limit=0': ['facet_limit', 'greater_than_equal'],
    'facet_limit=101': ['facet_limit', 'less_than_equal'],
  };
  itRefuses(api, '/v1/search', invalid);
});

describe('facets of listings without prices, and with counters', () => {
  const priced = ['SGD', 'MYR', 'IDR', 'THB', 'PHP'].map((currency) => ({ currency, price: '5.00' }));
  const unpriced = ['VND', 'VND', 'USD', 'USD'].map((currency) => ({ currency, price: null }));
  const api = useApi(
    [...priced, ...unpriced].map((price, i) => ({
      ...record({ sku: `c${i}`, source: 'shop_a' }),
      ...price,
      metadata: { reviews: i, sold: 10 * i, Stock: 5, shop: 'A', size: i % 2 === 0 ? 'S' : 'M' },
    })),
  );

  it('select the currencies of the facet price among listings with a price', async () => {
    const { body } = await api.get('/v1/search?facets=price&limit=1');
    assert.sameMembers(pluck(body.facets, 'currency'), ['SGD', 'MYR', 'IDR', 'THB', 'PHP']);
  });

  it('exclude counters from attributes, and count them if they are requested by name', async () => {
    const names = async (query: string): Promise<string[]> =>
      (await api.get(`/v1/search?limit=1&${query}`)).body.facets.map(({ name }: Json) => name);
    assert.deepEqual(await names('facets=attributes'), ['attr.size']);
    assert.deepEqual(await names('facets=attributes,attr.stock'), ['attr.size', 'attr.stock']);
    assert.sameMembers(await names('facets=attributes&attr.shop=A'), ['attr.size', 'attr.shop']);
  });
});
