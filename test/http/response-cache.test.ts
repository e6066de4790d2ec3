import { assert } from 'chai';
import { ResponseCache } from '../../src/http/response-cache.js';
import { productsIndex } from '../../src/engine/indices.js';
import type { Answer } from '../../src/platform/answer.js';
import { contentVersion } from '../../src/engine/content-version.js';
import { startApi, type Api } from '../support/api.js';
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
  const ask = (question = 'q', body: unknown = { n: 0 }) =>
    cache.answer(question, (): Answer => {
      asked += 1;
      return { body, event: { results: asked } };
    });
  const times = async (count: number, question?: string) => {
    for (let time = 0; time < count; time += 1) await ask(question);
  };

  it('are kept from the second time on, in bytes, with what their event tells', async () => {
    await ask();
    assert.deepEqual([asked, found], [1, 0], 'what is asked once costs nothing more');
    const second = await ask();
    const third = await ask();
    assert.equal(asked, 2);
    assert.equal(String(third.body), '{"n":0}');
    assert.deepEqual(third, second);
    assert.deepEqual(third.event, { results: 2 });
  });

  it('are another for another question', async () => {
    await times(3, 'a');
    await times(3, 'b');
    assert.equal(asked, 4);
  });

  it('are given as long as the catalogue is the same, and not once more', async () => {
    await times(10);
    assert.equal(asked, 2);
    version = 'two';
    await times(10);
    assert.equal(asked, 3);
  });

  it('that were made while the catalogue changed are not given again', async () => {
    await ask();
    await cache.answer('q', () => {
      version = 'two';
      return { body: 'of the first' };
    });
    assert.equal(String((await ask()).body), '{"n":0}');
  });

  it('are looked for once for all who wait, and never by a look that began before they came', async () => {
    await times(2);
    const looks: ((version: string) => void)[] = [];
    cache = make(() => new Promise((resolve) => looks.push(resolve)));
    asked = 0;
    await ask();
    const first = ask();
    const others = [ask(), ask(), ask()];
    assert.lengthOf(looks, 1);
    looks[0]?.('one');
    await first;
    await until(() => looks.length > 1);
    assert.lengthOf(looks, 2, 'one for the three');
    looks[1]?.('two');
    await Promise.all(others);
    assert.equal(asked, 1 + 1 + 3, 'they came before there was an answer of the second');
  });

  it('are asked for where nobody can tell, or not in time, what the catalogue is', async () => {
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

  it('are asked for, each time, while there is little to do', async () => {
    cache = make(find, 3);
    await times(5);
    await Promise.all([ask(), ask()]);
    assert.deepEqual([asked, found], [7, 0]);
    for (let time = 0; time < 4; time += 1) await Promise.all([ask(), ask(), ask()]);
    assert.isBelow(asked, 7 + 4 * 3);
  });

  it('that failed are not kept', async () => {
    await ask();
    for (let time = 0; time < 2; time += 1) {
      const failing = cache.answer('q', () => Promise.reject(new Error('away')));
      assert.equal(await failing.catch((error: unknown) => (error as Error).message), 'away');
    }
    await times(2);
    assert.equal(asked, 2);
  });

  it('give way to others when there are too many, those asked for longest ago first', async () => {
    const body = 'x'.repeat(2_000);
    for (const question of ['a', 'b', 'a', 'b', 'c', 'c', 'a', 'd', 'd']) await ask(question, body);
    asked = 0;
    await ask('a', body);
    assert.equal(asked, 0);
    await ask('b', body);
    assert.equal(asked, 1);
  });

  it('that nobody asks for twice leave no more than the bound', async () => {
    for (let i = 0; i < 1_000; i += 1) await ask(`q${i}`);
    const { questions, bytes } = cache.held;
    assert.isAtMost(bytes, 10_000);
    assert.isAbove(bytes, 0);
    assert.isAtMost(questions, 20);
  });
});

describe('response cache of a catalogue that changes', () => {
  let api: Api;
  before(async () => {
    api = await startApi();
    await api.load([record({ sku: 'a', name: 'Auralis kettle', price: 30 })]);
  });
  after(() => api.stop());

  /** So often, and so many at once, that answers are kept; all of them must be the same. */
  const askAgain = async (path: string) => {
    const texts = new Set<string>();
    for (let time = 0; time < 3; time += 1) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => api.get(path)));
      for (const { text } of replies) texts.add(text);
    }
    const [text, ...others] = texts;
    assert.lengthOf(others, 0);
    return JSON.parse(text ?? '');
  };

  it('show what a load brought, at once', async () => {
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

  it('see a write though nobody searches', async () => {
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

  it('are those of the index behind the alias, not of one that was', async () => {
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
