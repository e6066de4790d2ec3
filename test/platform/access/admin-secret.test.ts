import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { addressCounter } from '../../../src/platform/access/rate-limit-store.js';
import { ApiError } from '../../../src/platform/errors.js';
import { indexPrefix, redisUrl } from '../../support/services.js';
import { ask, connected, type SmallApp, type SmallAppOptions, startSmallApp, tally } from './small-app.js';

const SECRET = 'correct horse battery staple';

describe('admin secret', function () {
  this.timeout(30_000);

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

  it('lets the right one in, as often as it likes', async () => {
    await start();
    expect(await tally(20, () => attempt(SECRET))).to.deep.equal({ 200: 20 });
  });

  it('refuses a wrong, an almost right and a missing one', async () => {
    await start();
    for (const secret of ['wrong', `${SECRET}!`, SECRET.slice(1), '', undefined]) {
      const answer = await attempt(secret);
      expect(answer.status).to.equal(403);
      expect(await answer.json()).to.deep.equal({ detail: 'Invalid admin secret' });
    }
  });

  it('refuses wrong ones after five from an address, and never the right one', async () => {
    await start({ trustProxy: ['loopback'] });
    const from = (address: string) => ({ 'x-forwarded-for': address });
    await attempt(SECRET, from('203.0.113.1'));
    const wrong = await tally(5, () => attempt('wrong', from('203.0.113.1')));
    expect(wrong).to.deep.equal({ 403: 5 });
    const refused = await attempt('wrong', from('203.0.113.1'));
    expect(refused.status).to.equal(429);
    expect(refused.headers.get('retry-after')).to.equal('60');
    expect((await attempt(SECRET, from('203.0.113.1'))).status).to.equal(200);
    expect((await attempt('wrong', from('203.0.113.1'))).status, 'as before').to.equal(429);
    expect((await attempt('wrong', from('203.0.113.2'))).status, 'another address').to.equal(403);
  });

  it('lets the right one in from an address that has used up its requests', async () => {
    await start();
    expect(await tally(101, () => ask(app, '/open'))).to.deep.equal({ 200: 100, 429: 1 });
    expect((await attempt('wrong')).status).to.equal(429);
    expect((await attempt(SECRET)).status).to.equal(200);
  });

  it('is not to be guessed by many attempts at once', async () => {
    await start();
    const guesses = Array.from({ length: 40 }, (_, i) => `guess ${i}`);
    const check = (given: string) => app.access.checkAdminSecret({ given, address: '203.0.113.1' });
    const outcomes = await Promise.allSettled(guesses.map(check));
    const answers = outcomes.map((outcome) =>
      outcome.status === 'rejected' ? statusOf(outcome.reason) : 200,
    );
    expect(answers).to.deep.equal([...new Array(5).fill(403), ...new Array(35).fill(429)]);
  });

  it('forgives when the window ends', async () => {
    await start();
    await tally(6, () => attempt('wrong'));
    expect((await attempt('wrong')).status).to.equal(429);
    const counter = `${prefix}:limit:${addressCounter('admin', '127.0.0.1')}`;
    expect(await app.redis.pexpire(counter, 1), 'a window that ends').to.equal(1);
    while ((await app.redis.exists(counter)) === 1);
    expect((await attempt('wrong')).status).to.equal(403);
  });

  it('is nobody’s while none is configured', async () => {
    await start({ adminSecret: undefined });
    for (const secret of ['', 'null', 'undefined', SECRET, undefined]) {
      expect((await attempt(secret)).status).to.equal(403);
    }
  });
});

const statusOf = (error: unknown) => (error instanceof ApiError ? error.status : 500);
