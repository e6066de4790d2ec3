// Chaos only (faults, sampled): it stops and starts Redis.
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { expect } from 'chai';
import { freePort, type LocalEngine, startLocalRedis } from '../../../tools/local-services/index.js';
import { credentialOfRawKey } from '../../../src/platform/access/key.js';
import { KeyStore } from '../../../src/platform/access/key-store.js';
import { RedisBreaker } from '../../../src/platform/redis/redis-breaker.js';
import { createRedis } from '../../../src/platform/redis/create-redis.js';
import { ApiError } from '../../../src/platform/errors.js';
import { ask, connected, type SmallApp, startSmallApp, tally, until } from './small-app.js';

const wanted = { developerId: 'dev-1', name: 'Shop', tier: 'free', environment: 'live' } as const;
const SECRET = 'correct horse battery staple';

/**
 * The time limit of a Redis command in ms. It is five times the default of the service, so that a Redis that is neither frozen
 * nor killed answers in time on a busy machine.
 */
const DEADLINE_MS = 1_500;

/** Each test has a Redis of its own, which keeps its data and port when it restarts. */
describe('access while Redis fails', function () {
  let dataDir: string;
  let port: number;
  let redis: LocalEngine;
  let prefix: string;
  const apps: SmallApp[] = [];

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'redis-faults-'));
    port = await freePort();
    prefix = `test-${randomUUID()}`;
    await startRedis();
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
    // A process that was stopped by SIGSTOP does not end before it continues.
    signalRedis('SIGCONT');
    await redis.stop();
    await rm(dataDir, { recursive: true });
  });

  async function startRedis(): Promise<void> {
    redis = await startLocalRedis({ log: () => undefined, dataDir, port });
  }

  /** The signal has no effect if the process has ended. */
  function signalRedis(signal: NodeJS.Signals): void {
    try {
      process.kill(redis.pid, signal);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    }
  }

  async function killRedis(): Promise<void> {
    signalRedis('SIGKILL');
    await redis.stop();
  }

  async function start(): Promise<SmallApp> {
    const app = await startSmallApp({
      redisUrl: `redis://127.0.0.1:${port}`,
      prefix,
      adminSecret: SECRET,
      redisDeadlineMs: DEADLINE_MS,
    });
    apps.push(app);
    return app;
  }

  /** Starts an app and uses an API key, so that the app knows the key. */
  async function startWithSeenKey() {
    const app = await start();
    await connected(app.redis);
    const { record, rawKey } = await app.access.keys.create(wanted, new Date());
    expect((await ask(app, '/key', rawKey)).status).to.equal(200);
    return { app, record, rawKey };
  }

  const newKey = async (app: SmallApp) => (await app.access.keys.create(wanted, new Date())).rawKey;

  /**
   * Checks what the API contract requires while Redis is unavailable, for a recently used key and for all
   * other requests.
   */
  async function expectHeldOut(app: SmallApp, seen: string, unseen: string): Promise<void> {
    expect(await tally(130, () => ask(app, '/key', seen))).to.deep.equal({ 200: 100, 429: 30 });
    for (const key of [unseen, `svc_live_${'a'.repeat(48)}`, 'nonsense', undefined]) {
      const answer = await ask(app, '/key', key);
      expect(answer.status, key).to.equal(503);
      expect(answer.headers.has('retry-after')).to.equal(true);
      expect(await answer.json()).to.deep.equal({ detail: 'Service temporarily unavailable' });
    }
    expect((await ask(app, '/open')).status).to.equal(503);
    // A link to a shop needs no API key.
    expect(await tally(110, () => ask(app, '/link'))).to.deep.equal({ 200: 100, 429: 10 });
    // Admin secrets are checked without Redis, and the process counts the wrong ones.
    for (const [secret, status] of [
      [SECRET, 200],
      ['wrong', 403],
    ] as const)
      expect((await ask(app, '/admin', undefined, { 'x-admin-secret': secret })).status).to.equal(status);
  }

  /** Checks that Redis counts requests again, and that responses state its counts. */
  async function expectHealed(app: SmallApp): Promise<void> {
    const fresh = await newKey(app);
    const remaining = async () => (await ask(app, '/key', fresh)).headers.get('x-ratelimit-remaining');
    expect([await remaining(), await remaining()]).to.deep.equal(['99', '98']);
    expect(await app.redis.get(`${prefix}:limit:${credentialOfRawKey(fresh)?.counter}`)).to.equal('2');
    expect((await ask(app, '/key')).status).to.equal(401);
    expect((await ask(app, '/admin', undefined, { 'x-admin-secret': SECRET })).status).to.equal(200);
  }

  it('killed: serves keys of the last minute under a local limit, and heals with every key it had', async () => {
    const { app, rawKey } = await startWithSeenKey();
    const unseen = await newKey(app);
    await killRedis();
    await until(() => ask(app, '/open'), 503);
    await expectHeldOut(app, rawKey, unseen);

    await startRedis();
    expect((await until(() => ask(app, '/key', unseen), 200)).headers.get('x-ratelimit-remaining')).to.equal(
      '99',
    );
    // The request is counted by Redis again, which had counted one request of the key before.
    expect((await ask(app, '/key', rawKey)).headers.get('x-ratelimit-remaining')).to.equal('98');
    await expectHealed(app);
  });

  it('hung: the same, and hardly a request waits for it', async () => {
    const { app, rawKey } = await startWithSeenKey();
    const unseen = await newKey(app);
    await app.redis.config('RESETSTAT');
    signalRedis('SIGSTOP');
    for (let i = 0; i < 50; i++) expect((await ask(app, '/key', rawKey)).status).to.equal(200);
    signalRedis('SIGCONT');
    await until(() => ask(app, '/key', unseen), 200);
    // Redis has now processed the commands that it received while it hung: a few attempts of fifty.
    const stats = await app.redis.info('commandstats');
    expect(calls(stats, 'hmget')).to.be.within(1, 10);
    expect(calls(stats, 'evalsha')).to.be.within(1, 10);

    signalRedis('SIGSTOP');
    await until(() => ask(app, '/open'), 503);
    const left = 50;
    expect(await tally(60, () => ask(app, '/key', rawKey))).to.deep.equal({ 200: left, 429: 10 });
    signalRedis('SIGCONT');
    await until(() => ask(app, '/open'), 200);
    await expectHealed(app);
  });

  it('read-only: counts keys locally, makes none, and heals', async () => {
    const { app, rawKey } = await startWithSeenKey();
    const unseen = await newKey(app);
    await app.redis.replicaof('127.0.0.1', '1');
    expect(await tally(110, () => ask(app, '/open'))).to.deep.equal({ 200: 100, 429: 10 });
    expect((await ask(app, '/key', unseen)).status, 'it can still be read').to.equal(200);
    expect(await tally(130, () => ask(app, '/key', rawKey))).to.deep.equal({ 200: 100, 429: 30 });
    expect((await ask(app, '/key')).status, 'the limit of the address').to.equal(429);
    expect((await ask(app, '/admin', undefined, { 'x-admin-secret': 'wrong' })).status).to.equal(403);
    expect(await rejection(newKey(app))).to.include({ status: 503 });
    await app.redis.replicaof('NO', 'ONE');
    expect((await ask(app, '/open')).status).to.equal(200);
    await expectHealed(app);
  });

  it('away at the start: answers 503, and works once it is there', async () => {
    await killRedis();
    const app = await start();
    expect((await ask(app, '/key', `svc_live_${'a'.repeat(48)}`)).status).to.equal(503);
    expect((await ask(app, '/open')).status).to.equal(503);
    await startRedis();
    await until(() => ask(app, '/open'), 200);
    await expectHealed(app);
  });

  it('hung at the start: answers 503, and works once it goes on', async () => {
    signalRedis('SIGSTOP');
    const app = await start();
    // Redis accepts connections and does not respond, so the client closes its first connection.
    await new Promise((resolve) => app.redis.once('close', resolve));
    expect((await ask(app, '/key', `svc_live_${'a'.repeat(48)}`)).status).to.equal(503);
    expect((await ask(app, '/open')).status).to.equal(503);
    signalRedis('SIGCONT');
    await until(() => ask(app, '/open'), 200);
    await expectHealed(app);
  });

  it('without its scripts: counts on where it was', async () => {
    const { app, rawKey } = await startWithSeenKey();
    await app.redis.script('FLUSH');
    expect((await ask(app, '/key', rawKey)).headers.get('x-ratelimit-remaining')).to.equal('98');
  });

  it('gone right after a revocation: the revoked key is not among those served', async () => {
    const { app, record, rawKey } = await startWithSeenKey();
    await app.access.keys.revoke(record.id, new Date());
    await killRedis();
    await until(() => ask(app, '/open'), 503);
    expect((await ask(app, '/key', rawKey)).status).to.equal(503);
  });

  it('killed and started again: keeps keys and revocations', async () => {
    const { app, record, rawKey } = await startWithSeenKey();
    const kept = await newKey(app);
    await app.access.keys.revoke(record.id, new Date());
    await killRedis();
    await startRedis();
    const client = createRedis(`redis://127.0.0.1:${port}`);
    await connected(client);
    const keys = new KeyStore(new RedisBreaker(client), prefix);
    expect(await keys.findByRawKey(kept)).to.include({ tier: 'free' });
    expect(await keys.findByRawKey(rawKey)).to.equal(null);
    expect((await keys.list(new Date())).map(({ revokedAt }) => revokedAt === null).sort()).to.deep.equal([
      false,
      true,
    ]);
    client.disconnect();
  });

  it('never puts a secret into an error', async () => {
    const { app, rawKey } = await startWithSeenKey();
    const unseen = await newKey(app);
    signalRedis('SIGSTOP');
    const address = '203.0.113.1';
    const errors = await Promise.all([
      rejection(app.access.keys.findByRawKey(unseen)),
      rejection(app.access.keys.create(wanted, new Date())),
      rejection(app.access.checkAdminSecret({ given: 'a wrong secret', address })),
    ]);
    expect(errors.map(({ status }) => status)).to.deep.equal([503, 503, 403]);
    for (const error of errors) {
      const told = inspect(error, { depth: 10, showHidden: true });
      for (const secret of [rawKey, unseen, SECRET, 'a wrong secret']) expect(told).to.not.include(secret);
    }
  });
});

/** Returns how often Redis has run a command since its statistics were reset. */
const calls = (stats: string, command: string): number =>
  Number(new RegExp(`^cmdstat_${command}:calls=(\\d+)`, 'm').exec(stats)?.[1] ?? 0);

/** Returns the error with which a promise is rejected. */
async function rejection(promise: Promise<unknown>): Promise<ApiError> {
  const outcome = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(outcome instanceof ApiError)) expect.fail(`expected an ApiError, not ${String(outcome)}`);
  return outcome;
}
