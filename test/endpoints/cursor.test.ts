import { assert } from 'chai';
import { createSealed } from '../../src/platform/sealed.js';
import type { Context } from '../../src/usecases/context.js';
import { sealCursor, readCursor } from '../../src/usecases/search/cursor.js';
import type { ApiError } from '../../src/platform/errors.js';
import { type Reply, useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { until } from '../support/until.js';

const COUNT = 300;
const listing = (i: number, fields = {}) =>
  record({
    sku: `s${i}`,
    name: `Lamp number ${i}`,
    price: `${1 + (i % 7)}.00`,
    category: 'Lamps',
    ...fields,
  });

describe('a search by cursor', () => {
  const api = useApi(Array.from({ length: COUNT }, (_, i) => listing(i)));

  const page = async (query: string, cursor: string, init: RequestInit = {}): Promise<Reply> =>
    api.get(`/v1/search?${query}&cursor=${encodeURIComponent(cursor)}`, init);

  /** Reads all pages of a search by cursor, and calls `between` before each further page. */
  async function walk(query: string, between: (at: number) => Promise<void> = async () => undefined) {
    const pages = [];
    let cursor: string | null = '';
    while (cursor !== null) {
      const { status, body, text } = await page(query, cursor);
      assert.equal(status, 200, text);
      pages.push(body);
      cursor = body.next_cursor;
      await between(pages.length);
    }
    return pages;
  }

  const openContexts = async () => {
    const { _all: all } = await api.es.indices.stats({ index: api.products, metric: 'search' });
    return all.total?.search?.open_contexts ?? 0;
  };

  for (const query of ['limit=40', 'q=lamp&limit=40&sort=price_desc', 'q=lamp+number&limit=40']) {
    it(`returns each listing once while others write: ${query}`, async () => {
      const pages = await walk(query, async (at) => {
        const changed = Array.from({ length: 20 }, (_, i) =>
          listing(20 * at + i, { description: `change ${at} of ${query}` }),
        );
        await api.load([
          ...changed,
          record({ sku: `new-${query}-${at}`, name: 'Lamp number new', source: 'shop_x' }),
        ]);
      });
      const items = pages.flatMap(
        ({ items: some }) => some as { id: number; sku: string; description: string }[],
      );
      const before = pages[0].total as number;
      assert.lengthOf(items, before);
      assert.equal(new Set(items.map(({ id }) => id)).size, before);
      assert.isTrue(
        pages.every(({ total }) => total === before),
        'one view',
      );
      assert.isFalse(
        items.some(({ description, sku }) => description?.endsWith(query) || sku.startsWith(`new-${query}`)),
      );
      pages.forEach(({ offset, has_more: more }, at) => {
        assert.equal(offset, 40 * at);
        assert.equal(more, at < pages.length - 1);
      });
      await until(async () => (await openContexts()) === 0);
    });
  }

  it('returns the same pages as offsets, with filters, facets and fields', async () => {
    for (const query of [
      'q=Lamp+number+7&limit=30',
      'sort=price_asc&limit=70&category=lamps&facets=price,source&fields=sku',
    ]) {
      const pages = await walk(query);
      const paged = [];
      for (let offset = 0; offset < pages[0].total; offset += pages[0].limit as number)
        paged.push((await api.get(`/v1/search?${query}&offset=${offset}`)).body);
      assert.deepEqual(
        pages.map(({ next_cursor: _, ...rest }) => rest),
        paged,
      );
    }
  });

  it('has no next page after the last listing, and allows another page size', async () => {
    const none = await page('q=zzzzqq', '');
    assert.isNull(none.body.next_cursor);
    assert.notProperty((await api.get('/v1/search')).body, 'next_cursor');
    const { body } = await page('limit=10&sort=newest', '');
    const next = await page('limit=3&sort=newest', body.next_cursor as string);
    assert.lengthOf(next.body.items, 3);
  });

  it('answers 422 to a damaged cursor and to one of other parameters', async () => {
    const { body } = await page('limit=10&q=lamp', '');
    const cursor = body.next_cursor as string;
    const other = cursor.at(-1) === 'A' ? 'B' : 'A';
    const wrong: [string, string][] = [
      ['limit=10&q=lamps', cursor],
      ['limit=10&q=lamp&brand=x', cursor],
      ['limit=10&q=lamp&sort=updated', cursor],
      ['limit=10&q=lamp&attr.a=x', cursor],
      ['limit=10', cursor],
      ['limit=10&q=lamp', `${cursor.slice(0, -1)}${other}`],
      ['limit=10&q=lamp', `${cursor}=`],
      ['limit=10&q=lamp', cursor.slice(0, 30)],
      ['limit=10&q=lamp', 'x'],
      ['limit=10&q=lamp', '%00'],
    ];
    for (const [query, text] of wrong) {
      const reply = await page(query, text);
      assert.equal(reply.status, 422, query);
      assert.deepEqual(reply.body.detail[0].loc, ['query', 'cursor']);
    }
    const offset = await page('limit=10&q=lamp&offset=5', cursor);
    assert.deepEqual(offset.body.detail[0].loc, ['query', 'offset']);
    assert.equal((await page('limit=10&q=lamp&offset=0', cursor)).status, 200);
  });

  it('closes the least recently used session of a free key that opens too many, and answers 410 to its cursor', async () => {
    const init = { headers: { authorization: `Bearer ${await api.key('free')}` } };
    const others = await openContexts();
    const cursors: string[] = [];
    for (let i = 0; i < 12; i += 1)
      cursors.push((await page('limit=10', '', init)).body.next_cursor as string);
    await until(async () => (await openContexts()) <= others + 5);
    const left = await page('limit=10', cursors[0] ?? '', init);
    assert.equal(left.status, 410);
    assert.isString(left.body.detail);
    assert.equal((await page('limit=10', cursors.at(-1) ?? '', init)).status, 200);
  });

  /** Without the check, each use of a cursor whose session is closed would close another session. */
  it('does not close another session when the cursor of a closed one is used', async () => {
    const init = { headers: { authorization: `Bearer ${await api.key('basic')}` } };
    const begin = async () => (await page('limit=10', '', init)).body.next_cursor as string;
    const others = await openContexts();
    const cursors: string[] = [];
    for (let i = 0; i < 6; i += 1) cursors.push(await begin());
    // The service closes the session after it has answered the request that opened one too many.
    await until(async () => (await openContexts()) <= others + 5);
    const [dead = '', ...live] = cursors;
    for (let round = 0; round < 3; round += 1) {
      assert.equal((await page('limit=10', dead, init)).status, 410);
      for (const cursor of live) assert.equal((await page('limit=10', cursor, init)).status, 200);
    }
  });

  it('expires, and distinguishes an expired cursor from an invalid one', () => {
    const sealed = createSealed(['x'.repeat(32)]);
    const query = { q: 'lamp', cursor: 'any', limit: 10 };
    const state = { id: 'a', pit: 'b', after: [1], seen: 10, began: 0, until: 1_000, schema: 7 };
    const at = (ms: number) => ({ sealed, now: () => new Date(ms) }) as unknown as Context;
    const cursor = sealCursor(sealed, { q: 'lamp' }, state);
    assert.equal(readCursor(at(999), query, cursor).seen, 10);
    const statusOf = (read: () => unknown) => {
      try {
        read();
      } catch (error) {
        return (error as ApiError).status;
      }
      return 200;
    };
    assert.equal(
      statusOf(() => readCursor(at(1_000), query, cursor)),
      410,
    );
    assert.equal(
      statusOf(() => readCursor(at(0), { ...query, q: 'x' }, cursor)),
      422,
    );
    const others = { ...at(0), sealed: createSealed(['y'.repeat(32)]) };
    assert.equal(
      statusOf(() => readCursor(others, query, cursor)),
      422,
    );
    const renewed = { ...at(0), sealed: createSealed(['y'.repeat(32), 'x'.repeat(32)]) };
    assert.equal(
      statusOf(() => readCursor(renewed, query, cursor)),
      200,
    );
  });
});
