import { Readable } from 'node:stream';
import { assert } from 'chai';
import { readRecords } from '../../../src/feeds/map/records.js';
import { loadText, now, recordsOf } from './fixtures.js';

const BROKEN = '\nTall \r\n\t kettle,  1.7 l\u2028steel\n';
const JOINED = 'Tall kettle,  1.7 l steel';

describe('line breaks in the fields that are shown on one line', () => {
  const fields = ['sku', 'source', 'name', 'brand', 'category', 'merchant_id'];
  const read = async (text: string): Promise<Record<string, unknown>[]> => {
    const items = [];
    for await (const item of readRecords(Readable.from([Buffer.from(text)]), { map: null, feed: {} }, now))
      items.push(item);
    return recordsOf(items);
  };

  it('become blanks in CSV feeds, except in the description', async () => {
    const header = [...fields, 'description'];
    const csv = `${header.join(',')}\n${header.map(() => `"${BROKEN}"`).join(',')}\n`;
    const [record] = await read(csv);
    for (const field of fields) assert.strictEqual(record?.[field], JOINED, field);
    assert.strictEqual(record?.['description'], BROKEN);
  });

  it('become blanks in mapped feeds', async () => {
    const map = { fields: { sku: 'id', name: 'title', brand: 'maker' } };
    const { items } = await loadText(JSON.stringify({ id: 'K-1', title: BROKEN, maker: BROKEN }), map);
    const [record] = recordsOf(items);
    assert.deepEqual([record?.['name'], record?.['brand']], [JOINED, JOINED]);
  });

  it("are kept in records of the service's own JSON form", async () => {
    const [record] = await read(JSON.stringify({ sku: 'K-1', source: 'shop', name: BROKEN }));
    assert.strictEqual(record?.['name'], BROKEN);
  });
});

describe('availability in words of other markets than those of the format', () => {
  const WORDS: Record<string, boolean | undefined> = {
    'Sold out': false,
    available: true,
    'auf Lager': true,
    ausverkauft: false,
    'Rupture de stock': false,
    现货: true,
    '0': false,
    yes: true,
    'https://schema.org/InStock/': true,
    soon: undefined,
  };
  const feed = (column: string) =>
    `id\ttitle\t${column}\n${Object.keys(WORDS)
      .map((word, at) => `${at}\tKettle\t${word}\n`)
      .join('')}`;
  const MAP = { fields: { sku: 'id', name: 'title', is_available: 'stock' } };

  for (const [name, text, format] of [
    ['of a platform', feed('availability'), 'google'],
    ['of a map', feed('stock'), MAP],
  ] as const)
    it(`is read in the format ${name}, and left out if it is not known`, async () => {
      const { items } = await loadText(text, format);
      assert.deepEqual(
        items.map(({ value }) => (value as { is_available?: unknown }).is_available),
        Object.values(WORDS).map((value) => (value === undefined && format === MAP ? 'soon' : value)),
      );
    });
});

describe('prices with HTML entities', () => {
  it('are read', async () => {
    const price = { from: 'price', money: 'amount' };
    const currency = { from: 'price', money: 'currency' };
    const rows = ['12,90&nbsp;&euro;', '&pound;1,249.00', '&#8364; 12.90'];
    const text = `sku;price\n${rows.map((row, at) => `${at};"${row}"\n`).join('')}`;
    const { items } = await loadText(text, {
      decimal: 'either',
      fields: { sku: 'sku', name: 'sku', price, currency },
    });
    assert.deepEqual(
      recordsOf(items).map((one) => [one['price'], one['currency']]),
      [
        ['12.90', 'EUR'],
        ['1249.00', 'GBP'],
        ['12.90', 'EUR'],
      ],
    );
  });
});

describe('names, categories, addresses and ratings of mapped feeds', () => {
  const values = async (field: string, rule: unknown, given: readonly unknown[]) => {
    const map = { fields: { sku: 'id', [field]: rule } };
    const rows = given.map((value, id) => JSON.stringify({ id: `K-${id}`, value })).join('\n');
    return recordsOf((await loadText(rows, map)).items).map((record) => record[field]);
  };

  it('names are text without HTML and with plain blanks', async () => {
    const names = {
      '<b>Mug</b> blue': 'Mug blue',
      'Mug&nbsp;blue<br/>0.3&#160;l': 'Mug blue 0.3 l',
      '&lt;p&gt;Salt &amp;amp; pepper&lt;/p&gt;': 'Salt & pepper',
      'Mug\u00a0blue\u30000.3\u202fl': 'Mug blue 0.3 l',
      'Mug <3, 5 < 6 <y> 7': 'Mug <3, 5 < 6 <y> 7',
    };
    assert.deepEqual(await values('name', 'value', Object.keys(names)), Object.values(names));
  });

  it('the levels of a category are separated by any of the usual marks', async () => {
    const rule = { from: 'value', split: '>' };
    const paths = ['Home > Garden', 'Home -> Garden', 'Home » Garden', 'Home › Garden', 'Home → Garden'];
    for (const path of await values('category_path', rule, paths)) assert.deepEqual(path, ['Home', 'Garden']);
    assert.deepEqual(await values('category_path', rule, ['Livres > «Été» › 1', 'Home/Garden']), [
      ['Livres', '«Été» › 1'],
      ['Home/Garden'],
    ]);
  });

  it('addresses may lack the protocol, and of several pictures the first one counts', async () => {
    const one = 'https://cdn.example/a.jpg';
    assert.deepEqual(await values('buy_url', 'value', ['//cdn.example/a.jpg', '/a.jpg', '//a.jpg']), [
      one,
      '/a.jpg',
      'https://a.jpg',
    ]);
    const lists = [
      `${one},https://cdn.example/b.jpg`,
      `${one} | http://b.example/,c`,
      `${one};HTTPS://b.example`,
    ];
    const within = 'https://cdn.example/w_200,h_100/https://shop.example/a,b.jpg';
    assert.deepEqual(await values('image_url', 'value', [...lists, within]), [one, one, one, within]);
  });

  it('ratings may have a decimal comma', async () => {
    assert.deepEqual(await values('rating', 'value', ['4,5', '4.5', 4.5, '4,5 of 5']), [
      '4.5',
      '4.5',
      4.5,
      '4,5 of 5',
    ]);
  });

  it('Merchant Center: the first of several quoted categories counts, and conditions may be URLs', async () => {
    const feed = `id\ttitle\tproduct_type\tcondition\nA\tMug\t"Home > Mugs","Gifts, small > Mugs"\thttps://schema.org/UsedCondition\n`;
    const [record] = recordsOf((await loadText(feed, 'google')).items);
    assert.deepEqual(record?.['category_path'], ['Home', 'Mugs']);
    assert.deepInclude(record?.['metadata'], { condition: 'UsedCondition' });
  });
});
