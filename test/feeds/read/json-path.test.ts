import { Readable } from 'node:stream';
import { assert } from 'chai';
import { type FeedItem, readFeed } from '../../../src/feeds/read/feed.js';

/** Reads a feed in chunks of a size. Returns its records, or their errors, with their lines, and the error of the feed. */
async function read(feed: string, records: string, step = feed.length) {
  const bytes = Buffer.from(feed);
  const chunks = Array.from({ length: Math.ceil(bytes.length / step) }, (_, index) =>
    bytes.subarray(index * step, (index + 1) * step),
  );
  const items: FeedItem[] = [];
  let failure: string | null = null;
  try {
    for await (const item of readFeed(Readable.from(chunks), { records })) items.push(item);
  } catch (error) {
    failure = (error as Error).message;
  }
  return { found: items.map(({ line, error, value }) => [line, error ?? value]), failure, items };
}

const page = (...skus: number[]) => ({
  items: skus.map((sku) => ({ sku })),
  next: { items: 'of the next page' },
});
const skus = async (feed: string, records = 'items') =>
  (await read(feed, records)).found.map(([, value]) => (value as { sku: number }).sku);

describe('--records of a feed with several JSON documents', () => {
  const pages = [page(1, 2), page(), page(3), page(4, 5)];

  it('reads the array of each of them, on one line or several, whatever the chunks are', async () => {
    for (const indent of [undefined, 2])
      for (const between of ['\n', '', '\r\n\r\n']) {
        const feed = pages.map((one) => JSON.stringify(one, null, indent)).join(between);
        for (const step of [1, 3, 1_000]) {
          const { items, failure } = await read(feed, 'items', step);
          assert.isNull(failure);
          assert.deepEqual(
            items.map(({ value }) => value),
            [1, 2, 3, 4, 5].map((sku) => ({ sku })),
          );
        }
      }
    const { found } = await read('{"items":[\n{"a":1}]}\n{"x":"]}","items":[{"a":2},\n{"a":3}]}', 'items');
    assert.deepEqual(found, [
      [2, { a: 1 }],
      [3, { a: 2 }],
      [4, { a: 3 }],
    ]);
  });

  it('rejects each document without the array, and a feed in which none has it', async () => {
    const { found, failure } = await read(
      '{"a":1}\n{"items":[{"a":2}]}\n{"error":{"items":[]}}\n[]\n{"items":{}}',
      'items',
    );
    assert.isNull(failure);
    assert.deepEqual(found, [
      [1, 'record: the document has no array at items'],
      [2, { a: 2 }],
      [3, 'record: the document has no array at items'],
      [5, 'record: the document has no array at items'],
    ]);
    assert.strictEqual((await read('{"a":1}\n{"b":2}', 'items')).failure, 'The feed has no array at items.');
  });

  it('states the beginning and the line of a document without the array, whatever the chunks are', async () => {
    const large = JSON.stringify({ error: 'ü'.repeat(9_000) });
    const documents = ['{\n "error": "später",\n "codes": [1]\n}', '{"items":[\n{"a":1}\n]}', '[ ]', large];
    const feed = `\n${documents.join('\n')}`;
    for (const step of [1, 3, feed.length * 2]) {
      const { items } = await read(feed, 'items', step);
      assert.deepEqual(
        items.map(({ line, bytes, raw }) => [line, bytes, raw]),
        [
          [2, Buffer.byteLength(documents[0] ?? ''), documents[0]],
          [7, 9, { a: 1 }],
          [10, Buffer.byteLength(large), large.slice(0, 1_000)],
        ],
      );
    }
  });

  it('refuses text behind a document after the records before it', async () => {
    for (const behind of ['<html>504 Gateway Time-out</html>', 'null', '"x"', '2', ',', ']', '}']) {
      const { found, failure } = await read(`{"items":[{"a":1}],\n"b":1}\n${behind}`, 'items', 4);
      assert.deepEqual(found, [[1, { a: 1 }]]);
      assert.strictEqual(failure, 'Line 3: there is text after the end of the document.', behind);
    }
  });

  it('refuses a document that is cut off behind the array, and brackets that do not match', async () => {
    const failureOf = async (feed: string) => (await read(feed, 'items')).failure ?? '';
    assert.match(await failureOf('{"items":[{"a":1}]'), /ends inside the document that begins at line 1/);
    assert.match(
      await failureOf('{"items":[{"a":1}]}\n{"items":[{"a":1}],"b'),
      /begins at line 2: it was cut off/,
    );
    assert.match(await failureOf('{"items":[{"a":1}],\n"b":[}'), /Line 2: there is a \} that closes nothing/);
    assert.match(
      await failureOf('{"items":[{"a":1}},\n{"a":2}]}'),
      /Line 1: there is a \} behind an element/,
    );
    assert.match(await failureOf(`{"a":${'['.repeat(2_000)}`), /nested deeper than 1000 levels/);
  });

  it('finds names in any script, and with escapes', async () => {
    const feed = '{"zboží":[{"sku":1}]}{"zbo\\u017e\\u00ed":[{"sku":2}]}';
    assert.deepEqual(await skus(feed, 'zboží'), [1, 2]);
    assert.deepEqual((await read(feed, 'zboží', 1)).found.length, 2);
  });
});

describe('--records of arrays within arrays', () => {
  const shirt = {
    title: 'Shirt',
    variants: [
      { sku: 'S-1', size: 'M' },
      { sku: 'S-2', size: 'L' },
    ],
    brand: { name: 'Ono' },
  };
  const cap = { title: 'Cap', variants: [{ sku: 'C-1' }] };
  const parents = [
    { sku: 'S-1', size: 'M', '@parent': { title: 'Shirt', brand: { name: 'Ono' } } },
    { sku: 'S-2', size: 'L', '@parent': { title: 'Shirt', brand: { name: 'Ono' } } },
    { sku: 'C-1', '@parent': { title: 'Cap' } },
  ];
  const values = async (feed: unknown, records: string, step?: number) => {
    const { items, failure } = await read(
      typeof feed === 'string' ? feed : JSON.stringify(feed),
      records,
      step,
    );
    assert.isNull(failure);
    return items.map(({ value, error }) => error ?? value);
  };

  it('returns each nested record with its parent, in any number of documents and chunks', async () => {
    const feed = { products: [shirt, cap] };
    for (const step of [1, 50, 5_000])
      assert.deepEqual(await values(feed, 'products.variants', step), parents);
    assert.deepEqual(await values({ data: feed }, 'data.products.variants'), parents);
    assert.deepEqual(await values([shirt, cap], 'variants'), parents);
    const documents = [shirt, cap].map((one) => JSON.stringify({ products: [one] }, null, 1)).join('\n');
    assert.deepEqual(await values(documents, 'products.variants'), parents);
  });

  it('follows several arrays and the objects between them', async () => {
    const stores = [{ name: 'Oslo', range: { season: 'winter', products: [cap] } }];
    assert.deepEqual(await values({ stores }, 'stores.range.products.variants'), [
      { sku: 'C-1', '@parent': { title: 'Cap', '@parent': { name: 'Oslo', range: { season: 'winter' } } } },
    ]);
  });

  it('rejects an element without the array, by itself', async () => {
    const feed = `{"products":[\n${JSON.stringify(cap)},\n{"title":"Bag"},\n{"title":"Belt","variants":[]},\n7,\n{"variants":{}}]}`;
    const { found } = await read(feed, 'products.variants');
    const none = 'record: has no array at variants';
    assert.deepEqual(found, [
      [2, parents[2]],
      [3, none],
      [5, none],
      [6, none],
    ]);
  });

  it('returns the nested records of the last complete element of a feed that was cut off', async () => {
    const feed = JSON.stringify({ products: [shirt, cap] }).slice(0, -']}'.length);
    const { items, failure } = await read(feed, 'products.variants');
    assert.deepEqual(
      items.map(({ value }) => value),
      parents,
    );
    assert.strictEqual(failure, 'The feed ends before the array does: it was cut off.');
  });

  it('states the size and the raw form of each record by itself', async () => {
    const { items } = await read(JSON.stringify({ products: [shirt] }), 'products.variants');
    assert.deepEqual(
      items.map(({ raw }) => raw),
      parents.slice(0, 2),
    );
    assert.isBelow(
      items.reduce((sum, { bytes }) => sum + bytes, 0),
      JSON.stringify(shirt).length + 2,
    );
  });
});
