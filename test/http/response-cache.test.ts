import { assert } from 'chai';
import { ResponseCache } from '../../src/http/response-cache.js';
import { productsIndex } from '../../src/engine/indices.js';
import type { Answer } from '../../src/platform/answer.js';
import { contentVersion } from '../../src/engine/index-versions.js';
import { useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { until } from '../support/until.js';

describe('response cache', () => {
  let version: string;
  let found: number;
  let asked: number;
  let cache: ResponseCache;
  const make = (find: () => Promise<string>, busy = 0) => new ResponseCache(find, { busy, bytes: 10_000 });
  const find = () => {
    found += 1;
    return Promise.resolve(version);
  };
  beforeEach(() => {
    version = 'one';
    found = 0;
    asked = 0;
    cache = make(find);
  });
  const ask = (key = 'q', body: unknown = { n: 0 }) =>
    cache.answer(key, (): Answer => {
      asked += 1;
      return { body, event: { results: asked } };
    });
  const times = async (count: number, key?: string) => {
    for (let time = 0; time < count; time += 1) await ask(key);
  };

  it('are stored from the second request on, serialized and with their event', async () => {
    await ask();
    assert.deepEqual([asked, found], [1, 0], 'a single request costs nothing more');
    const second = await ask();
    const third = await ask();
    assert.equal(asked, 2);
    assert.equal(String(third.body), '{"n":0}');
    assert.deepEqual(third, second);
    assert.deepEqual(third.event, { results: 2 });
  });

  it('differ for another key', async () => {
    await times(3, 'a');
    await times(3, 'b');
    assert.equal(asked, 4);
  });

  it('are valid as long as the catalogue stays the same', async () => {
    await times(10);
    assert.equal(asked, 2);
    version = 'two';
    await times(10);
    assert.equal(asked, 3);
  });

  it('made while the catalogue changed are not used again', async () => {
    await ask();
    await cache.answer('q', () => {
      version = 'two';
      return { body: 'of the first' };
    });
    assert.equal(String((await ask()).body), '{"n":0}');
  });

  it('share a look-up of the version among waiting requests, but not one that began before they arrived', async () => {
    await times(2);
    const lookUps: ((version: string) => void)[] = [];
    cache = make(() => new Promise((resolve) => lookUps.push(resolve)));
    asked = 0;
    await ask();
    const first = ask();
    const others = [ask(), ask(), ask()];
    assert.lengthOf(lookUps, 1);
    lookUps[0]?.('one');
    await first;
    await until(() => lookUps.length > 1);
    assert.lengthOf(lookUps, 2, 'one look-up for three requests');
    lookUps[1]?.('two');
    await Promise.all(others);
    assert.equal(asked, 1 + 1 + 3, 'the requests arrived before the second version had an answer');
  });

  it('are not used if the version is unknown or takes too long', async () => {
    for (const fails of [
      () => Promise.reject(new Error('away')),
      () => new Promise<string>(() => undefined),
    ]) {
      cache = make(fails);
      asked = 0;
      await times(4);
      assert.equal(asked, 4);
    }
  });

  it('are not used while there is little load', async () => {
    cache = make(find, 3);
    await times(5);
    await Promise.all([ask(), ask()]);
    assert.deepEqual([asked, found], [7, 0]);
    for (let time = 0; time < 4; time += 1) await Promise.all([ask(), ask(), ask()]);
    assert.isBelow(asked, 7 + 4 * 3);
  });

  it('that failed are not stored', async () => {
    await ask();
    for (let time = 0; time < 2; time += 1) {
      const failing = cache.answer('q', () => Promise.reject(new Error('away')));
      assert.equal(await failing.catch((error: unknown) => (error as Error).message), 'away');
    }
    await times(2);
    assert.equal(asked, 2);
  });

  it('are evicted when there are too many, the least recently requested first', async () => {
    const body = 'x'.repeat(2_000);
    for (const key of ['a', 'b', 'a', 'b', 'c', 'c', 'a', 'd', 'd']) await ask(key, body);
    asked = 0;
    await ask('a', body);
    assert.equal(asked, 0);
    await ask('b', body);
    assert.equal(asked, 1);
  });

  it('that are requested once take no more than the limit', async () => {
    for (let i = 0; i < 1_000; i += 1) await ask(`q${i}`);
    const { entries, bytes } = cache.usage;
    assert.isAtMost(bytes, 10_000);
    assert.isAbove(bytes, 0);
    assert.isAtMost(entries, 20);
  });
});

describe('response cache of a catalogue that changes', () => {
  const api = useApi([record({ sku: 'a', name: 'Auralis kettle', price: 30 })]);

  /**
   * Sends so many requests at once that the response is cached, and asserts that all responses are equal. On a busy machine,
   * the service may refuse some of the requests.
   */
  const askAgain = async (path: string) => {
    const texts = new Set<string>();
    for (let time = 0; time < 3; time += 1) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => api.get(path)));
      for (const { status, text } of replies) if (status !== 503) texts.add(text);
    }
    const [text, ...others] = texts;
    assert.deepEqual(others, [], `the first response is ${text}`);
    return JSON.parse(text ?? '');
  };

  it('include loaded listings at once', async () => {
    const search = '/v1/search?q=kettle';
    const id = await api.id('a');
    assert.equal((await askAgain(search)).total, 1);
    assert.equal((await askAgain('/v1/products/trending')).total, 1);
    assert.lengthOf((await askAgain(`/v1/products/compare?product_id=${id}`)).matches, 0);
    const b = record({ sku: 'b', source: 'another_shop', name: 'Auralis kettle', price: 20 });
    await api.load([b]);
    assert.equal((await askAgain(search)).total, 2);
    assert.equal((await askAgain('/v1/products/trending')).total, 2);
    assert.lengthOf((await askAgain(`/v1/products/compare?product_id=${id}`)).matches, 1);
    assert.equal((await askAgain('/v1/products/best-price?q=kettle')).price, 20);
    await api.load([{ ...b, price: 10 }]);
    assert.equal((await askAgain('/v1/products/best-price?q=kettle')).price, 10);
  });

  it('notice a write even without searches', async () => {
    const { es, products } = api;
    await es.indices.putSettings({ index: products, settings: { 'index.search.idle.after': '0ms' } });
    const before = await contentVersion(es, [products]);
    const id = String(await api.id('a'));
    const changed = { index: products, id, doc: { name: 'Auralis teapot' } };
    await es.update(changed);
    await until(async () => (await contentVersion(es, [products])) !== before);
    assert.equal((await askAgain('/v1/search?q=teapot')).total, 1);
    await es.update({ ...changed, doc: { name: 'Auralis kettle' }, refresh: true });
  });

  it('belong to the index behind the alias, not to a former one', async () => {
    const search = '/v1/search?q=kettle';
    assert.equal((await askAgain(search)).total, 2);
    await api.es.indices.create({ index: `${api.products}-v9`, ...productsIndex });
    await api.es.indices.updateAliases({
      actions: [
        { remove: { index: `${api.products}-v1`, alias: api.products } },
        { add: { index: `${api.products}-v9`, alias: api.products } },
      ],
    });
    assert.equal((await askAgain(search)).total, 0);
  });
});
