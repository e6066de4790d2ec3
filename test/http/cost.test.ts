import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { assert } from 'chai';
import { Redis } from 'ioredis';
import { startApi, type Api } from '../support/api.js';
import { record } from '../support/listings.js';
import { startProxy, type Proxy } from '../support/proxy.js';
import { monitorOf } from '../support/redis-monitor.js';
import { elasticsearchUrl, redisUrl } from '../support/services.js';

/** The number of times that a request is sent if the service sends more requests to Elasticsearch than expected. */
const TRIES = 5;

describe('the dependencies of a request', () => {
  let proxy: Proxy;
  let api: Api;
  let monitor: Redis;
  let redis: Redis;
  let id: number;
  let commands: string[] = [];
  before(async () => {
    proxy = await startProxy(elasticsearchUrl);
    api = await startApi({ ELASTICSEARCH_URL: proxy.url });
    // The number of listings is sufficient for `match=auto`. With fewer, a search would also look for
    // listings with some of its words.
    await api.load(
      Array.from({ length: 20 }, (_, at) =>
        record({
          sku: at === 0 ? 'a' : `a${at}`,
          // If the listings of one source filled a page, those of other sources would be searched for as well.
          source: `shop_${at % 4}`,
          name: 'Auralis headphones',
          category: 'Headphones',
          metadata: { colour: 'black' },
        }),
      ),
    );
    id = await api.id('a');
    // The first request loads the script of the rate limit counter into Redis.
    await api.get('/v1');
    redis = new Redis(redisUrl);
    monitor = await monitorOf(redis);
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      // Commands that a script runs inside Redis are not counted, because they need no round trip.
      if (source !== 'lua' && args.slice(1).some((arg) => arg.startsWith(`${api.prefix}:`)))
        commands.push(args[0] ?? '');
    });
  });
  after(async () => {
    monitor.disconnect();
    redis.disconnect();
    await api.stop();
    await proxy.close();
  });

  /** Waits until the monitor has reported all commands up to now, which Redis reports in order. */
  const monitored = async () => {
    const marker = `${api.prefix}-${randomUUID()}`;
    const shown = new Promise<void>((resolve) => {
      const look = (_time: string, args: string[]) => {
        if (args[1] !== marker) return;
        monitor.off('monitor', look);
        resolve();
      };
      monitor.on('monitor', look);
    });
    await redis.ping(marker);
    await shown;
  };
  const cost = async (path: string, init: RequestInit = {}) => {
    proxy.requests.length = 0;
    commands = [];
    const { status } = await api.get(path, init);
    await monitored();
    return { status, engine: proxy.requests.length, redis: commands.length };
  };

  /** The Redis commands of a request with a key. */
  const WITH_KEY = 2;
  /** The status of a request, and the numbers of requests to Elasticsearch and of Redis commands. */
  type Cost = [path: string, status: number, engine: number, redis: number];
  const assertCosts = async (costs: Cost[], init: RequestInit = {}) => {
    for (const [path, status, engine, commandCount] of costs) {
      const expected = { status, engine, redis: commandCount };
      let actual = await cost(path, init);
      // The service reads the schema version and learned versions again every few seconds, with one of its requests. None of
      // the following requests does.
      for (let tries = 1; !isDeepStrictEqual(actual, expected) && tries < TRIES; tries += 1)
        actual = await cost(path, init);
      assert.deepEqual(actual, expected, path);
    }
  };
  const each = (engine: number, ...paths: string[]) =>
    paths.map((path): Cost => [path, 200, engine, WITH_KEY]);

  it('are one engine request, and two Redis commands in one round trip, for the key and the counter', async () => {
    const search = [
      '/v1/search',
      '/v1/search?q=headphones&category=head&min_price=1',
      '/v1/products?limit=5',
    ];
    await assertCosts(each(1, ...search, '/v1/products/trending', '/v1/deals', `/v1/products/${id}`));
    await assertCosts(each(1, '/v1/categories', '/v1/categories?include=prices'));
  });

  it('include a second engine request for the spelling of a word that no listing has, and a third one for what is found instead', async () => {
    await assertCosts(each(2, '/v1/search?q=zzzzzzzz&match=any'));
    const instead = ['/v1/search?q=zzzzzzzz', '/v1/search?q=hedphones'];
    await assertCosts(each(3, ...instead, '/v1/search?q=headphones&min_price=100000'));
  });

  it('include a further engine request for the attributes of facets, and sometimes one for the spelling of values', async () => {
    const plain = [
      '/v1/search?facets=source,price,rating',
      '/v1/search?sort=rating&highlight=true&fields=sku',
    ];
    for (const path of plain) await cost(path);
    await assertCosts(each(1, ...plain));
    const spelled = '/v1/search?facets=brand,category,attributes';
    assert.isAbove((await cost(spelled)).engine, 2);
    await assertCosts(each(2, spelled));
  });

  it('are three engine requests for a best price in a catalogue whose offers are not linked', async () => {
    await cost('/v1/products/best-price?q=Auralis+headphones');
    await assertCosts(
      each(3, '/v1/products/best-price?q=headphones+Auralis', '/v1/products/best-price?q=Auralis+headphone'),
    );
    const notFound = '/v1/products/best-price?q=Auralis+AX-1000M9';
    await assertCosts(
      each(2, notFound, `${notFound}&nearest=true`).map(([path, , ...rest]) => [path, 404, ...rest]),
    );
  });

  it('include no engine request if the answer needs none', async () => {
    await assertCosts([
      ['/v1', 200, 0, WITH_KEY],
      ['/v1/search?limit=0', 422, 0, WITH_KEY],
      ['/v1/products/0', 404, 0, WITH_KEY],
      ['/livez', 200, 0, 0],
      ['/nowhere', 404, 0, 0],
    ]);
    await assertCosts([['/v1/search', 401, 0, 1]], { headers: { authorization: '' } });
  });
});
