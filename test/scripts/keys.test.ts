import { expect } from 'chai';
import { KeyStore, type KeyRecord } from '../../src/access/keys.js';
import { RedisBreaker } from '../../src/access/redis-breaker.js';
import { main } from '../../scripts/keys.js';
import { createRedis } from '../../src/access/redis.js';
import { connected } from '../access/small-app.js';
import { run, startCommand } from '../support/command.js';
import { indexPrefix, redisUrl } from '../support/services.js';

const keysCommand = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  run(main, args, { env: { REDIS_URL: redisUrl, INDEX_PREFIX: indexPrefix, ...env } });

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
      const [rawKey = '', ...more] = created.out.match(/svc_\w+_[\w-]{48}/g) ?? [];
      expect(more, 'the raw key, once').to.deep.equal([]);
      expect(created.out).to.match(/cannot be shown again/);
      const found = await keys.findByRawKey(rawKey);
      expect(found).to.include({ tier: 'premium', environment: 'test' });
      const id = found?.id ?? '';
      expect(created.out).to.include(id);
      expect(created.err).to.match(new RegExp(`^\\S+ info key-created ${id} \\{.*"dev-1".*\\}\n$`));

      const listed = await keysCommand(['list']);
      expect(listed.out).to.match(new RegExp(`${id}  premium +test .* usable +dev-1: Shop window`));
      expect(listed.out).to.not.include(rawKey);

      const revoked = await keysCommand(['revoke', id], { NODE_ENV: 'production' });
      expect(revoked).to.include({ code: 0, out: `Revoked ${id}.\n` });
      const line = JSON.parse(revoked.err);
      expect(line.event).to.deep.include({ category: ['iam'], action: 'key-revoked', outcome: 'success' });
      expect(line.catalog).to.deep.equal({
        by: 'command',
        key: { id, tier: 'premium' },
        developer: 'dev-1',
      });
      expect(await keys.findByRawKey(rawKey)).to.equal(null);
      const asJson = await keysCommand(['list', '--json']);
      const record = (JSON.parse(asJson.out) as KeyRecord[]).find((key) => key.id === id);
      expect(record).to.include({ developerId: 'dev-1', name: 'Shop window', tier: 'premium' });
      expect(record?.revokedAt).to.match(/Z$/);
    } finally {
      redis.disconnect();
    }
  });

  it('prints a name without what would move the cursor', async () => {
    await keysCommand(['create', '--developer', 'dev-2', '--name', 'a\u001b[2Jb', '--tier', 'free']);
    const { out } = await keysCommand(['list']);
    expect(out).to.include('dev-2: a\ufffd[2Jb').and.not.include('\u001b');
  });

  it('says what is wrong with the command line', async () => {
    const wrong: [args: string[], reason: RegExp][] = [
      [[...CREATE, '--tier', 'gold'], /--tier must be one of free, basic, standard, premium, not "gold"/],
      [[...CREATE], /create --tier .* is needed/],
      [
        ['create', '--name', 'x', '--tier', 'free', '--developer', ' '],
        /create --developer must not be empty/,
      ],
      [[...CREATE, '--tier', 'free', '--environment', 'prod'], /--environment must be one of live, test/],
      [['revoke'], /revoke needs the id/],
      [['list', '--tier', 'free'], /list has no option --tier/],
      [['list', 'all'], /does not know what to do with "all"/],
      [['lsit'], /create, list, revoke, not "lsit"/],
      [[], /Say what to do: create, list, revoke/],
      [['--frobnicate'], /frobnicate/],
    ];
    await Promise.all(
      wrong.map(async ([args, reason]) => {
        const outcome = await keysCommand(args);
        expect(outcome.err, args.join(' ')).to.match(reason);
        expect(outcome.err).to.match(/npm run keys -- --help says more/);
        expect(outcome, args.join(' ')).to.include({ code: 2, out: '' });
      }),
    );
  });

  it('says what failed', async () => {
    const unknown = await keysCommand(['revoke', 'no-such-key']);
    expect(unknown).to.include({ code: 1, out: '' });
    expect(unknown.err).to.include('there is no key no-such-key');
    const unreachable = await keysCommand(['list'], { REDIS_URL: 'redis://user:pass-word@127.0.0.1:1' });
    expect(unreachable).to.include({ code: 1, out: '' });
    expect(unreachable.err)
      .to.match(/Redis at 127\.0\.0\.1:1 .*set REDIS_URL/)
      .and.not.include('pass-word');
    expect((await keysCommand(['list'], { INDEX_PREFIX: 'Not This' })).err).to.include('INDEX_PREFIX');
  });

  it('is the same in a process of its own', async () => {
    const env = { REDIS_URL: redisUrl, INDEX_PREFIX: indexPrefix };
    const { code, out, err } = await startCommand('scripts/keys.ts', ['list'], env).ended;
    expect({ code, out, err }).to.deep.equal(await keysCommand(['list']));
    const misused = await startCommand('scripts/keys.ts', ['lsit'], env).ended;
    expect(misused).to.include({ code: 2, out: '' });
  });

  it('explains itself', async () => {
    const help = await keysCommand(['--help']);
    expect(help.code).to.equal(0);
    for (const word of ['create', 'list', 'revoke', 'REDIS_URL', 'premium'])
      expect(help.out).to.include(word);
  });
});
