import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { inflateRawSync } from 'node:zlib';
import { assert } from 'chai';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { Idempotency } from '../../src/platform/redis/idempotency.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';
import { record } from '../support/listings.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

describe('requests that repeat an Idempotency-Key', () => {
  const api = useApi([record({ sku: 'cup' }), record({ sku: 'jug', source: 'shop_b' })]);
  let key = '';
  const send = (path: string, body: unknown, name: string, bearer = key) =>
    api.post(path, body, { headers: { authorization: `Bearer ${bearer}`, 'idempotency-key': name } });
  const issue = (fields: object = {}) => ({
    developer_id: 'once',
    name: 'once',
    tier: 'standard',
    scopes: ['write:shop_c', 'review'],
    admin_secret: ADMIN_SECRET,
    ...fields,
  });
  before(async () => {
    key = (await api.post('/v1/keys', issue())).body.raw_key;
  });

  /** Sends a request twice, and returns the two responses, of which only the second one is a replay. */
  const twice = async (path: string, body: unknown, name: string) => {
    const [first, second] = [await send(path, body, name), await send(path, body, name)];
    assert.equal(first.headers.get('idempotency-replayed'), 'false', first.text);
    assert.equal(second.headers.get('idempotency-replayed'), 'true', second.text);
    return [first, second] as const;
  };
  const lines = (count: number, fields: (i: number) => object) =>
    Array.from({ length: count }, (_, i) =>
      JSON.stringify(record({ source: 'shop_c', sku: `s${i}`, ...fields(i) })),
    ).join('\n');

  it('write listings once, and return the results of each record', async () => {
    const body = lines(3, (i) => (i === 1 ? { price: 'free' } : {}));
    const [first, second] = await twice('/v1/listings', body, 'write');
    assert.deepEqual(second.body, first.body);
    assert.equal(second.body.results[1].outcome, 'rejected');
    assert.isNotEmpty(second.body.results[1].reasons);
    assert.equal(
      (
        await send(
          '/v1/listings',
          lines(1, () => ({})),
          'write',
        )
      ).status,
      422,
    );
  });

  it('return the counts and up to 1,000 rejected records of a long response', async () => {
    const body = lines(2_600, (i) => (i % 2 === 0 ? { price: 'free' } : {}));
    const [first, second] = await twice('/v1/listings', body, 'long');
    assert.equal(second.status, first.status);
    const { results, ...counts } = second.body;
    assert.deepEqual(counts, { records: 2_600, rejected: 1_300, results_truncated: true });
    const rejected = first.body.results.filter(({ outcome }: any) => outcome === 'rejected');
    assert.deepEqual(results, rejected.slice(0, 1_000));
    assert.notProperty(first.body, 'results_truncated');
  });

  it('are answered with 409 while the first upload is running, even if it holds the only place of its key', async () => {
    const redis = createRedis(redisUrl);
    await once(redis, 'ready');
    const idempotency = new Idempotency(new RedisBreaker(redis, { deadlineMs: 5_000 }), api.prefix);
    const owner = (await api.get('/v1/usage', { headers: { authorization: `Bearer ${key}` } })).body.key_id;
    const upload = { owner, path: '/v1/listings', name: 'slow', content: 'the body' };
    // An upload of the key whose body does not end, so that another one would wait for its turn in vain.
    const receiving = request(`${api.url}/v1/listings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-length': 1_000 },
    });
    receiving.on('error', () => undefined).write('{');
    try {
      await until(async () => (await send('/v1/listings', 'the body', 'another')).status === 503);
      const repeat = () => send('/v1/listings', 'the body', 'slow');
      // It has begun to wait before the first one runs.
      const waiting = repeat();
      await setTimeout(500);
      const work = async () => {
        for (const { status, headers } of [await repeat(), await waiting])
          assert.deepEqual([status, headers.get('retry-after')], [409, '5']);
      };
      await idempotency.once(upload, work, () => ({ body: { records: 0 } }));
    } finally {
      receiving.destroy();
      redis.disconnect();
    }
    const { status, body } = await send('/v1/listings', 'the body', 'slow');
    assert.deepEqual([status, body], [200, { records: 0 }]);
  });

  it('create an alert once, and name it instead of showing its secret again', async () => {
    const alert = { product_id: await api.id('cup'), when: { any_price_change: true } };
    const [first, second] = await twice('/v1/alerts', alert, 'alert');
    const { alert_id, secret } = first.body;
    assert.deepEqual([first.status, second.status], [201, 409]);
    assert.deepEqual(Object.keys(second.body), ['detail', 'alert_id']);
    assert.equal(second.body.alert_id, alert_id);
    assert.notInclude(second.text, secret);
    // The same alert again under another key shows no secret, so its replay is the alert.
    const [existing, replay] = await twice('/v1/alerts', alert, 'alert again');
    assert.deepEqual([existing.status, replay.status, replay.body], [200, 200, existing.body]);
    const other = { ...alert, when: { back_in_stock: true } };
    assert.equal((await send('/v1/alerts', other, 'alert')).status, 422);
    assert.equal((await send('/v1/alerts', { ...alert, product_id: 4 }, 'unknown')).status, 404);
    assert.equal((await send('/v1/alerts', other, 'unknown')).status, 201, 'a refused request is not stored');
  });

  it('decide once, and return the same outcomes', async () => {
    const decisions = [{ a: 'shop_a:cup', b: 'shop_b:jug', decision: 'same' }];
    const [first, second] = await twice('/v1/decisions', { decisions }, 'decide');
    assert.deepEqual([second.status, second.body], [first.status, first.body]);
    assert.isString(first.body.results[0].decision_id);
    const reader = await api.key('free', 'once');
    assert.equal((await send('/v1/decisions', { decisions }, 'decide', reader)).status, 403);
  });

  it('issue an API key once, store no secret, and check the admin secret each time', async () => {
    const [first, second] = await twice('/v1/keys', issue({ name: 'second' }), 'key');
    assert.deepEqual([first.status, second.status], [201, 409]);
    assert.equal(second.body.key_id, first.body.key_id);
    assert.equal((await send('/v1/keys', issue({ name: 'third' }), 'key')).status, 422);
    const wrong = issue({ name: 'second', admin_secret: 'wrong' });
    assert.equal((await send('/v1/keys', wrong, 'key')).status, 403);
    const { status, headers } = await api.post('/v1/keys', issue({ name: 'second' }));
    assert.deepEqual([status, headers.get('idempotency-replayed')], [201, 'false']);
    const redis = createRedis(redisUrl);
    await once(redis, 'ready');
    try {
      for (const name of await redis.keys(`${api.prefix}:idempotency*`)) {
        if (name.includes(':idempotency-bytes:')) continue;
        const stored = inflateRawSync((await redis.getBuffer(name)) ?? '').toString();
        for (const secret of [first.body.raw_key, ADMIN_SECRET]) assert.notInclude(stored, secret);
      }
    } finally {
      redis.disconnect();
    }
  });
});
