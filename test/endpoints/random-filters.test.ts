// Chaos too (oracles): npm test sends each parameter alone and 30 random requests, npm run test:chaos sends 300.
import { readFileSync } from 'node:fs';
import { assert } from 'chai';
import { seededRandom } from '../../src/text/statistics.js';
import { useApi } from '../support/api.js';
import { oracle } from '../support/chaos.js';
import { record } from '../support/listings.js';

interface Exported {
  sku: string;
  name: string;
  source: string;
  brand: string | null;
  category: string | null;
  price: string | null;
  currency: string | null;
  rating: string | null;
  is_available: boolean | null;
  image_url: string | null;
  metadata: { colour?: string };
  condition: { value: string };
  price_from: boolean;
}

/** Invented words, which no vocabulary knows and of which none is a typo of another. */
const GOODS = ['torvelin', 'brasknok', 'quimpel', 'zandurf'];
const KINDS = ['ostrefal', 'minchowa', 'keldrip'];
const BRANDS = ['Hestan', 'Vortek', 'Optherra', null];
const COLOURS = ['umbrine', 'celadix', 'ochrevel'];
/** Units of each currency for one US dollar; MGA has no rate. */
const { rates: RATES } = JSON.parse(readFileSync('mappings/exchange-rates.json', 'utf8')) as {
  rates: Record<string, string>;
};
const CURRENCIES = ['USD', 'SGD', 'MYR', 'JPY', 'MGA', null];
const CONDITIONS = ['new', 'used', 'refurbished'];

type Random = () => number;
const pick = <T>(random: Random, values: readonly T[]): T =>
  values[Math.floor(random() * values.length)] as T;
const amount = (random: Random) => (random() * 90 + 1).toFixed(2);

function listingOf(random: Random, at: number) {
  const stated = pick(random, [...CONDITIONS, null, null]);
  const price = random() < 0.15 ? null : amount(random);
  return record({
    sku: `s${at}`,
    source: pick(random, ['shop_a', 'shop_b', 'shop_c']),
    name: `${pick(random, GOODS)} ${pick(random, KINDS)} ${random() < 0.3 ? 'velmorin ' : ''}n${at}${random() < 0.1 ? ' (refurbished)' : ''}`,
    brand: pick(random, BRANDS),
    category: pick(random, ['Lamps', 'Kettles', null]),
    price,
    currency: pick(random, CURRENCIES),
    rating: random() < 0.5 ? null : (random() * 5).toFixed(1),
    is_available: pick(random, [true, false, null]),
    image_url: random() < 0.5 ? null : `https://shop.example/${at}.jpg`,
    metadata: { colour: pick(random, COLOURS) },
    ...(stated !== null && { condition: stated }),
    ...(price !== null && random() < 0.2 && { price_from: true }),
  });
}

/** An amount of money as an exact fraction of US dollars; null without a rate. */
function inDollars(price: string, currency: string | null): [numerator: bigint, denominator: bigint] | null {
  const rate = currency === 'USD' ? '1' : RATES[currency ?? ''];
  if (rate === undefined) return null;
  const scaled = (text: string) => BigInt(Math.round(Number(text) * 1e8));
  return [scaled(price), scaled(rate)];
}

const compared = ([a, b]: [bigint, bigint], [c, d]: [bigint, bigint]): number => Number(a * d - c * b);

/** A parameter of a request, and whether a listing passes it. */
interface Condition {
  query: string;
  passes: (listing: Exported) => boolean;
}

const limit = (name: 'min' | 'max', value: string, currency: string | null) => (listing: Exported) => {
  if (listing.price === null) return false;
  const sign = name === 'min' ? 1 : -1;
  if (currency === null) return sign * (Number(listing.price) - Number(value)) >= 0;
  const [own, other] = [inDollars(listing.price, listing.currency), inDollars(value, currency)];
  return own !== null && other !== null && sign * compared(own, other) >= 0;
};

/** The words of a listing that a text may state or exclude. */
const wordsOf = ({ name, brand, category, metadata }: Exported): string[] =>
  [name, brand, category, metadata.colour]
    .join(' ')
    .toLowerCase()
    .split(/[^a-z\d]+/);

const PARAMETERS: ((random: Random) => Condition)[] = [
  (random) => {
    const values = CONDITIONS.filter(() => random() < 0.5);
    const isOne = ({ condition }: Exported) => values.length === 0 || values.includes(condition.value);
    return { query: `condition=${values.join('|')}`, passes: isOne };
  },
  (random) => {
    const has = random() < 0.5;
    return { query: `has_price=${has}`, passes: ({ price }) => (price !== null) === has };
  },
  (random) => {
    const [name, value] = [pick(random, ['min', 'max'] as const), amount(random)];
    const currency = pick(random, ['USD', 'SGD', 'MYR', null, null]);
    const query = `${name}_price=${value}${currency === null ? '' : `&price_currency=${currency}`}`;
    return { query, passes: limit(name, value, currency) };
  },
  () => ({ query: 'strict=true', passes: () => true }),
  () => ({ query: 'include=condition,price_from,position', passes: () => true }),
  (random) => {
    const value = pick(random, ['shop_a', 'shop_b']);
    return { query: `source=${value}`, passes: ({ source }) => source === value };
  },
  (random) => {
    const value = pick(random, ['Hestan', 'Vortek']);
    return { query: `brand=${value}`, passes: ({ brand }) => brand === value };
  },
  (random) => {
    const value = pick(random, ['USD', 'SGD', 'MGA']);
    return { query: `currency=${value}`, passes: ({ currency }) => currency === value };
  },
  (random) => {
    const value = random() < 0.5;
    return { query: `in_stock=${value}`, passes: ({ is_available }) => is_available === value };
  },
  (random) => {
    const value = (random() * 5).toFixed(1);
    return {
      query: `min_rating=${value}`,
      passes: ({ rating }) => rating !== null && Number(rating) >= Number(value),
    };
  },
  (random) => {
    const value = random() < 0.5;
    return { query: `has_image=${value}`, passes: ({ image_url }) => (image_url !== null) === value };
  },
  () => ({ query: 'category=lamp', passes: ({ category }) => category === 'Lamps' }),
  (random) => {
    const value = pick(random, COLOURS);
    return { query: `attr.colour=${value}`, passes: ({ metadata }) => metadata.colour === value };
  },
  (random) => ({
    query: `sort=${pick(random, ['price_asc', 'price_desc', 'rating', 'newest'])}`,
    passes: () => true,
  }),
];

/** A text: words that listings must have, one that they must not have, and a price that is interpreted. */
function textOf(random: Random): Condition {
  const words = [pick(random, GOODS), ...(random() < 0.5 ? [pick(random, KINDS)] : [])];
  const excluded = random() < 0.5 ? [pick(random, ['velmorin', ...COLOURS, 'ostrefal', 'hestan'])] : [];
  const isExcludedToo = excluded.some((word) => words.includes(word));
  const without = isExcludedToo ? [] : excluded;
  const [value, [mark, currency]] = [
    String(Math.ceil(random() * 80)),
    pick(random, [
      ['RM', 'MYR'],
      ['US$', 'USD'],
      ['S$', 'SGD'],
    ]) as [string, string],
  ];
  const isLimited = random() < 0.4;
  const q = [...words, ...without.map((word) => `-${word}`), ...(isLimited ? [`under ${mark}${value}`] : [])];
  return {
    query: `q=${encodeURIComponent(q.join(' '))}&match=all&interpret=true`,
    passes: (listing) => {
      const own = wordsOf(listing);
      return (
        words.every((word) => own.includes(word)) &&
        !without.some((word) => own.includes(word)) &&
        (!isLimited || limit('max', value, currency)(listing))
      );
    },
  };
}

describe('random requests with all filters', () => {
  const many = seededRandom(11);
  const records = Array.from({ length: 250 }, (_, at) => listingOf(many, at));
  const api = useApi(records);
  const { random, rounds } = oracle(4, 300);

  it('find the listings that a brute force over the export finds', async () => {
    const exported = (await api.ok(
      '/v1/products/export?limit=1000&include=condition,price_from',
    )) as Exported[];
    assert.lengthOf(exported, records.length);
    let found = 0;
    for (let round = 0; round < rounds + 4 * PARAMETERS.length; round += 1) {
      const alone = PARAMETERS[round >> 2];
      const drawn = alone === undefined ? PARAMETERS.filter(() => random() < 0.25) : [alone];
      const parameters = drawn.map((one) => one(random));
      const conditions = [...parameters, ...(random() < 0.5 ? [textOf(random)] : [])];
      // Of two parameters of the same name, the last one counts, so only one limit of the price is sent.
      const isMoney = ({ query }: Condition) => /price=|under/.test(query);
      const used = conditions.filter((one, at) => !isMoney(one) || conditions.findIndex(isMoney) === at);
      const query = used.map((one) => one.query).join('&');
      const expected = exported.filter((listing) => used.every(({ passes }) => passes(listing)));
      const items: Exported[] = [];
      for (let hasMore = true; hasMore;) {
        const page = await api.ok(`/v1/search?${query}&limit=100&offset=${items.length}`);
        assert.equal(page.total, expected.length, query);
        items.push(...page.items);
        hasMore = page.has_more;
      }
      assert.sameMembers(
        items.map(({ sku }) => sku),
        expected.map(({ sku }) => sku),
        query,
      );
      if (query.includes('include='))
        for (const item of items) {
          const one = expected.find(({ sku }) => sku === item.sku);
          assert.deepEqual([item.condition, item.price_from], [one?.condition, one?.price_from], query);
          assert.property(item, 'position');
        }
      found += Math.min(1, expected.length);
    }
    assert.isAbove(found, rounds / 3);
  });
});
