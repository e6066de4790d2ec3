import { assert } from 'chai';
import { main as reindex } from '../../scripts/reindex.js';
import { main as withdraw } from '../../scripts/withdraw.js';
import { Backoff } from '../../src/engine/backoff.js';
import { readListings, storeListings } from '../../src/engine/listing-store.js';
import { readCursor, toCursor } from '../../src/products/changes/cursor.js';
import type { ChangePosition } from '../../src/products/changes/position.js';
import { type Api, itRefuses, useApi } from '../support/api.js';
import { run } from '../support/command.js';
import { moveToSchema } from '../support/earlier-schema.js';
import { pluck, record } from '../support/listings.js';

const CHANGES = '/v1/changes';

interface Page {
  items: { id: number; kinds: string[]; at: string; product?: Record<string, unknown> | null }[];
  cursor: string;
  has_more: boolean;
  resync: boolean;
}

const read = (api: Api, cursor: string, more = ''): Promise<Page> =>
  api.ok(`${CHANGES}?cursor=${cursor}${more}`) as Promise<Page>;
const fromNow = async (api: Api): Promise<string> => ((await api.ok(CHANGES)) as Page).cursor;

/** Runs a command that must succeed on the catalogue of the service. */
async function command(api: Api, main: typeof reindex, ...args: string[]): Promise<void> {
  await commandWith({}, api, main, ...args);
}

async function commandWith(
  more: NodeJS.ProcessEnv,
  api: Api,
  main: typeof reindex,
  ...args: string[]
): Promise<void> {
  const env = { INDEX_PREFIX: api.prefix, EVENTS: 'off', ...more };
  const { code, err, out } = await run(main, args, { env });
  assert.strictEqual(code, 0, out + err);
}

/** Changes a cursor in a way that a client can: anybody can make one. */
function forged(cursor: string, change: Partial<ChangePosition>): string {
  const position = readCursor(cursor);
  assert(position);
  return toCursor({ ...position, ...change });
}

describe('GET /v1/changes', () => {
  const api = useApi([record({ sku: 'old' })]);
  let cursor = '';
  const next = async (more = ''): Promise<Page> => {
    const page = await read(api, cursor, more);
    ({ cursor } = page);
    return page;
  };
  const kinds = async (more = ''): Promise<unknown> =>
    (await next(more)).items.map(({ kinds: of, product }) => [product?.['sku'] ?? null, ...of]);
  before(async () => {
    cursor = await fromNow(api);
  });

  it('reports nothing that was there before, and then each change with its kinds', async () => {
    assert.deepEqual(await kinds(), []);
    await api.load([record({ sku: 'a' })]);
    assert.deepEqual(await kinds(), [['a', 'new']]);
    await api.load([record({ sku: 'a', price: '9.00' })]);
    assert.deepEqual(await kinds(), [['a', 'price']]);
    await api.load([record({ sku: 'a', price: '9.00', is_available: true, description: 'x' })]);
    assert.deepEqual(await kinds(), [['a', 'stock', 'content']]);
    await api.load([record({ sku: 'a', price: '9.00', is_available: true, description: 'x' })]);
    assert.deepEqual(await kinds(), []);
  });

  it('returns the listing as GET /v1/products/{id} does, or its id alone', async () => {
    const before = cursor;
    await api.load([record({ sku: 'b', buy_url: 'https://shop.example/b' })]);
    const page = await next();
    const product = (await api.ok(`/v1/products/${await api.id('b')}`)) as object;
    assert.deepEqual(page.items[0]?.product, product as Record<string, unknown>);
    assert.hasAllKeys((await read(api, before, '&view=ids')).items[0], ['id', 'kinds', 'at']);
  });

  it('reports a change of the product that a listing belongs to', async () => {
    const backoff = new Backoff({});
    const [over = null] = await readListings(api.es, api.products, [await api.id('b')], backoff);
    assert(over);
    const listing = { ...over.listing, internal: { ...over.listing.internal, group_id: 77 } };
    assert.deepEqual(await storeListings(api.es, api.products, [{ listing, over }], backoff), ['written']);
    assert.deepEqual(await kinds(), [['b', 'group']]);
  });

  it('reports all kinds since the cursor once, however often a listing was written', async () => {
    await api.load([record({ sku: 'c' })]);
    await api.load([record({ sku: 'c', price: '8.00' })]);
    const before = cursor;
    assert.deepEqual(await kinds(), [['c', 'new', 'price']]);
    await api.load([record({ sku: 'c', price: '8.00', is_available: false })]);
    assert.deepEqual(await kinds(), [['c', 'stock']]);
    cursor = before;
    assert.deepEqual(await kinds(), [['c', 'new', 'price', 'stock']]);
  });

  it('filters by source and by kind', async () => {
    await api.load([
      record({ sku: 'd' }),
      record({ sku: 'd', source: 'shop_b' }),
      record({ sku: 'c', price: '7.00' }),
    ]);
    const before = cursor;
    const found = async (more: string) => {
      cursor = before;
      return ((await kinds(more)) as string[][]).map(([sku]) => sku).sort();
    };
    assert.deepEqual(await found('&source=SHOP_B'), ['d']);
    assert.deepEqual(await found('&kinds=price'), ['c']);
    assert.deepEqual(await found('&kinds=new,withdrawn'), ['d', 'd']);
    assert.deepEqual(await found('&kinds='), ['c', 'd', 'd']);
  });

  it('reports a listing that leaves a category, and no other listing outside of it', async () => {
    await api.load([
      record({ sku: 'tv', category: 'Televisions' }),
      record({ sku: 'e', category: 'Kettles' }),
    ]);
    assert.deepEqual(await kinds('&category=television'), [['tv', 'new']]);
    await api.load([
      record({ sku: 'tv', category: 'Screens' }),
      record({ sku: 'e', category: 'Kettles', price: '5.00' }),
    ]);
    const { items } = await next('&category=television');
    assert.deepEqual(pluck(items, 'id', 'product'), [[await api.id('tv'), null]]);
    await api.load([record({ sku: 'tv', category: 'Screens', price: '5.00' })]);
    assert.deepEqual(await kinds('&category=television'), []);
  });

  it('reports withdrawn listings, unless they were loaded again', async () => {
    await api.load([record({ sku: 'w1', source: 'gone' }), record({ sku: 'w2', source: 'gone' })]);
    const [w1, w2] = [await api.id('w1'), await api.id('w2')];
    await next();
    await command(api, withdraw, '--source', 'gone');
    const before = cursor;
    const { items } = await next();
    assert.sameDeepMembers(pluck(items, 'id', 'kinds', 'product'), [
      [w1, ['withdrawn'], null],
      [w2, ['withdrawn'], null],
    ]);
    assert.deepEqual((await next()).items, []);
    await api.load([record({ sku: 'w2', source: 'gone' })]);
    cursor = before;
    const again = (await next('&source=gone')).items;
    assert.deepEqual(pluck(again, 'id', 'kinds'), [
      [w2, ['new']],
      [w1, ['withdrawn']],
    ]);
  });

  it('reports a withdrawal only where the filter by category may have found the listing', async () => {
    const listing = { source: 'closed', category: 'Émail Cook’s Pots', category_path: ['Home', 'Kitchen'] };
    await api.load([record({ sku: 'pot', ...listing }), record({ sku: 'moved', ...listing })]);
    await api.load([record({ sku: 'moved', source: 'closed', category: 'Pans' })]);
    const [pot, moved] = [await api.id('pot'), await api.id('moved')];
    await next();
    await command(api, withdraw, '--source', 'closed');
    const before = cursor;
    const withdrawn = async (category: string) => {
      cursor = before;
      return pluck((await next(`&category=${encodeURIComponent(category)}`)).items, 'id');
    };
    for (const category of ['émail', 'ÉMAIL C', "cook's pots", 'home > kitchen', 'Kitchen >'])
      assert.sameMembers(await withdrawn(category), [pot, moved], category);
    for (const category of ['television', 'garden > kitchen', 'home > pots'])
      assert.deepEqual(await withdrawn(category), [moved], category);
  });

  it('begins with all listings, whatever kinds of change are wanted, and then filters', async () => {
    let page = (await api.ok(`${CHANGES}?from=start&kinds=price&limit=1000`)) as Page;
    const { count } = await api.es.count({ index: api.products });
    assert.lengthOf(page.items, count);
    await api.load([record({ sku: 'old', price: '2.00' }), record({ sku: 'late' })]);
    page = await read(api, page.cursor, '&kinds=price');
    assert.deepEqual(pluck(page.items, 'id', 'kinds'), [[await api.id('old'), ['price']]]);
  });

  it('pages through the whole catalogue from the start, and then through its changes', async () => {
    const all = new Set<number>();
    let page = (await api.ok(`${CHANGES}?from=start&limit=2`)) as Page;
    for (;;) {
      assert.isAtMost(page.items.length, 2);
      for (const { id, kinds: of } of page.items) {
        assert.deepEqual(of, ['new']);
        all.add(id);
      }
      if (!page.has_more) break;
      page = await read(api, page.cursor, '&limit=2');
    }
    const { count } = await api.es.count({ index: api.products });
    assert.strictEqual(all.size, count);
    await api.load([record({ sku: 'old', price: '3.00' })]);
    page = await read(api, page.cursor);
    assert.deepEqual(pluck(page.items, 'kinds'), [['price']]);
  });

  it('waits for a change, also for several clients, and answers as soon as it comes', async () => {
    await next();
    const waiting = [1, 2, 3].map(() => read(api, cursor, '&wait=25'));
    await api.load([record({ sku: 'awaited' })]);
    for (const { items } of await Promise.all(waiting)) assert.deepEqual(pluck(items, 'kinds'), [['new']]);
    await next();
    const { items, has_more } = await next('&wait=1');
    assert.deepEqual([items, has_more], [[], false]);
  });

  it('limits the requests of a key that wait', async () => {
    const headers = { authorization: `Bearer ${await api.key('free')}` };
    const url = `${CHANGES}?cursor=${await fromNow(api)}&wait=25`;
    const asked = Array.from({ length: 6 }, () => api.open(url, { headers }));
    assert.strictEqual((await Promise.race(asked)).status, 429);
    await api.load([record({ sku: 'answers those that wait' })]);
    const replies = await Promise.all(asked);
    assert.deepEqual(replies.map(({ status }) => status).sort(), [200, 200, 200, 200, 200, 429]);
  });

  itRefuses(api, CHANGES, {
    'cursor=x': ['cursor', 'value_error'],
    'limit=1001': ['limit', 'less_than_equal'],
    'wait=26': ['wait', 'less_than_equal'],
    'kinds=price,none': ['kinds', 'literal_error'],
    'from=end': ['from', 'literal_error'],
    'view=some': ['view', 'literal_error'],
  });

  it('answers 422 to cursors of other catalogues and to mangled ones, 410 to old ones', async () => {
    const status = async (of: string, more = '') => (await api.get(`${CHANGES}?cursor=${of}${more}`)).status;
    const now = await fromNow(api);
    assert.strictEqual(await status(now), 200);
    assert.strictEqual(await status(now, '&from=start'), 422);
    assert.strictEqual(
      await status(`${now.slice(0, 20)}${now[20] === 'x' ? 'y' : 'x'}${now.slice(21)}`),
      422,
    );
    assert.strictEqual(await status(now.slice(0, -4)), 422);
    assert.strictEqual(await status(forged(now, { index: 'other-products-v1' })), 422);
    assert.strictEqual(await status(forged(now, { uuid: 'other' })), 422);
    assert.strictEqual(await status(forged(now, { time: Date.now() - 31 * 86_400_000 })), 410);
    assert.strictEqual(await status(forged(now, { shards: [] })), 410);
    assert.strictEqual(await status(forged(now, { shards: [{ seq: 1e9, seen: 1e9, base: 1e9 }] })), 410);
    assert.strictEqual(await status(forged(now, { index: `${api.products}-v77` })), 410);
    const { body } = await api.get(`${CHANGES}?cursor=${forged(now, { time: 0 })}`);
    assert.match(body.detail, /from=start/);
  });

  it('goes on after a reindex and a rollback, and repeats what may have been missed', async () => {
    await next();
    const asleep = cursor;
    await api.load([record({ sku: 'moved' })]);
    await command(api, reindex);
    await api.load([record({ sku: 'moved', price: '2.00' })]);
    const page = await next();
    assert.isTrue(page.resync);
    const moved = page.items.find(({ product }) => product?.['sku'] === 'moved');
    assert.includeMembers(moved?.kinds ?? [], ['new', 'price']);
    assert.strictEqual(moved?.product?.['price'], '2.00');
    while ((await next()).has_more);
    await api.load([record({ sku: 'moved', price: '1.00' })]);
    const later = await next();
    assert.isFalse(later.resync);
    assert.deepEqual(pluck(later.items, 'kinds'), [['price']]);

    await command(api, reindex, '--rollback');
    const back = await next();
    assert.isTrue(back.resync);
    cursor = asleep;
    const skipped = await next();
    assert.strictEqual(
      skipped.items.find(({ product }) => product?.['sku'] === 'moved')?.product?.['price'],
      '1.00',
    );
  });
});

describe('GET /v1/changes after a reindex into another number of shards', () => {
  const api = useApi();
  const read = (cursor: string, limit = 1_000): Promise<Page> =>
    api.ok(`${CHANGES}?limit=${limit}&${cursor}`) as Promise<Page>;

  it('says on every page that repeats something that it does, also to readers who were not done', async () => {
    await api.load(Array.from({ length: 30 }, (_, at) => record({ sku: `s${at}` })));
    const begun = await read('from=start', 10);
    let done = begun;
    while (done.has_more) done = await read(`cursor=${done.cursor}`);
    await commandWith({ INDEX_SHARDS: '3' }, api, reindex);

    for (const [name, cursor] of Object.entries({ begun: begun.cursor, done: done.cursor })) {
      const pages: Page[] = [];
      for (let page = await read(`cursor=${cursor}`, 10); ; page = await read(`cursor=${page.cursor}`, 10)) {
        pages.push(page);
        if (!page.has_more) break;
      }
      const repeating = pages.filter(({ items }) => items.length > 0);
      assert.isAtLeast(repeating.length, 3, name);
      for (const { resync } of repeating) assert.isTrue(resync, name);
      assert.lengthOf(new Set(pages.flatMap(({ items }) => pluck(items, 'id'))), 30, name);
      const last = await read(`cursor=${pages.at(-1)?.cursor}`);
      assert.deepInclude(last, { items: [], resync: false, has_more: false }, name);
      await api.load([record({ sku: 's1', price: name === 'begun' ? '7.00' : '8.00' })]);
      const next = await read(`cursor=${last.cursor}`);
      assert.deepEqual([pluck(next.items, 'kinds'), next.resync], [[['price']], false], name);
    }
  });
});

describe('GET /v1/changes with an index of an earlier schema', () => {
  const api = useApi();
  it('answers 503 with the way to change that', async () => {
    await moveToSchema(api, 7);
    const { status, body } = await api.get(CHANGES);
    assert.strictEqual(status, 503);
    assert.match(body.detail, /npm run reindex/);
  });
});
