import { randomBytes } from 'node:crypto';
import { assert } from 'chai';
import { decodeJwt, SignJWT } from 'jose';
import { hashKey } from '../../src/platform/access/key.js';
import { ADMIN_SECRET, startApi, useApi } from '../support/api.js';

const JWT_SECRET = 'signs-the-tokens-of-these-tests';
const NEW_KEY = { developer_id: 'tests', name: 'tests', tier: 'free' };

/** Headers with another client address, in all the ways in which proxies report one. */
function disguise(i: number): Record<string, string> {
  const address = `203.0.113.${i}`;
  return {
    'x-forwarded-for': `${address}, 198.51.100.${i}`,
    'x-real-ip': address,
    'x-client-ip': address,
    'cf-connecting-ip': address,
    'true-client-ip': address,
    forwarded: `for=${address}`,
  };
}

const tally = (statuses: number[]) => {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
};

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('guessing', function () {
  const api = useApi([], { JWT_SECRET, REDIS_DEADLINE_MS: '5000' });

  it('keys: an address has 100 guesses a minute in any notation, and valid keys from it still work', async () => {
    const good = await api.key('free');
    const statuses = await Promise.all(
      Array.from({ length: 130 }, async (_, i) => {
        const authorization = `Bearer svc_live_${randomBytes(36).toString('base64url')}`;
        return (await api.open('/v1', { headers: { authorization, ...disguise(i) } })).status;
      }),
    );
    assert.deepEqual(tally(statuses), { 401: 100, 429: 30 });
    const reply = await api.open('/v1', { headers: { authorization: `Bearer ${good}` } });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-ratelimit-remaining'), '99');
  });

  it('the admin secret: five guesses a minute over all admin endpoints together, and valid keys still work', async () => {
    // A second instance, so that the guesses of keys, which are counted by client address, do not affect its
    // requests.
    const other = await startApi();
    const good = await other.key();
    const secret = (i: number) => `${ADMIN_SECRET.slice(0, -1)}${i}`;
    const doors: ((i: number) => Promise<{ status: number }>)[] = [
      (i) =>
        other.open('/v1/keys', {
          method: 'POST',
          body: JSON.stringify({ ...NEW_KEY, admin_secret: secret(i) }),
          headers: disguise(i),
        }),
      (i) => other.open('/v1/keys', { headers: { 'x-admin-secret': secret(i), ...disguise(i) } }),
      (i) =>
        other.open('/v1/keys/00000000-0000-4000-8000-000000000000', {
          method: 'DELETE',
          headers: { 'x-admin-secret': secret(i), ...disguise(i) },
        }),
    ];
    const replies = await Promise.all(
      Array.from(
        { length: 30 },
        (_, i) => doors[i % doors.length]?.(i) ?? Promise.reject(new Error('no door')),
      ),
    );
    assert.deepEqual(tally(replies.map(({ status }) => status)), { 403: 5, 429: 25 });
    // An operator with the right admin secret is not locked out by other requests from the same address.
    for (let i = 0; i < 100; i += 1) await other.open('/v1/search');
    assert.equal((await other.open('/v1/keys', { headers: { 'x-admin-secret': secret(1) } })).status, 429);
    const right = { 'x-admin-secret': ADMIN_SECRET };
    const made = await other.open('/v1/keys', {
      method: 'POST',
      body: JSON.stringify({ ...NEW_KEY, admin_secret: ADMIN_SECRET }),
    });
    assert.equal(made.status, 201);
    assert.equal((await other.open('/v1/keys', { headers: right })).status, 200);
    assert.equal(
      (await other.open(`/v1/keys/${made.body.key_id}`, { method: 'DELETE', headers: right })).status,
      204,
    );
    assert.equal((await other.open('/v1', { headers: { authorization: `Bearer ${good}` } })).status, 200);
    await other.stop();
  });
});

describe('an invalid credential', function () {
  const api = useApi([], { JWT_SECRET, REDIS_DEADLINE_MS: '5000' });
  let rawKey: string;
  let keyId: string;
  before(async () => {
    const { body } = await api.open('/v1/keys', {
      method: 'POST',
      body: JSON.stringify({ ...NEW_KEY, admin_secret: ADMIN_SECRET }),
    });
    ({ raw_key: rawKey, key_id: keyId } = body);
  });

  const statusOf = async (headers: Record<string, string>, path = '/v1') =>
    (await api.open(path, { headers })).status;

  it('is everything known of a key except the key itself, and the key outside of its header', async () => {
    assert.equal(await statusOf({ authorization: `Bearer ${rawKey}` }), 200);
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const bad: Record<string, Record<string, string>> = {
      hash: { authorization: `Bearer ${hashKey(rawKey)}` },
      'hash as a key': { authorization: `Bearer svc_live_${hashKey(rawKey)}` },
      id: { authorization: `Bearer ${keyId}` },
      'id as a key': { authorization: `Bearer svc_live_${keyId.replaceAll('-', '')}${'0'.repeat(16)}` },
      'a name in the store': { authorization: `Bearer ${api.prefix}:key-id:${keyId}` },
      'other environment': { authorization: `Bearer ${rawKey.replace('live', 'test')}` },
      'other case': { authorization: `Bearer ${rawKey.toUpperCase()}` },
      'cut off': { authorization: `Bearer ${rawKey.slice(0, -1)}` },
      'made longer': { authorization: `Bearer ${rawKey}A` },
      'beside another': { authorization: `Bearer ${rawKey}, Bearer ${rawKey}` },
      'another scheme': { authorization: `Token ${rawKey}` },
      basic: { authorization: `Basic ${base64(`${rawKey}:`)}` },
      'other headers': { 'x-api-key': rawKey, 'proxy-authorization': `Bearer ${rawKey}` },
      cookie: { cookie: `authorization=Bearer ${rawKey}; api_key=${rawKey}` },
      'the admin secret': { authorization: `Bearer ${ADMIN_SECRET}`, 'x-admin-secret': ADMIN_SECRET },
    };
    for (const [what, headers] of Object.entries(bad)) assert.equal(await statusOf(headers), 401, what);
    for (const name of ['api_key', 'access_token', 'key', 'authorization']) {
      assert.equal(await statusOf({}, `/v1?${name}=${rawKey}`), 401, name);
    }
    assert.equal(await statusOf({ 'x-admin-secret': rawKey }, '/v1/keys'), 403);
  });

  it('is a token whose header chooses how it is verified', async () => {
    const { body } = await api.open('/v1/token', {
      method: 'POST',
      headers: { authorization: `Bearer ${rawKey}` },
    });
    const good = body.access_token as string;
    assert.equal(await statusOf({ authorization: `Bearer ${good}` }), 200);
    const claims = decodeJwt(good);
    const [, payload = '', signature = ''] = good.split('.');
    const jwk = { kty: 'oct', k: Buffer.from('weak').toString('base64url') };
    const signed = (header: object, secret: string) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', ...header })
        .sign(new TextEncoder().encode(secret));
    const later = Math.floor(Date.now() / 1_000) + 600;
    const bad: Record<string, string> = {
      'by a key of its own': await signed({ jwk }, 'weak'),
      'by a key elsewhere': await signed({ jku: `${api.url}/jwks`, x5u: `${api.url}/x` }, 'weak'),
      'by a known file': await signed({ kid: '../../../../dev/null' }, ' '),
      'by a common word': await signed({}, 'secret'),
      "by the key's id": await signed({}, keyId),
      'not yet good': await new SignJWT({ ...claims, nbf: later })
        .setProtectedHeader({ alg: 'HS256' })
        .sign(new TextEncoder().encode(JWT_SECRET)),
      'with an extension': `${encoded({ alg: 'HS256', crit: ['b64'], b64: false })}.${payload}.${signature}`,
      compressed: `${encoded({ alg: 'HS256', zip: 'DEF' })}.${payload}.${signature}`,
      'of another algorithm': `${encoded({ alg: 'RS256' })}.${payload}.${signature}`,
      encrypted: `${encoded({ alg: 'dir', enc: 'A256GCM' })}.${payload}.${signature}.${signature}.${signature}`,
      'of kilobytes': `${encoded({ alg: 'HS256', kid: 'x'.repeat(9_000) })}.${payload}.${signature}`,
    };
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'HS1', 'null']) {
      bad[`alg ${alg}`] = `${encoded({ alg })}.${payload}.${signature}`;
      bad[`alg ${alg}, unsigned`] = `${encoded({ alg })}.${payload}.A`;
    }
    for (const [what, token] of Object.entries(bad)) {
      assert.equal(await statusOf({ authorization: `Bearer ${token}` }), 401, what);
    }
  });
});
