// Chaos too (oracles): npm test compares 60 of 300 texts with a brute force.
import { assert } from 'chai';
import { seededRandom } from '../../src/text/statistics.js';
import { itRefuses, useApi } from '../support/api.js';
import { sampled } from '../support/chaos.js';
import { offer, pluck, skus } from '../support/listings.js';

const next = seededRandom(20_261_129);
const below = (most: number) => Math.floor(next() * most);
const pick = <T>(values: readonly T[]): T => values[below(values.length)] as T;

const NOUNS = ['kettle', 'lamp', 'mug', 'tray'];
const WORDS = ['steel', 'copper', 'travel', 'cordless', 'matte', 'wifi'];
const COLOURS = ['red', 'teal', 'dark teal', 'ivory'];
const BRANDS = ['Orvane', 'Tilmor Works', null];

const catalogue = Array.from({ length: 240 }, (_, i) => {
  const words = [
    pick(WORDS),
    pick(WORDS),
    pick(NOUNS),
    pick(['', 'without steel', 'no copper', 'matte-free']),
  ];
  return {
    sku: `s${i}`,
    name: words.filter((word) => word !== '').join(' '),
    brand: pick(BRANDS),
    category: pick(['Kitchen', 'Travel goods', null]),
    colour: pick(COLOURS),
  };
});
type Entry = (typeof catalogue)[number];

const tokens = (text: string | null) =>
  (text ?? '')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');

/** Whether a listing contains an excluded word or phrase somewhere where it does not negate it. */
function hasStated({ name, brand, category, colour }: Entry, excluded: string): boolean {
  const words = tokens(excluded);
  return [name, brand, category, colour].some((text) => {
    const all = tokens(text);
    return all.some((_, at) => {
      if (words.some((word, i) => all[at + i] !== word)) return false;
      const before = [all[at - 1], all[at - 2]];
      return !before.some((word) => word === 'without' || word === 'no') && all[at + words.length] !== 'free';
    });
  });
}

describe('exclusions in q', () => {
  const api = useApi([
    ...catalogue.map(({ sku, colour, ...fields }) =>
      offer(sku, fields.name, '10.00', { ...fields, list_price: '20.00', metadata: { colour } }),
    ),
    offer('exact', 'Selvan pot -blue edition', '5.00'),
    offer('code', 'Selvan jar', '5.00', { metadata: { model: 'SJ -40' } }),
    offer('mic', 'Brume headset with mic', '5.00'),
    offer('nomic', 'Brume headset without mic', '5.00'),
    offer('amic', 'Brume headset without a mic', '5.00'),
    offer('plain', 'Brume headset', '5.00'),
    offer('shipped', 'Gorze phone silver free shipping', '5.00'),
    offer('unsilvered', 'Gorze phone silver free', '5.00'),
    offer('without', 'Gorze phone without silver, free delivery', '5.00'),
    offer('inch65', 'Zelm screen 65" matte', '5.00'),
    offer('inch55', 'Zelm screen 55" matte', '5.00'),
    offer('zh', '无线 耳机 红色', '5.00', { category: '数码' }),
    offer('zhb', '无线 耳机 蓝色', '5.00', { category: '数码' }),
  ]);
  const search = (parameters: Record<string, string>) =>
    api.ok(`/v1/search?${new URLSearchParams({ limit: '100', match: 'any', ...parameters }).toString()}`);
  const found = async (q: string) => skus(await search({ q })).sort();

  it('agree with a brute force over the catalogue', async () => {
    const texts = Array.from({ length: 300 }, () => ({
      word: pick(NOUNS),
      excluded: Array.from({ length: 1 + below(3) }, () =>
        pick([...WORDS, ...COLOURS, 'orvane', 'tilmor works', 'kitchen', 'copper kettle', 'goods']),
      ),
    }));
    for (const { word, excluded } of sampled(texts, 60)) {
      const written = excluded.map((text) => (text.includes(' ') ? `-"${text}"` : `-${text}`));
      const q = below(2) === 0 ? [word, ...written].join(' ') : [...written, word].join(' ');
      const expected = catalogue
        .filter((one) => tokens(one.name).includes(word) && !excluded.some((text) => hasStated(one, text)))
        .map(({ sku }) => sku)
        .sort();
      const page = await search({ q, sort: 'price_asc', match: 'all' });
      assert.equal(page.total, expected.length, q);
      if (expected.length <= 100) assert.deepEqual(skus(page).sort(), expected, q);
      assert.deepEqual(pluck(page.excluded, 'text'), excluded, q);
      for (const { from, to, text, applied, reason } of page.excluded) {
        assert.include([`-${text}`, `-"${text}"`], q.slice(from, to));
        assert.deepEqual([applied, reason], [true, null]);
      }
    }
  });

  it('keep listings that negate the word themselves, and work in Chinese', async () => {
    assert.deepEqual(await found('brume headset -mic'), ['amic', 'nomic', 'plain']);
    assert.deepEqual(await found('耳机 -红色'), ['zhb']);
  });

  it('do not take free shipping for a negation', async () => {
    assert.deepEqual(await found('gorze phone -silver'), ['unsilvered', 'without']);
    assert.deepEqual(await found('gorze phone -"silver free shipping"'), ['unsilvered', 'without']);
  });

  it('may end with an inch mark', async () => {
    for (const size of ['65"', '65”', '65″', '"65 inch"'])
      assert.deepEqual(await found(`zelm screen -${size}`), ['inch55'], size);
    const { excluded } = await search({ q: 'zelm screen -65", -“55 inch”' });
    assert.deepEqual(pluck(excluded, 'text', 'from', 'to'), [
      ['65"', 12, 16],
      ['55 inch', 18, 28],
    ]);
  });

  it('do not change which set auto selects, and count in facets', async () => {
    const all = await search({ q: 'brume headset', explain: 'true', match: 'auto' });
    const some = await search({ q: 'brume headset -mic', explain: 'true', match: 'auto', facets: 'brand' });
    assert.deepEqual(some.matched, all.matched);
    assert.equal(some.total, 3);
    const none = await search({ q: 'brume headset -brume' });
    assert.deepEqual(
      [none.total, none.empty.reason, pluck(none.empty.without, 'parameter')],
      [0, 'filters', ['excluded']],
    );
  });

  it('are read after a blank only, and not within quotes', async () => {
    for (const q of [
      'travel-kettle',
      'kettle - steel',
      'kettle --steel',
      '"kettle -steel"',
      'kettle -',
      'kettle -!',
    ])
      assert.notProperty(await search({ q }), 'excluded', q);
    const { excluded } = await search({ q: 'kettle -steel, red -“matte x”' });
    assert.deepEqual(pluck(excluded, 'text', 'from', 'to'), [
      ['steel', 7, 13],
      ['matte x', 19, 29],
    ]);
  });

  it('are part of an exact name or an identifier', async () => {
    for (const [q, sku] of [
      ['Selvan pot -blue edition', 'exact'],
      ['SJ -40', 'code'],
    ] as const) {
      const { items, excluded } = await search({ q });
      assert.equal(items[0].sku, sku);
      assert.deepEqual(pluck(excluded, 'applied', 'reason'), [[false, 'name']]);
    }
    const { excluded } = await search({ q: 'cordless kettle -red' });
    assert.deepEqual(pluck(excluded, 'applied'), [true], 'the name of a red kettle has no hyphen');
  });

  it('work with interpreted words, cursors and deals', async () => {
    const asked = await search({ q: 'lamp under S$50 -steel', interpret: 'true' });
    const said = await search({ q: 'lamp -steel', max_price: '50', price_currency: 'SGD' });
    assert.deepEqual(asked.items, said.items);
    assert.deepEqual(pluck(asked.interpreted, 'parameter', 'from', 'to'), [
      ['max_price', 5, 15],
      ['price_currency', 5, 15],
    ]);
    const first = await search({ q: 'lamp -steel', cursor: '', limit: '5' });
    const again = { q: 'lamp -copper', cursor: first.next_cursor, limit: '5' };
    assert.equal((await api.get(`/v1/search?${new URLSearchParams(again).toString()}`)).status, 422);
    const deals = await api.ok('/v1/deals?q=lamp%20-steel&limit=100');
    assert.isNotEmpty(deals.items);
    assert.deepEqual(pluck(deals.excluded, 'text'), ['steel']);
    const expected = catalogue.filter((one) => tokens(one.name).includes('lamp') && !hasStated(one, 'steel'));
    assert.equal(deals.total, expected.length);
    assert.equal((await api.get('/v1/deals?q=-steel')).status, 422);
  });

  it('are stated by words too, if they are interpreted', async () => {
    const interpreted = (q: string, more = {}) => search({ q, interpret: 'true', ...more });
    for (const [q, written] of [
      ['kettle not steel', 'kettle -steel'],
      ['lamp without dark teal', 'lamp -"dark teal"'],
      ['mug not orvane or tilmor', 'mug or tilmor -orvane'],
      ['tray ohne copper', 'tray -copper'],
      ['headset without a mic', 'headset -mic'],
      ['headset tanpa mic', 'headset -mic'],
      ['耳机 不要红色', '耳机 -红色'],
      ['耳机不要红色', '耳机 -红色'],
    ] as const) {
      const asked = await interpreted(q);
      assert.deepEqual(skus(asked), skus(await search({ q: written })), q);
      assert.deepEqual(pluck(asked.excluded, 'applied', 'reason'), [[true, null]], q);
      assert.notProperty(await search({ q }), 'excluded', 'without interpret=true');
    }
    const { excluded, interpreted: limits } = await interpreted('lamp not steel under S$50');
    assert.deepEqual(pluck(excluded, 'text', 'from', 'to'), [['steel', 5, 14]]);
    assert.deepEqual(pluck(limits, 'parameter'), ['max_price', 'price_currency']);
    assert.deepEqual(
      skus(await interpreted('lamp -teal not steel')),
      skus(await search({ q: 'lamp -teal -steel' })),
    );
  });

  it('are searched for if the words do not say what is excluded', async () => {
    for (const q of [
      'lamp not too steel',
      'kettle without handle red',
      'mug without any of the usual flowers on it',
    ]) {
      const { excluded } = await search({ q, interpret: 'true' });
      assert.deepEqual(pluck(excluded, 'applied', 'reason'), [[false, 'unclear']], q);
    }
    for (const q of ['do not disturb lamp', 'not', 'without kettle', 'knot kettle', '耳机要不要红色'])
      assert.notProperty(await search({ q, interpret: 'true' }), 'excluded', q);
    const { excluded } = await search({ q: 'Brume headset without mic', interpret: 'true' });
    assert.deepEqual(pluck(excluded, 'applied', 'reason'), [[false, 'name']]);
  });

  it('apply to the best price, also those that words state', async () => {
    const best = async (q: string) => {
      const { status, body } = await api.get(
        `/v1/products/best-price?${new URLSearchParams({ q }).toString()}`,
      );
      return status === 200 ? body.sku : status;
    };
    assert.equal(await best('brume headset'), 'mic');
    for (const q of ['brume headset -with', 'brume headset -mic', 'brume headset not mic'])
      assert.notEqual(await best(q), 'mic', q);
    assert.equal(await best('耳机 -红色'), 'zhb');
    assert.equal(await best('brume headset not brume'), 404);
    assert.equal(await best('Selvan pot -blue edition'), 'exact');
  });

  itRefuses(api, '/v1/search', {
    'q=-steel': ['q', 'value_error'],
    'q=-steel%20-%22a%20b%22': ['q', 'value_error'],
    [`q=kettle${Array.from({ length: 11 }, (_, i) => `%20-w${i}`).join('')}`]: ['q', 'value_error'],
  });
});
