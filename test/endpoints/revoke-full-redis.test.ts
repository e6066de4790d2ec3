import { once } from 'node:events';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { OAuthGrants, oauthResource } from '../../src/platform/access/oauth-grants.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { freePort, type LocalEngine, startLocalRedis } from '../../tools/local-services/index.js';
import { ADMIN_SECRET, type Api, startApi } from '../support/api.js';

const LONG_AGO = '2026-01-01T00:00:00.000Z';

describe('revoking keys while Redis is out of memory', () => {
  let engine: LocalEngine;
  let redis: Redis;
  let api: Api;
  let url: string;
  let keys: KeyStore;
  let grants: OAuthGrants;

  before(async () => {
    engine = await startLocalRedis({ log: () => undefined, inMemory: true });
    redis = createRedis(engine.url);
    await once(redis, 'ready');
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    api = await startApi({
      ...{ REDIS_URL: engine.url, PORT: String(port), PUBLIC_URL: url, OAUTH_ISSUER: url },
      ...{ TRUST_PROXY: 'loopback', MAX_KEYS_PER_DEVELOPER: '1' },
    });
    const breaker = new RedisBreaker(redis, { deadlineMs: 5_000 });
    keys = new KeyStore(breaker, api.prefix);
    grants = new OAuthGrants(breaker, api.prefix);
  });
  after(async () => {
    await redis.config('SET', 'maxmemory', '0');
    await api.stop();
    redis.disconnect();
    await engine.stop();
  });
  beforeEach(() => redis.config('SET', 'maxmemory', '0'));

  const fill = () => redis.config('SET', 'maxmemory', '1');
  let addresses = 0;
  const elsewhere = () => {
    addresses += 1;
    return { 'x-forwarded-for': `203.0.113.${addresses}` };
  };
  const admin = (path: string, method = 'GET', secret = ADMIN_SECRET) =>
    api.open(path, { method, headers: { ...elsewhere(), 'x-admin-secret': secret } });
  const create = (developer_id: string) =>
    api.open('/v1/keys', {
      method: 'POST',
      headers: { ...elsewhere(), 'content-type': 'application/json' },
      body: JSON.stringify({ developer_id, name: 'a', tier: 'free', admin_secret: ADMIN_SECRET }),
    });

  /** Creates a key, and every credential that stands for it. */
  async function credentials(developer: string) {
    const { body } = await create(developer);
    const { key_id: id, raw_key: rawKey } = body as { key_id: string; raw_key: string };
    const token = await api.open('/v1/token', {
      method: 'POST',
      headers: { ...elsewhere(), authorization: `Bearer ${rawKey}` },
    });
    const resource = oauthResource(url);
    const grant = { clientId: 'connector', redirectUri: 'https://connector.example/', challenge: '' };
    const code = await grants.takeCode(await grants.createCode({ ...grant, keyId: id, resource }));
    if (code === null) throw new Error('no grant');
    const oauth = await grants.issue(code);
    const statusOf = async (path: string, bearer: string, init: RequestInit = {}) =>
      (
        await api.open(path, {
          ...init,
          headers: {
            ...elsewhere(),
            authorization: `Bearer ${bearer}`,
            'content-type': 'application/json',
            accept: 'application/json, text/event-stream',
          },
        })
      ).status;
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    return {
      id,
      rawKey,
      refreshToken: oauth.refresh_token,
      /** The statuses of requests with the raw key, the JWT and the access token of OAuth. */
      statuses: () =>
        Promise.all([
          statusOf('/v1', rawKey),
          statusOf('/v1', token.body.access_token as string),
          statusOf('/mcp', oauth.access_token, { method: 'POST', body: message }),
        ]),
    };
  }

  it('ends every credential of the key at once, and lists the key as revoked', async () => {
    const one = await credentials('dev-one');
    const other = await credentials('dev-other');
    await fill();
    const { status, body } = await create('dev-new');
    assert.deepEqual(
      [status, body.detail],
      [503, 'Keys and limits cannot be stored at the moment: Redis is out of memory'],
    );
    assert.deepEqual(await one.statuses(), [200, 200, 200]);
    assert.equal((await admin(`/v1/keys/${one.id}`, 'DELETE')).status, 204);
    assert.deepEqual(await one.statuses(), [401, 401, 401]);
    assert.equal((await admin(`/v1/keys/${one.id}`, 'DELETE')).status, 204, 'again');
    assert.equal((await admin('/v1/keys/unknown', 'DELETE')).status, 404);
    assert.deepEqual(await other.statuses(), [200, 200, 200]);
    assert.isNull(await keys.findByRawKey(one.rawKey), 'another process');
    const revokedAt = async (id: string) => {
      const listed = await admin('/v1/keys');
      assert.equal(listed.status, 200);
      return listed.body.keys.find(({ key_id }: { key_id: string }) => key_id === id).revoked_at;
    };
    await redis.config('SET', 'maxmemory', '0');
    assert.isNull(await keys.rotate(one.id, 0, new Date()), 'it cannot be replaced');
    await fill();
    assert.isString(await revokedAt(one.id));
    assert.isNull(await revokedAt(other.id));

    await redis.config('SET', 'maxmemory', '0');
    const recorded = await revokedAt(one.id);
    assert.equal(await revokedAt(one.id), recorded, 'the time is recorded');
    assert.deepEqual(await one.statuses(), [401, 401, 401]);
  });

  it('frees the place of the key before its revocation is recorded', async () => {
    const { id } = await credentials('dev-full');
    assert.equal((await create('dev-full')).status, 409);
    await fill();
    assert.equal((await admin(`/v1/keys/${id}`, 'DELETE')).status, 204);
    await redis.config('SET', 'maxmemory', '0');
    assert.equal((await create('dev-full')).status, 201);
  });

  it('keeps the first time of a key that was revoked before', async () => {
    const { id } = await credentials('dev-early');
    await keys.revoke(id, new Date(LONG_AGO));
    await fill();
    assert.equal((await admin(`/v1/keys/${id}`, 'DELETE')).status, 204);
    await redis.config('SET', 'maxmemory', '0');
    assert.equal((await keys.list(new Date())).find((key) => key.id === id)?.revokedAt, LONG_AGO);
  });

  it('is refused after five wrong secrets of an address, which this process counts', async () => {
    await fill();
    const attempt = async (secret: string) =>
      (
        await api.open('/v1/keys', {
          headers: { 'x-forwarded-for': '198.51.100.7', 'x-admin-secret': secret },
        })
      ).status;
    const statuses = [];
    for (let i = 0; i < 7; i += 1) statuses.push(await attempt(`wrong ${i}`));
    assert.deepEqual(statuses, [403, 403, 403, 403, 403, 429, 429]);
    assert.equal(await attempt(ADMIN_SECRET), 200);
  });

  it('also works by importing a file in which the key is revoked', async () => {
    const one = await credentials('dev-import');
    const stored = (await keys.export(new Date())).find(({ id }) => id === one.id);
    if (stored === undefined) throw new Error('the key is not stored');
    const importRevoked = async () => {
      const { value } = await keys.import([{ ...stored, revokedAt: LONG_AGO }], new Date()).next();
      return value?.outcome;
    };
    await fill();
    const refusal: unknown = await importRevoked().catch((error: unknown) => error);
    assert.deepInclude(refusal, { status: 503 }, 'the time cannot be recorded');
    assert.deepEqual(await one.statuses(), [401, 401, 401]);
    await redis.config('SET', 'maxmemory', '0');
    assert.equal(await importRevoked(), 'unchanged');
    assert.deepEqual(await one.statuses(), [401, 401, 401]);
  });

  it('does not use up refresh tokens of other keys', async () => {
    const one = await credentials('dev-refresh');
    const form = { grant_type: 'refresh_token', refresh_token: one.refreshToken, client_id: 'connector' };
    const renew = () =>
      api.open('/oauth/token', { method: 'POST', headers: elsewhere(), body: new URLSearchParams(form) });
    await fill();
    assert.equal((await renew()).status, 503);
    await redis.config('SET', 'maxmemory', '0');
    assert.equal((await renew()).status, 200);
  });
});
