import { assert } from 'chai';
import { ADMIN_SECRET, startApi, useApi } from '../support/api.js';

describe('POST, GET and DELETE /v1/keys', () => {
  const api = useApi([], { TRUST_PROXY: 'loopback' });

  /**
   * Returns another client address for each test, because requests with the admin secret are counted by
   * address.
   */
  let clients = 0;
  const from = () => ({ 'x-forwarded-for': `198.51.100.${(clients += 1)}` });
  const wanted = { developer_id: 'dev-1', name: 'Watcher', tier: 'standard', admin_secret: ADMIN_SECRET };
  const create = (body: unknown, headers: Record<string, string> = from()) =>
    api.post('/v1/keys', body, { headers });

  it('issues a key that works immediately', async () => {
    const { status, body } = await create(wanted);
    assert.equal(status, 201);
    assert.hasAllKeys(body, ['key_id', 'raw_key', 'tier', 'message']);
    assert.match(body.key_id, /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
    assert.match(body.raw_key, /^svc_live_[\w-]{48,}$/);
    assert.equal(body.tier, 'standard');
    const reply = await api.get('/v1', { headers: { authorization: `Bearer ${body.raw_key}` } });
    assert.equal(reply.status, 200);
    assert.equal(reply.headers.get('x-ratelimit-limit'), '500');
  });

  it('issues test keys with a separate prefix', async () => {
    const { body } = await create({ ...wanted, environment: 'test' });
    assert.match(body.raw_key, /^svc_test_[\w-]{48,}$/);
  });

  it('answers 403 to a wrong secret without echoing it', async () => {
    const { status, body, text } = await create({ ...wanted, admin_secret: 'guess-me-not' });
    assert.equal(status, 403);
    assert.deepEqual(body, { detail: 'Invalid admin secret' });
    assert.notInclude(text, 'guess-me-not');
  });

  it('reports errors in the body without echoing the secret', async () => {
    const { status, body, text } = await create({
      developer_id: 7,
      tier: 'gold',
      admin_secret: ADMIN_SECRET,
    });
    assert.equal(status, 422);
    const found = body.detail.map(({ loc, type }: { loc: string[]; type: string }) => [...loc, type]);
    assert.sameDeepMembers(found, [
      ['body', 'name', 'missing'],
      ['body', 'developer_id', 'string_type'],
      ['body', 'tier', 'literal_error'],
    ]);
    assert.notInclude(text, ADMIN_SECRET);
  });

  it('lists keys without secrets, and revokes them from the next request on', async () => {
    const headers = { ...from(), 'x-admin-secret': ADMIN_SECRET };
    const created = (await create(wanted)).body;
    const listed = await api.get('/v1/keys', { headers });
    assert.equal(listed.status, 200);
    assert.notInclude(listed.text, created.raw_key);
    const record = listed.body.keys.find(({ key_id }: { key_id: string }) => key_id === created.key_id);
    assert.include(record, {
      developer_id: 'dev-1',
      name: 'Watcher',
      tier: 'standard',
      environment: 'live',
      revoked_at: null,
    });

    const path = `/v1/keys/${created.key_id}`;
    const authorization = `Bearer ${created.raw_key}`;
    assert.equal((await api.get('/v1', { headers: { authorization } })).status, 200);
    for (const _ of ['first', 'again']) {
      assert.deepInclude(await api.get(path, { method: 'DELETE', headers }), { status: 204, text: '' });
    }
    const refused = await api.get('/v1', { headers: { authorization } });
    assert.equal(refused.status, 401);
    assert.deepEqual(refused.body, { detail: 'Invalid or revoked API key' });
    assert.equal(refused.headers.get('www-authenticate'), 'Bearer');
  });

  it('answers 404 for unknown keys', async () => {
    const headers = { ...from(), 'x-admin-secret': ADMIN_SECRET };
    assert.deepInclude(
      await api.get('/v1/keys/00000000-0000-4000-8000-000000000000', { method: 'DELETE', headers }),
      { status: 404, body: { detail: 'Key not found' } },
    );
  });

  it('requires the admin header to list and revoke keys', async () => {
    const headers = from();
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      assert.equal((await api.get('/v1/keys', { headers })).status, 403, 'a missing secret is no wrong one');
      assert.equal((await api.get('/v1/keys/x', { method: 'DELETE', headers })).status, 403);
    }
  });

  it('blocks an address after five wrong secrets in a minute, but no other address and not the operator', async () => {
    const headers = from();
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      assert.equal((await create({ ...wanted, admin_secret: `wrong-${attempt}` }, headers)).status, 403);
    }
    const reply = await create({ ...wanted, admin_secret: 'wrong-6' }, headers);
    assert.equal(reply.status, 429);
    assert.equal(reply.headers.get('retry-after'), '60');
    assert.equal((await create(wanted, headers)).status, 201);
    assert.equal((await create(wanted)).status, 201);
  });
});

describe('provisioning without ADMIN_SECRET', () => {
  it('is disabled', async () => {
    const api = await startApi({ ADMIN_SECRET: '' });
    assert.deepInclude(
      await api.post('/v1/keys', { developer_id: 'dev-1', name: 'Watcher', tier: 'free', admin_secret: '' }),
      { status: 403, body: { detail: 'Invalid admin secret' } },
    );
    await api.stop();
  });
});
