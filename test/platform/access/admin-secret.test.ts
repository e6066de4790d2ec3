import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { addressCounter } from '../../../src/platform/access/client-address.js';
import { ApiError } from '../../../src/platform/errors.js';
import { indexPrefix, redisUrl } from '../../support/services.js';
import { ask, connected, type SmallApp, type SmallAppOptions, startSmallApp, tally } from './small-app.js';

const SECRET = 'correct horse battery staple';

describe('admin secret', function () {
  let app: SmallApp;
  let prefix: string;

  async function start(options: Partial<SmallAppOptions> = {}): Promise<void> {
    prefix = `${indexPrefix}:${randomUUID()}`;
    app = await startSmallApp({ redisUrl, prefix, adminSecret: SECRET, ...options });
    await connected(app.redis);
  }
  afterEach(() => app.close());

  const attempt = (secret?: string, headers: Record<string, string> = {}) =>
    ask(app, '/admin', undefined, {
      ...headers,
      ...(secret === undefined ? {} : { 'x-admin-secret': secret }),
    });

  it('accepts the correct secret any number of times', async () => {
    await start();
    expect(await tally(20, () => attempt(SECRET))).to.deep.equal({ 200: 20 });
  });

  it('refuses wrong, almost correct and missing secrets', async () => {
    await start();
    for (const secret of ['wrong', `${SECRET}!`, SECRET.slice(1), '', undefined]) {
      const answer = await attempt(secret);
      expect(answer.status).to.equal(403);
      expect(await answer.json()).to.deep.equal({ detail: 'Invalid admin secret' });
    }
  });

  it('limits an address to five wrong secrets, and never refuses the correct one', async () => {
    await start({ trustProxy: ['loopback'] });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    await attempt(SECRET, from('203.0.113.1'));
    const wrong = await tally(5, () => attempt('wrong', from('203.0.113.1')));
    expect(wrong).to.deep.equal({ 403: 5 });
    const refused = await attempt('wrong', from('203.0.113.1'));
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.equal('60');
    expect((await attempt(SECRET, from('203.0.113.1'))).status).to.equal(200);
    expect((await attempt('wrong', from('203.0.113.1'))).status, 'the limit still applies').to.equal(429);
    expect((await attempt('wrong', from('203.0.113.2'))).status, 'another address').to.equal(403);
  });

  it('limits an IPv6 /48 to five wrong secrets', async () => {
    await start({ trustProxy: ['loopback'] });
    const from = (i: number) => ({ 'x-forwarded-for': `2001:db8:7:${i.toString(16)}00::1` });
    for (let i = 0; i < 5; i += 1) expect((await attempt('wrong', from(i))).status).to.equal(403);
    expect((await attempt('wrong', from(200))).status).to.equal(429);
    expect((await attempt('wrong', { 'x-forwarded-for': '2001:db8:8::1' })).status).to.equal(403);
  });

  it('limits all addresses together to fifty wrong secrets, and never refuses the correct one', async () => {
    await start({ trustProxy: ['loopback'] });
    const from = (i: number) => ({ 'x-forwarded-for': `203.0.113.${i}` });
    // The refused attempts of one address take nothing from the others.
    await tally(60, () => attempt('wrong', from(1)));
    expect(await tally(45, (i) => attempt('wrong', from(2 + i)))).to.deep.equal({ 403: 45 });
    expect((await attempt('wrong', from(60))).status).to.equal(429);
    expect((await attempt(SECRET, from(60))).status).to.equal(200);
  });

  it('accepts the correct secret from an address that has reached its rate limit', async () => {
    await start();
    expect(await tally(101, () => ask(app, '/open'))).to.deep.equal({ 200: 100, 429: 1 });
    expect((await attempt('wrong')).status).to.equal(429);
    expect((await attempt(SECRET)).status).to.equal(200);
  });

  it('counts simultaneous attempts', async () => {
    await start();
    const guesses = Array.from({ length: 40 }, (_, i) => `guess ${i}`);
    const check = (given: string) => app.access.checkAdminSecret({ given, address: '203.0.113.1' });
    const outcomes = await Promise.allSettled(guesses.map(check));
    const answers = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? statusOf(outcome.reason) : 200,
    );
    expect(answers).to.deep.equal([...new Array(5).fill(403), ...new Array(35).fill(429)]);
  });

  it('allows further attempts when the window ends', async () => {
    await start();
    await tally(6, () => attempt('wrong'));
    expect((await attempt('wrong')).status).to.equal(429);
    const counter = `${prefix}:limit:${addressCounter('admin', '127.0.0.1')}`;
    expect(await app.redis.pexpire(counter, 1), 'a window that ends').to.equal(1);
    while ((await app.redis.exists(counter)) === 1);
    expect((await attempt('wrong')).status).to.equal(403);
  });

  it('accepts no secret if none is configured', async () => {
    await start({ adminSecret: undefined });
    for (const secret of ['', 'null', 'undefined', SECRET, undefined]) {
      expect((await attempt(secret)).status).to.equal(403);
    }
  });
});

const statusOf = (error: unknown) => (error instanceof ApiError ? error.status : 500);
