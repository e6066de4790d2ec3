import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { expect } from 'chai';
import { TIER_NAMES, TIERS } from '../../src/platform/access/tiers.js';
import { credentialOfRawKey } from '../../src/platform/access/key.js';
import { program } from '../support/program.js';
import { monitorOf } from '../support/redis-monitor.js';
import { indexPrefix, redisUrl } from '../support/services.js';
import {
  ask,
  connected,
  type SmallApp,
  type SmallAppOptions,
  startSmallApp,
  tally,
} from '../platform/access/small-app.js';

const wanted = { developerId: 'dev-1', name: 'Shop', tier: 'free', environment: 'live' } as const;

describe('rate limit', function () {
  const apps: SmallApp[] = [];
  let prefix: string;

  async function start(options: Partial<SmallAppOptions> = {}): Promise<SmallApp> {
    const app = await startSmallApp({ redisUrl, prefix, ...options });
    apps.push(app);
    await connected(app.redis);
    return app;
  }

  beforeEach(() => {
    prefix = `${indexPrefix}:${randomUUID()}`;
  });
  afterEach(async () => {
    await Promise.all(apps.splice(0).map((app) => app.close()));
  });

  it('allows each tier its number of requests per minute', async () => {
    const app = await start();
    expect(TIERS).to.deep.equal({ free: 100, basic: 100, standard: 500, premium: 1_000 });
    for (const tier of TIER_NAMES) {
      const { rawKey } = await app.access.keys.create({ ...wanted, tier }, new Date());
      const answer = await ask(app, '/key', rawKey);
      expect(answer.headers.get('x-ratelimit-limit'), tier).to.equal(String(TIERS[tier]));
      expect(remainingOf(answer), tier).to.equal(String(TIERS[tier] - 1));
    }
  });

  it('refuses the 101st request of a free key and states when to retry', async () => {
    const app = await start();
    const { rawKey } = await app.access.keys.create(wanted, new Date());
    const other = await app.access.keys.create(wanted, new Date());
    expect(await tally(100, () => ask(app, '/key', rawKey))).to.deep.equal({ 200: 100 });
    const refused = await ask(app, '/key', rawKey);
    expect(refused.status).to.equal(429);
    const seconds = Number(refused.headers.get('retry-after'));
    expect(seconds).to.be.within(30, 60);
    expect(await refused.json()).to.deep.equal({
      detail: `Rate limit exceeded. Retry after ${seconds} seconds.`,
    });
    expect((await ask(app, '/key', other.rawKey)).status, 'another key').to.equal(200);
    expect((await ask(app, '/open')).status, 'the address').to.equal(200);
  });

  it('shares one window between processes', async () => {
    const app = await start();
    const { rawKey } = await app.access.keys.create(wanted, new Date());
    const others = await Promise.all([startProcess(prefix), startProcess(prefix)]);
    try {
      const answers = await tally(130, (i) => ask(others[i % 2] ?? app, '/key', rawKey));
      expect(answers).to.deep.equal({ 200: 100, 429: 30 });
    } finally {
      await Promise.all(others.map(({ stop }) => stop()));
    }
  });

  it('counts one fixed window from the first request, by the clock of Redis', async () => {
    const app = await start();
    const { rawKey } = await app.access.keys.create(wanted, new Date());
    const counter = `${prefix}:limit:${credentialOfRawKey(rawKey)?.counter}`;
    await ask(app, '/key', rawKey);
    expect(await app.redis.pttl(counter)).to.be.within(30_000, 60_000);
    // The remaining time is shortened, as if most of the window had passed.
    await app.redis.pexpire(counter, 20_000);
    const late = await ask(app, '/key', rawKey);
    expect(await app.redis.pttl(counter)).to.be.within(1, 20_000);
    expect(late.headers.get('ratelimit')).to.match(/^"100-in-1min"; r=98; t=(1?\d|20)$/);
    await app.redis.pexpire(counter, 1);
    while ((await app.redis.exists(counter)) === 1);
    expect(remainingOf(await ask(app, '/key', rawKey))).to.equal('99');
  });

  it('states the state of the window on every counted answer', async () => {
    const app = await start({ adminSecret: 'an admin secret' });
    const { rawKey } = await app.access.keys.create(wanted, new Date());
    const requests: [status: number, path: string, key?: string][] = [
      [200, '/key', rawKey],
      [404, '/missing', rawKey],
      [422, '/invalid', rawKey],
      [200, '/open'],
      [401, '/key'],
      [403, '/admin'],
    ];
    for (const [status, path, key] of requests) {
      const answer = await ask(app, path, key);
      expect(answer.status, path).to.equal(status);
      expectWindow(answer);
    }
    await tally(97, () => ask(app, '/key', rawKey));
    const refused = await ask(app, '/key', rawKey);
    expect(refused.status).to.equal(429);
    expectWindow(refused);
    expect(remainingOf(refused)).to.equal('0');
  });

  it('counts a request against its address if another instance has just revoked its key', async () => {
    const [app, other] = [await start(), await start()];
    const { rawKey, record } = await app.access.keys.create({ ...wanted, tier: 'premium' }, new Date());
    const served = await ask(app, '/key', rawKey);
    expect(remainingOf(served)).to.equal('999');
    await other.access.keys.revoke(record.id, new Date());
    for (const remaining of ['99', '98']) {
      const refused = await ask(app, '/key', rawKey);
      expect(refused.status).to.equal(401);
      expect(refused.headers.get('x-ratelimit-limit')).to.equal('100');
      expect(remainingOf(refused)).to.equal(remaining);
    }
  });

  it('counts a request against its address if its key has expired', async () => {
    const app = await start();
    const [past, future] = [-1, 60_000].map((ms) => new Date(Date.now() + ms).toISOString());
    const { rawKey } = await app.access.keys.create({ ...wanted, expiresAt: past }, new Date());
    const good = await app.access.keys.create({ ...wanted, expiresAt: future }, new Date());
    for (const [key, status] of [
      [rawKey, 401],
      [good.rawKey, 200],
    ] as const) {
      const answer = await ask(app, '/key', key);
      expect(answer.status).to.equal(status);
      expect(remainingOf(answer)).to.equal('99');
    }
    expect(remainingOf(await ask(app, '/open'))).to.equal('98');
  });

  it('counts every one of many simultaneous requests', async () => {
    const app = await start();
    const { rawKey } = await app.access.keys.create(wanted, new Date());
    await ask(app, '/key', rawKey);
    const answers = await Promise.all(Array.from({ length: 30 }, () => ask(app, '/key', rawKey)));
    const remaining = answers.map(({ headers }) => Number(headers.get('x-ratelimit-remaining')));
    expect(remaining.sort((a, b) => b - a)).to.deep.equal(Array.from({ length: 30 }, (_, i) => 98 - i));
  });

  it('needs one round trip to Redis, with or without a key', async () => {
    const app = await start();
    const { rawKey } = await app.access.keys.create(wanted, new Date());
    // The first request of a key reads its developer, and may have to load the script of the counter.
    await ask(app, '/key', rawKey);
    const seen = await commandsOf(app, prefix, async () => {
      for (let i = 0; i < 3; i++) await ask(app, '/key', rawKey);
    });
    expect(seen).to.deep.equal(['hmget', 'evalsha', 'hmget', 'evalsha', 'hmget', 'evalsha']);
    expect(await roundTripsOf(app, () => ask(app, '/key', rawKey))).to.equal(1);
    expect(await commandsOf(app, prefix, () => ask(app, '/key'))).to.deep.equal(['evalsha']);
    expect(await commandsOf(app, prefix, () => ask(app, '/key', 'svc_live_too-short'))).to.deep.equal([
      'evalsha',
    ]);
  });

  it('trusts X-Forwarded-For only from a trusted proxy', async () => {
    const direct = await start();
    await tally(100, () => ask(direct, '/open'));
    const spoofed = await ask(direct, '/open', undefined, { 'x-forwarded-for': '203.0.113.9' });
    expect(spoofed.status).to.equal(429);
    const behindProxy = await start({ trustProxy: ['loopback'] });
    const forwarded = await ask(behindProxy, '/open', undefined, { 'x-forwarded-for': '203.0.113.9' });
    expect(forwarded.status).to.equal(200);
  });

  it('counts an IPv6 address with its network, and an IPv4 address in any notation by itself', async () => {
    const app = await start({ trustProxy: ['loopback'] });
    const remaining = async (address: string) =>
      Number(remainingOf(await ask(app, '/open', undefined, { 'x-forwarded-for': address })));
    expect(await remaining('2001:db8:0:aa00::1')).to.equal(99);
    expect(await remaining('2001:db8:0:aaff::2')).to.equal(98);
    expect(await remaining('2001:db8:0:ab00::1')).to.equal(99);
    expect(await remaining('203.0.113.7')).to.equal(99);
    expect(await remaining('::ffff:203.0.113.7')).to.equal(98);
    expect(await remaining('203.0.113.8')).to.equal(99);
  });

  it('accepts the notations that proxies use for addresses, and counts invalid text against the proxy', async () => {
    const app = await start({ trustProxy: ['loopback', '198.51.100.7'] });
    const remaining = async (forwardedFor: string) =>
      Number(remainingOf(await ask(app, '/open', undefined, { 'x-forwarded-for': forwardedFor })));
    expect(await remaining('203.0.113.9')).to.equal(99);
    expect(await remaining('203.0.113.9:5555')).to.equal(98);
    expect(await remaining('203.0.113.9:6666, 198.51.100.7:443')).to.equal(97);
    expect(await remaining('2001:db8::1')).to.equal(99);
    expect(await remaining('[2001:db8::1]')).to.equal(98);
    expect(await remaining('[2001:db8::1]:5555')).to.equal(97);
    const garbage = [
      'garbage',
      'x'.repeat(3_000),
      `fe80::1%${'y'.repeat(3_000)}`,
      '203.0.113.300',
      '203.0.113.9:',
      '::'.repeat(99),
      '[203.0.113.9',
      '203.0.113.9:port',
      '1.2.3.4:123456',
      'unknown',
      '_hidden',
      `:${'limit:'.repeat(20)}`,
    ];
    for (const [i, text] of garbage.entries()) expect(await remaining(text), text).to.equal(99 - i);
    const names = await app.redis.keys(`${prefix}:limit:*`);
    expect(names).to.have.length(3);
    for (const name of names) expect(name.slice(prefix.length)).to.match(/^:limit:address:[\w-]{43}$/);
  });
});

const remainingOf = ({ headers }: Response): string | null => headers.get('x-ratelimit-remaining');

function expectWindow({ headers }: Response): void {
  expect(headers.get('ratelimit')).to.match(/^"100-in-1min"; r=\d+; t=\d+$/);
  expect(headers.get('ratelimit-policy')).to.match(/^"100-in-1min"; q=100; w=60; pk=:\S+:$/);
  expect(headers.get('x-ratelimit-limit')).to.equal('100');
  expect(headers.get('x-ratelimit-remaining')).to.match(/^\d+$/);
  expect(headers.get('x-ratelimit-reset')).to.match(/^\d{10}$/);
}

/** Returns the commands that the app sends to Redis for some requests, in lower case. */
async function commandsOf(
  app: SmallApp,
  prefix: string,
  requests: () => Promise<unknown>,
): Promise<string[]> {
  const monitor = await monitorOf(app.redis);
  const marker = randomUUID();
  const mine: string[] = [];

  const finished = new Promise<void>((resolve) => {
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (args.includes(marker)) resolve();
      else if (source !== 'lua' && args.some((arg) => arg.startsWith(`${prefix}:`))) mine.push(args[0] ?? '');
    });
  });
  try {
    await requests();
    await app.redis.echo(marker);
    await finished;
    return mine.map((name) => name.toLowerCase());
  } finally {
    monitor.disconnect();
  }
}

/** Returns how often the app writes to its connection to Redis for some requests. */
async function roundTripsOf({ redis }: SmallApp, requests: () => Promise<unknown>): Promise<number> {
  const { stream } = redis as unknown as { stream: Socket };
  const write = stream.write.bind(stream);
  let count = 0;
  stream.write = ((...given: Parameters<Socket['write']>) => {
    count += 1;
    return write(...given);
  }) as Socket['write'];
  try {
    await requests();
    return count;
  } finally {
    stream.write = write;
  }
}

/** Starts a small app in a process of its own. */
async function startProcess(prefix: string): Promise<{ url: string; stop(): Promise<void> }> {
  const child = spawn(process.execPath, [...program('test/platform/access/instance.ts'), redisUrl, prefix], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [url] = (await once(child, 'message')) as [string];
  // The first request of a process is slow, so it is sent before the burst.
  await ask({ url }, '/open');
  return {
    url,
    async stop() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
