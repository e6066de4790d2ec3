import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { credentialOfRawKey, hashKey } from '../../../src/platform/access/key.js';
import { indexPrefix, redisUrl } from '../../support/services.js';
import { ask, connected, type SmallApp, startSmallApp, tally } from './small-app.js';

const wanted = { developerId: 'dev-1', name: 'Shop', tier: 'standard', environment: 'live' } as const;

describe('authentication', function () {
  let app: SmallApp;
  let prefix: string;

  beforeEach(async () => {
    prefix = `${indexPrefix}:${randomUUID()}`;
    app = await startSmallApp({
      redisUrl,
      prefix,
      // A replacement for the check of the signature: the middle part of a token in this test is the id of its key. Like the
      // tokens of former versions, it states no counter.
      verifyToken: (token) =>
        Promise.resolve(token.startsWith('good.') ? { id: token.split('.')[1] ?? '' } : null),
    });
    await connected(app.redis);
  });
  afterEach(() => app.close());

  it('accepts a key and identifies its holder', async () => {
    const { record, rawKey } = await app.access.keys.create(wanted, new Date());
    const answer = await ask(app, '/key', rawKey);
    expect(answer.status).to.equal(200);
    expect(await answer.json()).to.deep.equal({
      id: record.id,
      counter: credentialOfRawKey(rawKey)?.counter,
      tier: 'standard',
      environment: 'live',
      developerId: 'dev-1',
    });
  });

  it('ignores the case of the scheme and accepts no other form of a key', async () => {
    const { record, rawKey } = await app.access.keys.create(wanted, new Date());
    const status = async (authorization: string) =>
      (await ask(app, '/key', undefined, { authorization })).status;
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(await status(`${scheme} ${rawKey}`), scheme).to.equal(200);
    }
    const refused = [
      rawKey,
      `Bearer  ${rawKey}`,
      `Bearer\t${rawKey}`,
      `Bearer ${rawKey} x`,
      `Bearer ${rawKey},${rawKey}`,
      `Basic ${rawKey}`,
      `Bearer`,
      `Bearer ${rawKey}=`,
      `Bearer "${rawKey}"`,
      `Token Bearer ${rawKey}`,
      `Bearer ${hashKey(rawKey)}`,
      `Bearer svc_live_${hashKey(rawKey)}`,
      `Bearer ${record.id}`,
      `Bearer svc_live_${'*'.repeat(48)}`,
      `Bearer ${'a'.repeat(10_000)}`,
    ];
    for (const authorization of refused) expect(await status(authorization), authorization).to.equal(401);
  });

  it('answers every refusal identically', async () => {
    const { record, rawKey } = await app.access.keys.create(wanted, new Date());
    await app.access.keys.revoke(record.id, new Date());
    for (const key of [undefined, 'nonsense', `svc_live_${'a'.repeat(48)}`, rawKey]) {
      const answer = await ask(app, '/key', key);
      expect(answer.status).to.equal(401);
      expect(answer.headers.get('www-authenticate')).to.equal('Bearer');
      expect(await answer.json()).to.deep.equal({ detail: 'Invalid or revoked API key' });
    }
  });

  it('refuses a revoked key from its next request on', async () => {
    const { record, rawKey } = await app.access.keys.create(wanted, new Date());
    expect((await ask(app, '/key', rawKey)).status).to.equal(200);
    await app.access.keys.revoke(record.id, new Date());
    expect((await ask(app, '/key', rawKey)).status).to.equal(401);
  });

  it('accepts a verified token as long as its key is usable', async () => {
    const { record, rawKey } = await app.access.keys.create(wanted, new Date());
    const answer = await ask(app, '/key', `good.${record.id}.signature`);
    expect(await answer.json()).to.deep.equal({
      id: record.id,
      counter: credentialOfRawKey(rawKey)?.counter,
      tier: 'standard',
      environment: 'live',
      developerId: 'dev-1',
    });
    expect((await ask(app, '/key', rawKey)).headers.get('x-ratelimit-remaining')).to.equal('498');
    expect((await ask(app, '/key', `bad.${record.id}.signature`)).status).to.equal(401);
    expect((await ask(app, '/key', `good.${randomUUID()}.signature`)).status).to.equal(401);
    await app.access.keys.revoke(record.id, new Date());
    expect((await ask(app, '/key', `good.${record.id}.signature`)).status).to.equal(401);
  });

  it('limits guesses by address without affecting valid keys from it', async () => {
    const { rawKey } = await app.access.keys.create(wanted, new Date());
    const guess = (i: number) => ask(app, '/key', `svc_live_${String(i).padStart(48, 'g')}`);
    expect(await tally(120, guess)).to.deep.equal({ 401: 100, 429: 20 });
    expect(await app.redis.keys(`${prefix}:limit:key:*`), 'counters of keys that do not exist').to.deep.equal(
      [],
    );
    expect((await ask(app, '/key')).status).to.equal(429);
    expect((await ask(app, '/key', rawKey)).status).to.equal(200);
  });
});
