// Chaos too (oracles): npm test exports half of the listings.
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { assert } from 'chai';
import { parse } from 'csv-parse/sync';
import { readFeed } from '../../src/feeds/read/feed.js';
import { loadRecords } from '../../src/usecases/ingest/load-records.js';
import { PRODUCT_FIELDS } from '../../src/schemas/product.js';
import { useApi } from '../support/api.js';
import { isChaos } from '../support/chaos.js';
import { assertSorted, record } from '../support/listings.js';
import { until } from '../support/until.js';

/** Texts of feeds that cause errors in file formats and spreadsheets. */
const HOSTILE = [
  '=HYPERLINK("http://evil.example","x")',
  '+1-800',
  '-2+3',
  '@SUM(A1)',
  "'=already guarded",
  "'plain apostrophe",
  '\ttab first',
  'comma, "quote" and\r\nline\nbreaks',
  '<script>alert(1)</script> &amp; &lt;b&gt;',
  'right-to-left \u202e mark and \u200f',
  'emoji 👩‍🚀 and 中文耳机',
  'null',
  '[1,2]',
];

/** The number of listings besides these. It exceeds the pages in which they are exported. */
const BULK = isChaos ? 2_500 : 1_300;

describe('GET /v1/products/export', () => {
  const api = useApi([
    ...HOSTILE.map((name, i) =>
      record({
        sku: `x${i}`,
        name,
        description: `${name} `,
        metadata: { name, nested: [1, null, { a: name }] },
        category_path: ['A, "B"', name],
      }),
    ),
    ...Array.from({ length: BULK }, (_, i) =>
      record({ sku: `p${i}`, source: 'shop_b', price: `${i + 1}.05`, category: 'Bulk' }),
    ),
  ]);

  const json = async (query: string) =>
    (await api.get(`/v1/products/export?${query}`)).body as Record<string, unknown>[];

  it('returns an array sorted by id, with the total and a link to the next request', async () => {
    const { status, headers, body } = await api.get('/v1/products/export?source=shop_b&limit=1200');
    assert.equal(status, 200);
    assert.equal(headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(headers.get('x-total-count'), String(BULK));
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename=".*\.json"$/);
    assert.lengthOf(body, 1_200);
    const ids = body.map(({ id }: { id: number }) => id);
    assertSorted(ids, 'ascending');

    const seen = new Set<number>(ids);
    let link = headers.get('link');
    while (link !== null) {
      const next = /^<http:\/\/catalogue\.example(.+)>; rel="next"$/.exec(link)?.[1];
      const page = await api.get(next ?? '');
      for (const { id } of page.body) seen.add(id);
      link = page.headers.get('link');
    }
    assert.equal(seen.size, BULK);
    const whole = await api.get(`/v1/products/export?source=shop_b&limit=${BULK}`);
    assert.isNull(whole.headers.get('link'), 'nothing is left');
  });

  it('returns the same Product as every other endpoint', async () => {
    for (const listing of await json('source=shop_a&limit=100')) {
      assert.deepEqual((await api.get(`/v1/products/${String(listing.id)}`)).body, listing);
    }
  });

  it('filters, and accepts any offset', async () => {
    assert.lengthOf(await json('min_price=10&max_price=12.05'), HOSTILE.length + 3);
    assert.lengthOf(await json('category=bulk&limit=10000'), BULK);
    for (const offset of ['1000001', '2147483647', '99999999999999999999']) {
      assert.deepEqual(await json(`offset=${offset}`), [], offset);
    }
    const [all, part] = await Promise.all([json('limit=2000'), json('limit=7&offset=1234')]);
    assert.deepEqual(part, all.slice(1_234, 1_241));
  });

  it('returns CSV from which a strict reader restores the same values', async () => {
    const { headers, text } = await api.get('/v1/products/export?format=csv&source=shop_a');
    assert.match(headers.get('content-type') ?? '', /^text\/csv/);
    assert.isTrue(text.endsWith('\r\n'));
    const rows = parse(text, { record_delimiter: '\r\n', columns: true }) as Record<string, string>[];
    assert.deepEqual(Object.keys(rows[0] ?? {}), [...PRODUCT_FIELDS]);
    const listings = await json('source=shop_b&platform=shop_a');
    assert.lengthOf(rows, listings.length);
    rows.forEach((row, i) => {
      const listing = listings[i] ?? {};
      for (const [field, cell] of Object.entries(row)) {
        const value = listing[field];
        assert.notMatch(field === 'id' ? '' : cell, /^[=+\-@\t\r]/, field);
        if (value === null) assert.equal(cell, '', field);
        else if (field === 'metadata' || Array.isArray(value))
          assert.deepEqual(JSON.parse(cell), value, field);
        else assert.equal(cell.replace(/^'(?='*[=+\-@\t\r])/, ''), String(value), field);
      }
    });
  });

  for (const format of ['json', 'ndjson', 'csv']) {
    it(`loads again from ${format} to the same catalogue`, async () => {
      const { text } = await api.get(`/v1/products/export?limit=10000&format=${format}`);
      const summary = await loadRecords({
        es: api.es,
        indexPrefix: api.prefix,
        records: readFeed(Readable.from([text])),
      });
      assert.equal(summary.read, HOSTILE.length + BULK);
      assert.equal(summary.unchanged, summary.read, JSON.stringify(summary));
    });
  }

  it('answers 422 to an unknown format and to limits that are out of range', async () => {
    assert.equal((await api.get('/v1/products/export?format=xml')).body.detail[0].type, 'literal_error');
    assert.equal((await api.get('/v1/products/export?limit=10001')).status, 422);
    assert.equal((await api.get('/v1/products/export?limit=0')).status, 422);
  });

  /** Returns the number of open search contexts on the index of this test. */
  const openContexts = async () => {
    const { _all: all } = await api.es.indices.stats({ index: api.products, metric: 'search' });
    return all.total?.search?.open_contexts;
  };

  it('leaves no point in time open after a complete response, a HEAD request or a disconnect', async () => {
    await json('limit=10000');
    await api.get('/v1/products/export?limit=10000', { method: 'HEAD' });
    const key = await api.key();
    for (let i = 0; i < 5; i += 1) {
      const socket = connect(Number(new URL(api.url).port), '127.0.0.1');
      socket.write(
        `GET /v1/products/export?limit=10000 HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n\r\n`,
      );
      await new Promise((resolve) => socket.once('data', resolve));
      socket.destroy();
    }
    await until(async () => (await openContexts()) === 0);
  });
});
