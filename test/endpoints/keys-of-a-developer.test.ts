import { assert } from 'chai';
import { until } from '../support/until.js';
import { ADMIN_SECRET, useApi } from '../support/api.js';

describe('MAX_KEYS_PER_DEVELOPER', () => {
  const api = useApi([], { MAX_KEYS_PER_DEVELOPER: '3' });

  const wanted = { name: 'n', tier: 'free', admin_secret: ADMIN_SECRET };
  const issue = (developer: string, more = {}) =>
    api.post('/v1/keys', { ...wanted, developer_id: developer, ...more });

  it('limits the active keys of each developer, even with concurrent requests', async () => {
    const replies = await Promise.all(Array.from({ length: 12 }, () => issue('greedy')));
    const issued = replies.filter(({ status }) => status === 201);
    const refused = replies.filter(({ status }) => status === 409);
    assert.deepEqual([issued.length, refused.length], [3, 9]);
    assert.deepEqual(refused[0]?.body, {
      detail: 'This developer has 3 active keys, which is the limit: revoke one first',
    });
    assert.equal((await issue('modest')).status, 201);
    for (const { body } of issued)
      assert.equal(
        (await api.get('/v1', { headers: { authorization: `Bearer ${body.raw_key}` } })).status,
        200,
      );

    const headers = { 'x-admin-secret': ADMIN_SECRET };
    const { key_id: id } = issued[0]?.body as { key_id: string };
    assert.equal((await api.open(`/v1/keys/${id}`, { method: 'DELETE', headers })).status, 204);
    assert.equal((await issue('greedy')).status, 201);
    assert.equal((await issue('greedy')).status, 409);
    const { keys } = (await api.open('/v1/keys', { headers })).body;
    const ofGreedy = keys.filter(
      ({ developer_id: developer }: { developer_id: string }) => developer === 'greedy',
    );
    assert.lengthOf(ofGreedy, 4);
  });

  it('does not count expired keys', async () => {
    // A busy service may refuse an end that has passed before it reads the request.
    let lifeMs = 500;
    const issueBriefly = () =>
      until(async () => {
        lifeMs *= 2;
        const expires_at = new Date(Date.now() + lifeMs).toISOString();
        return (await issue('brief', { expires_at })).status === 201;
      });
    for (let i = 0; i < 3; i += 1) await issueBriefly();
    await until(async () => (await issue('brief')).status === 201);
  });
});
