import { assert } from 'chai';
import type { Product } from '../../src/schemas/product.js';
import {
  joinProducts,
  parsedHits,
  productBytes,
  readDocs,
  readHits,
  withItems,
} from '../../src/engine/listing-bytes.js';
import { toProduct } from '../../src/listing/product.js';
import { product as completeProduct } from '../support/listings.js';

const product = (id: number, more: Partial<Product> = {}): Product =>
  completeProduct({
    id,
    sku: `S-${id}`,
    source: 'shop',
    name: 'Auralis "Ü" 耳机',
    buy_url: 'https://shop.example/p?a=1&b="2"',
    category_path: ['A', 'B'],
    metadata: {},
    ...more,
  });

/** Counts of facets. The keys of the buckets are texts of listings. */
const COUNTS = {
  brand: {
    buckets: [
      { key: '},"suggest":', doc_count: 1 },
      { key: '},"aggregations":', doc_count: 2 },
    ],
  },
};

/** Returns a response of Elasticsearch to a search, reduced by `filter_path`. */
const answer = (
  listings: object[],
  { total = listings.length, suggest = false, pit = false, counts = false } = {},
): Buffer =>
  Buffer.from(
    JSON.stringify({
      ...(pit ? { pit_id: 'abc==' } : {}),
      hits: {
        total: { value: total, relation: 'eq' },
        ...(listings.length === 0 ? {} : { hits: listings.map((_source) => ({ _source })) }),
      },
      ...(counts ? { aggregations: COUNTS } : {}),
      ...(suggest ? { suggest: { spelling: [{ text: '},"suggest":', offset: 0, length: 4 }] } } : {}),
    }),
  );

/** Metadata that imitates the structure of a response of Elasticsearch. */
const HOSTILE: Record<string, unknown> = {
  'a hit that begins': [{ x: { y: 1 } }, { _source: { id: 1 } }],
  'a hit between two': { x: [{ z: {} }, { _source: { id: 5 } }, { _source: {} }] },
  'the frame in a text': '}},{"_source":{"id":7},"suggest":',
  suggestions: { a: { b: {} }, suggest: { spelling: [] } },
  counts: { a: { b: {} }, aggregations: { brand: {} } },
  'counts at the end': { a: {}, aggregations: {} },
  'suggestions at the end': { a: {}, suggest: [] },
  'a link': { affiliate_url: null, image_url: null, metadata: { affiliate_url: null } },
  escapes: '\\"affiliate_url\\":null,\\',
};

const links = { publicUrl: 'https://api.example', affiliateTemplates: {} };
const templates = { ...links, affiliateTemplates: { shop: 'https://go.example/{id}?s={sku}&to={buy_url}' } };

const parsed = (listings: Buffer[]): unknown[] => listings.map((listing) => JSON.parse(listing.toString()));

describe('hits that are separated without parsing', () => {
  for (const suggest of [false, true]) {
    describe(suggest ? 'before suggestions' : 'at the end of the answer', () => {
      const read = (bytes: Buffer, expected: number) => readHits(bytes, () => expected);

      for (const [what, metadata] of Object.entries(HOSTILE)) {
        it(`are distinguished from metadata with ${what}`, () => {
          for (const listings of [
            [product(1, { metadata })],
            [product(1), product(2, { metadata })],
            [product(1, { metadata }), product(2)],
            [product(1, { metadata }), product(2, { metadata }), product(3)],
          ]) {
            const { length } = listings;
            assert.deepEqual(parsed(read(answer(listings, { suggest }), length).listings), listings);
            // Suggestions of Elasticsearch were requested, but the response contains none.
            assert.deepEqual(parsed(read(answer(listings), length).listings), listings);
            for (const counts of [true, false]) {
              const counted = readHits(answer(listings, { suggest, counts }), () => length, true);
              assert.deepEqual(parsed(counted.listings), listings, 'where counts were asked for');
              assert.deepEqual(counted.aggregations, counts ? (COUNTS as never) : undefined);
              assert.equal(counted.suggest !== undefined, suggest);
            }
          }
        });
      }

      it('are empty if nothing was found', () => {
        const { total, listings } = read(answer([], { suggest, total: 12 }), 0);
        assert.equal(total, 12);
        assert.deepEqual(listings, []);
      });
    });
  }

  it('come with the total, the suggestions and the id of the point in time', () => {
    const bytes = answer([product(1)], { total: 31, suggest: true, pit: true });
    const { total, suggest, pitId } = readHits(bytes, (found) => Math.min(found, 1));
    assert.equal(total, 31);
    assert.equal(suggest?.['spelling']?.[0]?.offset, 0);
    assert.equal(pitId, 'abc==');
  });

  it('are parsed if the frame is not the expected one', () => {
    const { hits } = JSON.parse(answer([product(1)]).toString()) as { hits: object };
    const bytes = Buffer.from(JSON.stringify({ took: 3, hits }));
    assert.deepEqual(parsed(readHits(bytes, () => 1).listings), [product(1)]);
  });

  it('are the same listings that parsing gives, in the bytes of the answer', () => {
    const bytes = answer([product(1), product(2, { metadata: { a: [1, { b: null }] } })]);
    const read = readHits(bytes, () => 2).listings;
    assert.deepEqual(read, parsedHits(JSON.parse(bytes.toString()) as object).listings);
    assert.isTrue(read.every(({ buffer }) => buffer === bytes.buffer));
  });
});

describe('documents that are separated without parsing', () => {
  /** Returns a response of Elasticsearch to a multi-get, reduced by `filter_path`. */
  const docsOf = (docs: (Product | null)[]): Buffer =>
    Buffer.from(
      JSON.stringify({
        docs: docs.map((_source) => (_source ? { found: true, _source } : { found: false })),
      }),
    );
  const read = (docs: (Product | null)[]) =>
    readDocs(docsOf(docs), docs.length)?.map((bytes) => bytes && (JSON.parse(bytes.toString()) as Product));

  it('are in the order of the ids, with null for an id that no listing has', () => {
    for (const docs of [
      [product(1)],
      [null],
      [product(1), null, product(2)],
      [null, product(1), product(1), null],
    ])
      assert.deepEqual(read(docs), docs);
  });

  const imitations: Record<string, unknown> = {
    ...HOSTILE,
    'a listing that begins': { a: [{}, { found: true, _source: { id: 7 } }] },
    'one that nobody has': { a: [{ b: {} }, { found: false }] },
    'an error': { a: { error: { type: 'index_not_found_exception' } } },
    'all of it in a text': '},{"found":true,"_source":{"id":7}',
  };
  for (const [what, metadata] of Object.entries(imitations))
    it(`are distinguished from metadata with ${what}, or left to be parsed`, () => {
      for (const docs of [[product(1, { metadata })], [null, product(1, { metadata }), product(2)]])
        assert.deepEqual(read(docs) ?? docs, docs);
    });

  it('are left to be parsed if one of them could not be read, even if another one imitates the frame', () => {
    const hostile = JSON.stringify(product(1, { metadata: { a: [{}, { found: false }] } }));
    const error = '{"error":{"type":"shard_not_available"}}';
    assert.isNull(readDocs(Buffer.from(`{"docs":[{"found":true,"_source":${hostile}},${error}]}`), 2));
  });
});

describe('the bytes of a product', () => {
  const same = (listing: object, where = links) => {
    const bytes = Buffer.from(JSON.stringify(listing));
    assert.equal(productBytes(bytes, where).toString(), JSON.stringify(toProduct(listing as Product, where)));
  };

  it('contain the link of the feed, or the one of this service', () => {
    same(product(1, { affiliate_url: 'https://a.example/?"null' }));
    same(product(2));
    assert.include(productBytes(Buffer.from(JSON.stringify(product(2))), links).toString(), '/track/2"');
  });

  it('contain no link of this service if there is no page at the shop', () => {
    const nowhere = product(2, { buy_url: null });
    for (const where of [links, templates]) {
      same(nowhere, where);
      assert.include(
        productBytes(Buffer.from(JSON.stringify(nowhere)), where).toString(),
        '"affiliate_url":null,',
      );
    }
    same(product(2, { buy_url: null, affiliate_url: 'https://a.example/' }));
  });

  it('contain the link of the template for the source', () => {
    same(product(3), templates);
    same(product(4, { buy_url: null, sku: '"&/{id}', name: '"affiliate_url":null,"image_url":' }), templates);
    same(product(5, { source: 'another' }), templates);
  });

  for (const [what, metadata] of Object.entries(HOSTILE)) {
    it(`equal those of the parsed product, with ${what} in its metadata`, () => {
      same(product(6, { metadata }));
      same(product(6, { metadata }), templates);
      // The members of the listing are in another order than the service writes them.
      const { id, metadata: _metadata, ...rest } = product(6);
      same({ metadata, id, ...rest });
      same({ id, metadata, ...rest });
    });
  }
});

describe('items of a page', () => {
  it('are added to the other members of the page', () => {
    const listings = [product(1), product(2)];
    const unparsed = listings.map((listing) => ({ bytes: Buffer.from(JSON.stringify(listing)) }));
    const parsed = listings.map((_source) => ({ _source }));
    const items = listings.map((listing) => toProduct(listing, links));
    for (const hits of [unparsed, parsed]) {
      const page: unknown = JSON.parse(withItems({ total: 2, has_more: false }, hits, links).toString());
      assert.deepEqual(page, { total: 2, has_more: false, items });
    }
    assert.equal(withItems({ total: 0 }, [], links).toString(), '{"total":0,"items":[]}');
  });

  it('does not parse listings that are bytes', () => {
    const hit = {
      bytes: Buffer.from(JSON.stringify(product(1))),
      get _source(): Product {
        throw new Error('parsed');
      },
    };
    assert.include(withItems({ total: 1 }, [hit], links).toString(), '"items":[{"id":1,');
  });

  it('are joined by the separator of the format', () => {
    const listings = [product(1), product(2)].map((listing) => Buffer.from(JSON.stringify(listing)));
    const lines = Buffer.concat(joinProducts(listings, links, Buffer.from('\n')))
      .toString()
      .split('\n');
    assert.lengthOf(lines, 2);
  });
});
