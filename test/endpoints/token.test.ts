import { assert } from 'chai';
import { decodeJwt, jwtVerify, SignJWT } from 'jose';
import { ADMIN_SECRET, useApi } from '../support/api.js';

const JWT_SECRET = 'a-jwt-secret-of-these-tests';
const PREVIOUS = 'the-jwt-secret-of-tests-before';

describe('POST /v1/token', () => {
  const api = useApi([], { JWT_SECRET, JWT_SECRET_PREVIOUS: PREVIOUS });

  const with_ = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const statusOf = async (token: string) => (await api.get('/v1', with_(token))).status;

  it('exchanges a raw key for a token that is accepted wherever the key is', async () => {
    const raw = await api.key('standard');
    const { status, body, headers } = await api.post('/v1/token', '', with_(raw));
    assert.equal(status, 200);
    assert.hasAllKeys(body, ['access_token', 'token_type', 'expires_in']);
    assert.equal(body.token_type, 'Bearer');
    assert.equal(body.expires_in, 900);
    assert.equal(headers.get('cache-control'), 'no-store');
    const reply = await api.get('/v1', with_(body.access_token));
    assert.equal(reply.status, 200);
    // Requests with a token count for its key. The request for the token was the first one.
    assert.equal(reply.headers.get('x-ratelimit-limit'), '500');
    assert.equal(reply.headers.get('x-ratelimit-remaining'), '498');
  });

  it('does not exchange a token for another token', async () => {
    const { body } = await api.post('/v1/token', '', with_(await api.key()));
    assert.equal((await api.post('/v1/token', '', with_(body.access_token))).status, 401);
  });

  it('is invalidated when its key is revoked', async () => {
    const headers = { 'x-admin-secret': ADMIN_SECRET };
    const { body } = await api.post('/v1/token', '', with_(await api.key()));
    const { sub } = decodeJwt(body.access_token as string);
    assert.equal(await statusOf(body.access_token as string), 200);
    assert.equal((await api.get(`/v1/keys/${sub ?? ''}`, { method: 'DELETE', headers })).status, 204);
    assert.equal(await statusOf(body.access_token as string), 401);
  });

  it('rejects tokens that are expired, altered, unsigned, foreign or without a key', async () => {
    const { body } = await api.post('/v1/token', '', with_(await api.key()));
    const good = body.access_token as string;
    const claims = decodeJwt(good);
    const make = (changes: object, secret = JWT_SECRET, alg = 'HS256') =>
      new SignJWT({ ...claims, ...changes })
        .setProtectedHeader({ alg })
        .sign(new TextEncoder().encode(secret));
    assert.equal(await statusOf(await make({})), 200);
    assert.equal(await statusOf(await make({}, PREVIOUS)), 200, 'of the secret before');
    const { payload: mine } = await jwtVerify(good, new TextEncoder().encode(JWT_SECRET));
    assert.equal(mine.sub, claims.sub, 'signed with the secret of today');

    const [header, payload, signature] = good.split('.');
    const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const hour = 3_600;
    const bad = {
      expired: await make({ iat: (claims.iat ?? 0) - hour, exp: (claims.exp ?? 0) - hour }),
      'of the secret before, expired': await make({ exp: (claims.iat ?? 0) - 60 }, PREVIOUS),
      'signed with another secret': await make({}, 'another-secret-of-the-same-kind'),
      'of another algorithm': await make({}, JWT_SECRET.repeat(3), 'HS512'),
      'of another issuer': await make({ iss: 'someone-else' }),
      'for another audience': await make({ aud: 'something-else' }),
      'older than tokens get, whatever end it has': await make({
        iat: (claims.iat ?? 0) - 1_000,
        exp: (claims.exp ?? 0) + hour,
      }),
      'of a later time': await make({ iat: (claims.iat ?? 0) + hour, exp: (claims.exp ?? 0) + hour }),
      'without a beginning': await make({ iat: undefined }),
      'without an end': await make({ exp: undefined }),
      'of no key': await make({ sub: '00000000-0000-4000-8000-000000000000' }),
      'without a key': await make({ sub: undefined }),
      altered: `${header}.${encoded({ ...claims, exp: (claims.exp ?? 0) + hour })}.${signature}`,
      unsigned: `${encoded({ alg: 'none' })}.${payload}.`,
      'with a signature cut off': `${header}.${payload}.`,
    };
    for (const [what, token] of Object.entries(bad)) assert.equal(await statusOf(token), 401, what);
  });

  it('rejects a token that was issued in the future, and mentions the clock', async () => {
    const { body } = await api.post('/v1/token', '', with_(await api.key()));
    const claims = decodeJwt(body.access_token);
    const iat = Math.floor(Date.now() / 1_000) + 600;
    const ahead = await new SignJWT({ ...claims, iat, exp: iat + 900 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(JWT_SECRET));
    const answer = await api.get('/v1', with_(ahead));
    assert.equal(answer.status, 401);
    assert.match(answer.body.detail, /issued in the future, so a clock of the service/);
    const foreign = await new SignJWT({ ...claims, iat, exp: iat + 900 })
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode('another-secret-than-the-service-has'));
    assert.equal((await api.get('/v1', with_(foreign))).body.detail, 'Invalid or revoked API key');
  });
});
