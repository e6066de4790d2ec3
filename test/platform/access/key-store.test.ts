import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { Redis } from 'ioredis';
import { type KeyRecord, credentialOfRawKey, hashKey } from '../../../src/platform/access/key.js';
import { KeyStore } from '../../../src/platform/access/key-store.js';
import { RedisBreaker } from '../../../src/platform/redis/redis-breaker.js';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { indexPrefix, redisUrl } from '../../support/services.js';
import { connected } from './small-app.js';

const NOW = new Date('2026-05-04T03:02:01.000Z');
const later = (ms: number) => new Date(NOW.getTime() + ms);
const wanted = { developerId: 'dev-1', name: 'Shop', tier: 'standard', environment: 'live' } as const;

describe('key store', function () {
  let redis: Redis;
  let prefix: string;
  let keys: KeyStore;

  before(async () => {
    redis = createRedis(redisUrl);
    await connected(redis);
  });
  after(() => redis.disconnect());
  beforeEach(() => {
    prefix = `${indexPrefix}:${randomUUID()}`;
    keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
  });

  it('creates keys of the documented form and finds them', async () => {
    const { record, rawKey } = await keys.create(wanted, NOW);
    expect(record).to.deep.equal({
      ...wanted,
      id: record.id,
      createdAt: NOW.toISOString(),
      scopes: [],
      expiresAt: null,
      revokedAt: null,
    });
    expect(record.id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(rawKey).to.match(/^svc_live_[A-Za-z0-9_-]{48}$/);
    const counter = credentialOfRawKey(rawKey)?.counter;
    const identity = { id: record.id, counter, developerId: 'dev-1', tier: 'standard', environment: 'live' };
    expect(await keys.findByRawKey(rawKey)).to.deep.equal(identity);
    expect(await keys.find({ id: record.id })).to.deep.equal(identity);
    const test = await keys.create({ ...wanted, environment: 'test' }, NOW);
    expect(test.rawKey).to.match(/^svc_test_/);
  });

  it('finds no key by a hash, by an id, or by text that resembles a key', async () => {
    const { record, rawKey } = await keys.create(wanted, NOW);
    const hash = hashKey(rawKey);
    const near = [
      hash,
      record.id,
      `svc_live_${hash}`,
      `svc_live_${record.id}`,
      '',
      rawKey.slice(0, -1),
      `${rawKey}A`,
      rawKey.toLowerCase(),
      rawKey.replace('live', 'test'),
      ` ${rawKey}`,
    ];
    for (const text of near) expect(await keys.findByRawKey(text), text).to.equal(null);
    for (const text of [hash, rawKey, '', '*']) expect(await keys.find({ id: text }), text).to.equal(null);
  });

  it('stores only hashes of keys, all under its prefix', async () => {
    const { rawKey } = await keys.create(wanted, NOW);
    const secret = rawKey.slice('svc_live_'.length);
    const dump = await everything(redis, prefix);
    expect(Object.keys(dump)).to.have.length(3);
    expect(JSON.stringify(dump)).to.include(hashKey(rawKey)).and.not.include(secret);
  });

  it('revokes a key at once, permanently and only once', async () => {
    const { record, rawKey } = await keys.create(wanted, NOW);
    const other = await keys.create(wanted, NOW);
    await keys.findByRawKey(rawKey);
    const holder = { id: record.id, tier: 'standard', developerId: 'dev-1' };
    expect(await keys.revoke(record.id, later(1_000))).to.deep.equal(holder);
    expect(await keys.findByRawKey(rawKey)).to.equal(null);
    expect(await keys.find({ id: record.id })).to.equal(null);
    expect(await keys.revoke(record.id, later(2_000))).to.deep.equal(holder);
    expect(await keys.revoke(randomUUID(), NOW)).to.equal(null);
    expect(await keys.findByRawKey(other.rawKey)).to.include({ id: other.record.id });
    const listed = (await keys.list(NOW)).find(({ id }) => id === record.id);
    expect(listed).to.deep.equal({ ...record, revokedAt: later(1_000).toISOString() });
  });

  it('lists every key without secrets, newest first', async () => {
    expect(await keys.list(NOW)).to.deep.equal([]);
    const count = 1_203;
    const made: KeyRecord[] = [];
    for (let i = 0; i < count; i++) {
      made.unshift((await keys.create({ ...wanted, name: `${i}` }, later(i))).record);
    }
    const listed = await keys.list(NOW);
    expect(listed).to.deep.equal(made);
  });
});

/** Returns everything that Redis stores under a prefix. */
async function everything(redis: Redis, prefix: string): Promise<Record<string, unknown>> {
  const dump: Record<string, unknown> = {};
  for await (const names of redis.scanStream({ match: `${prefix}:*`, count: 1_000 })) {
    for (const name of names as string[]) {
      dump[name] =
        (await redis.type(name)) === 'hash' ? await redis.hgetall(name) : await redis.zrange(name, '0', '-1');
    }
  }
  return dump;
}
