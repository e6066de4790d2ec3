import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { Idempotency, MAX_STORED_BYTES } from '../../../src/platform/redis/idempotency.js';
import { ApiError } from '../../../src/platform/errors.js';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../../src/platform/redis/redis-breaker.js';
import { redisUrl } from '../../support/services.js';

describe('requests with an Idempotency-Key', () => {
  const prefix = `test-once-${randomBytes(3).toString('hex')}`;
  let redis: Redis;
  let idempotency: Idempotency;
  before(async () => {
    redis = createRedis(redisUrl);
    redis.on('error', () => undefined);
    await once(redis, 'ready');
    idempotency = new Idempotency(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
  });
  after(async () => {
    for (const key of await redis.keys(`${prefix}:*`)) await redis.del(key);
    redis.disconnect();
  });

  const request = (name: string, fields: object = {}) => ({
    owner: 'k1',
    path: '/v1/things',
    name,
    content: 'a body',
    ...fields,
  });
  const run = (name: string, answer: unknown, fields: object = {}) =>
    idempotency.once(
      request(name, fields),
      () => Promise.resolve(answer),
      (result) => result,
    );
  const refusalOf = async (work: Promise<unknown>): Promise<ApiError> => {
    const thrown = await work.then(
      () => null,
      (error: unknown) => error,
    );
    assert.instanceOf(thrown, ApiError);
    return thrown as ApiError;
  };
  /** A promise with the function that resolves it. */
  const pause = () => {
    let go = () => {};
    const held = new Promise<void>((resolve) => (go = resolve));
    return { held, go };
  };
  const keysOf = (kind: string) => redis.keys(`${prefix}:${kind}:*`);
  /** Replaces the mark of a running request or the lock, as if it had expired and another process had taken it. */
  const takeOver = async (kind: string) => {
    const [key = ''] = await keysOf(kind);
    await redis.set(key, 'of the successor', 'EX', 60);
    return key;
  };

  it('are done once for each key, path and name', async () => {
    assert.deepEqual(await run('one', { n: 1 }), { result: { n: 1 } });
    assert.deepEqual(await run('one', { n: 2 }), { stored: { n: 1 } });
    assert.deepEqual(await run('one', { n: 3 }, { path: '/v1/others' }), { result: { n: 3 } });
    assert.deepEqual(await run('one', { n: 4 }, { owner: 'k2' }), { result: { n: 4 } });
    assert.equal((await refusalOf(run('one', {}, { content: 'another' }))).status, 422);
  });

  it('are 409 with Retry-After while the first one runs, and done again after an error', async () => {
    const { held, go } = pause();
    const first = idempotency.once(
      request('slow'),
      () => held.then(() => 'done'),
      (result) => result,
    );
    // The second request is sent on the same connection, so Redis receives it after the first one.
    const refused = await refusalOf(run('slow', 'again'));
    assert.deepEqual([refused.status, refused.headers['Retry-After']], [409, '5']);
    assert.equal((await refusalOf(run('slow', 'again', { content: 'another' }))).status, 422);
    go();
    assert.deepEqual(await first, { result: 'done' });
    const failing = idempotency.once(
      request('bad'),
      () => Promise.reject(new ApiError(503, 'away')),
      (result) => result,
    );
    assert.equal((await refusalOf(failing)).status, 503);
    assert.deepEqual(await run('bad', 'done'), { result: 'done' });
  });

  it('leave the mark and the answer of a successor alone if they took too long', async () => {
    for (const outcome of ['done', 'failed']) {
      const { held, go } = pause();
      const work = () => held.then(() => (outcome === 'done' ? outcome : Promise.reject(new Error(outcome))));
      const late = idempotency
        .once(request(`late ${outcome}`, { owner: outcome }), work, (result) => result)
        .catch(() => null);
      while ((await keysOf(`idempotency:${outcome}`)).length === 0);
      const key = await takeOver(`idempotency:${outcome}`);
      go();
      await late;
      assert.equal(await redis.get(key), 'of the successor', outcome);
    }
    const { held, go } = pause();
    const late = idempotency.oneAtATime('work', () => held);
    while ((await keysOf('running')).length === 0);
    const lock = await takeOver('running');
    go();
    await late;
    assert.equal(await redis.get(lock), 'of the successor');
  });

  it('store a bounded number of bytes for a key', async () => {
    await run('first', 'x'.repeat(1_000), { owner: 'k3' });
    const counter = `${prefix}:idempotency-bytes:k3`;
    const [bytes, ttl] = [Number(await redis.get(counter)), await redis.ttl(counter)];
    assert.isAbove(bytes, 0);
    assert.isBelow(bytes, 500, 'answers are stored compressed');
    assert.approximately(ttl, 86_400, 5);
    await redis.set(counter, String(MAX_STORED_BYTES), 'EX', 3_600);
    const { status, headers } = await refusalOf(run('second', 'y', { owner: 'k3' }));
    assert.equal(status, 429);
    assert.approximately(Number(headers['Retry-After']), 3_600, 5);
    assert.deepEqual(await run('first', 'again', { owner: 'k3' }), { stored: 'x'.repeat(1_000) });
  });
});
