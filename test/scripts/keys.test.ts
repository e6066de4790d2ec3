import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { KeyStore, type KeyRecord } from '../../src/access/keys.js';
import { RedisBreaker } from '../../src/access/redis-breaker.js';
import { createRedis } from '../../src/access/redis.js';
import { connected } from '../access/small-app.js';
import { indexPrefix, redisUrl } from '../support/services.js';

interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs `npm run keys -- ...args` without npm. */
function keysCommand(args: string[], env: Record<string, string> = {}): Promise<Outcome> {
  const script = fileURLToPath(new URL('../../scripts/keys.ts', import.meta.url));
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      ['--import', 'tsx', script, ...args],
      { env: { ...process.env, REDIS_URL: redisUrl, INDEX_PREFIX: indexPrefix, ...env } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

const CREATE = ['create', '--developer', 'dev-1', '--name', 'Shop window'];

describe('keys command', function () {
  this.timeout(60_000);

  it('creates, lists and revokes keys that the service knows', async () => {
    const redis = createRedis(redisUrl);
    await connected(redis);
    const keys = new KeyStore(new RedisBreaker(redis), indexPrefix);
    try {
      const created = await keysCommand([...CREATE, '--tier', 'premium', '--environment', 'test']);
      expect(created.code).to.equal(0);
      const [rawKey = '', ...more] = created.stdout.match(/svc_\w+_[\w-]{48}/g) ?? [];
      expect(more, 'the raw key, once').to.deep.equal([]);
      expect(created.stdout).to.match(/cannot be shown again/);
      const found = await keys.findByRawKey(rawKey);
      expect(found).to.include({ tier: 'premium', environment: 'test' });
      const id = found?.id ?? '';
      expect(created.stdout).to.include(id);
      expect(created.stderr).to.match(new RegExp(`^\\S+ info key-created ${id} \\{.*"dev-1".*\\}\n$`));

      const listed = await keysCommand(['list']);
      expect(listed.stdout).to.match(new RegExp(`${id}  premium +test .* usable +dev-1: Shop window`));
      expect(listed.stdout).to.not.include(rawKey);

      const revoked = await keysCommand(['revoke', id], { NODE_ENV: 'production' });
      expect(revoked).to.include({ code: 0, stdout: `Revoked ${id}.\n` });
      const line = JSON.parse(revoked.stderr);
      expect(line.event).to.deep.include({ category: ['iam'], action: 'key-revoked', outcome: 'success' });
      expect(line.catalog).to.deep.equal({
        by: 'command',
        key: { id, tier: 'premium' },
        developer: 'dev-1',
      });
      expect(await keys.findByRawKey(rawKey)).to.equal(null);
      const asJson = await keysCommand(['list', '--json']);
      const record = (JSON.parse(asJson.stdout) as KeyRecord[]).find((key) => key.id === id);
      expect(record).to.include({ developerId: 'dev-1', name: 'Shop window', tier: 'premium' });
      expect(record?.revokedAt).to.match(/Z$/);
    } finally {
      redis.disconnect();
    }
  });

  it('prints a name without what would move the cursor', async () => {
    await keysCommand(['create', '--developer', 'dev-2', '--name', 'a\u001b[2Jb', '--tier', 'free']);
    const { stdout } = await keysCommand(['list']);
    expect(stdout).to.include('dev-2: a\ufffd[2Jb').and.not.include('\u001b');
  });

  it('says what is wrong with the command line', async () => {
    const wrong: [args: string[], reason: RegExp][] = [
      [[...CREATE, '--tier', 'gold'], /--tier must be one of free, basic, standard, premium, not "gold"/],
      [[...CREATE], /create needs --tier/],
      [['create', '--name', 'x', '--tier', 'free', '--developer', ' '], /create needs --developer/],
      [[...CREATE, '--tier', 'free', '--environment', 'prod'], /--environment must be one of live, test/],
      [['revoke'], /revoke needs the id/],
      [['list', '--tier', 'free'], /list has no option --tier/],
      [['list', 'all'], /does not know what to do with "all"/],
      [['lsit'], /create, list or revoke, not "lsit"/],
      [[], /create, list or revoke/],
      [['--frobnicate'], /frobnicate/],
    ];
    await Promise.all(
      wrong.map(async ([args, reason]) => {
        const outcome = await keysCommand(args);
        expect(outcome.stderr, args.join(' ')).to.match(reason);
        expect(outcome, args.join(' ')).to.include({ code: 2, stdout: '' });
      }),
    );
  });

  it('says what failed', async () => {
    const unknown = await keysCommand(['revoke', 'no-such-key']);
    expect(unknown).to.include({ code: 1, stdout: '' });
    expect(unknown.stderr).to.include('there is no key no-such-key');
    const unreachable = await keysCommand(['list'], { REDIS_URL: 'redis://user:pass-word@127.0.0.1:1' });
    expect(unreachable).to.include({ code: 1, stdout: '' });
    expect(unreachable.stderr)
      .to.match(/Redis at 127\.0\.0\.1:1 .*set REDIS_URL/)
      .and.not.include('pass-word');
    expect((await keysCommand(['list'], { INDEX_PREFIX: 'Not This' })).stderr).to.include('INDEX_PREFIX');
  });

  it('explains itself', async () => {
    const help = await keysCommand(['--help']);
    expect(help.code).to.equal(0);
    for (const word of ['create', 'list', 'revoke', 'REDIS_URL', 'premium'])
      expect(help.stdout).to.include(word);
  });
});
