import { expect } from 'chai';
import { KeyStore } from '../../src/platform/access/key-store.js';
import type { KeyRecord } from '../../src/platform/access/key.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { main } from '../../scripts/keys.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { readConfig } from '../../src/platform/config/config.js';
import { createElasticsearch } from '../../src/engine/client.js';
import { removeElasticsearchTraces } from '../../tools/local-services/traces.js';
import { connected } from '../platform/access/small-app.js';
import { run, startCommand } from '../support/command.js';
import { recipe } from '../support/recipes.js';
import { PATIENT_REDIS } from '../support/patience.js';
import { elasticsearchUrl, indexPrefix as testPrefix, redisUrl } from '../support/services.js';

/**
 * The keys have an index prefix of their own. The index template of audit events covers all names that
 * continue the prefix with `-audit-`, and two templates of equal priority must not cover the same names.
 */
const indexPrefix = `${testPrefix}-keys`;

const keysCommand = (args: string[], env: NodeJS.ProcessEnv = {}) =>
  run(main, args, { env: { REDIS_URL: redisUrl, INDEX_PREFIX: indexPrefix, ...PATIENT_REDIS, ...env } });

const CREATE = ['create', '--developer', 'dev-1', '--name', 'Shop window'];

describe('npm run keys', function () {
  const { elasticsearch } = readConfig({ ELASTICSEARCH_URL: elasticsearchUrl });
  const es = createElasticsearch(elasticsearch, { requestTimeout: 30_000, maxRetries: 2 });
  after(async () => {
    await removeElasticsearchTraces(es, indexPrefix);
    await es.close();
  });

  it('creates, lists and revokes keys that the service knows', async () => {
    const redis = createRedis(redisUrl);
    await connected(redis);
    const keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), indexPrefix);
    try {
      const created = await keysCommand([...CREATE, '--tier', 'premium', '--environment', 'test']);
      expect(created.code).to.equal(0);
      const [rawKey = '', ...more] = created.out.match(/svc_\w+_[\w-]{48}/g) ?? [];
      expect(more, 'the raw key, once').to.deep.equal([]);
      expect(created.out).to.match(/cannot be displayed again/);
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
      expect(line.catalog).to.deep.equal({ by: 'command', key: { id, tier: 'premium' }, developer: 'dev-1' });
      expect(await keys.findByRawKey(rawKey)).to.equal(null);
      const asJson = await keysCommand(['list', '--json']);
      const optionFirst = await keysCommand(['--json', 'list']);
      expect(optionFirst).to.deep.equal(asJson);
      const record = (JSON.parse(asJson.out) as KeyRecord[]).find((key) => key.id === id);
      expect(record).to.include({ developerId: 'dev-1', name: 'Shop window', tier: 'premium' });
      expect(record?.revokedAt).to.match(/Z$/);
    } finally {
      redis.disconnect();
    }
  });

  it('revokes a key although Elasticsearch cannot record it, and says that this must be repeated', async () => {
    const redis = createRedis(redisUrl);
    await connected(redis);
    const keys = new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), indexPrefix);
    try {
      const { record, rawKey } = await keys.create(
        { developerId: 'dev-3', name: 'Shop', tier: 'free', environment: 'live' },
        new Date(),
      );
      const away = { ELASTICSEARCH_URL: 'http://127.0.0.1:1' };
      const replaced = await keysCommand(['rotate', record.id, '--grace', '60'], away);
      expect(replaced.code, 'nothing is replaced').to.equal(1);
      expect(await keys.findByRawKey(rawKey)).to.not.have.property('expiresAt');
      const revoked = await keysCommand(['revoke', record.id], away);
      expect(revoked.code).to.equal(1);
      expect(revoked.err).to.match(/Elasticsearch has not recorded it\. Repeat the request/);
      expect(await keys.findByRawKey(rawKey)).to.equal(null);
      const repeated = await keysCommand(['revoke', record.id], { ELASTICSEARCH_URL: elasticsearchUrl });
      expect(repeated.code).to.equal(0);
      const { _source } = await es.get({ index: `${indexPrefix}-revocations`, id: record.id });
      expect(_source).to.have.all.keys('recorded_at', 'refused_from');
    } finally {
      redis.disconnect();
    }
  });

  it('records each change as the service does, and reports if it cannot', async () => {
    const prefix = `${indexPrefix}-record`;
    const env = { INDEX_PREFIX: prefix, NODE_ENV: 'production' };
    const made = await keysCommand([...CREATE, '--tier', 'basic'], env);
    const line = JSON.parse(made.err);
    const rotated = await keysCommand(['rotate', line.catalog.key.id], env);
    await es.indices.refresh({ index: `${prefix}-audit*` });
    const { hits } = await es.search<any>({
      index: `${prefix}-audit*`,
      sort: [{ '@timestamp': 'asc' }, { 'catalog.key.id': 'asc' }],
    });
    const [first, second, ...more] = hits.hits.map(({ _source }) => _source);
    expect(more).to.deep.equal([]);
    expect(first.catalog).to.deep.equal(line.catalog);
    expect(first.event).to.deep.equal(line.event);
    expect(second.catalog).to.deep.equal(JSON.parse(rotated.err).catalog);
    expect(second.catalog.key.replaces).to.equal(line.catalog.key.id);

    const said = async (more: NodeJS.ProcessEnv) => {
      const { code, err } = await keysCommand([...CREATE, '--tier', 'free'], { ...env, ...more });
      expect(code).to.equal(0);
      return err.split('\n').slice(1).join('\n');
    };
    expect(await said({ ELASTICSEARCH_URL: 'http://127.0.0.1:1' })).to.match(
      /^This could not be recorded .*\n$/,
    );
    expect(await said({ ELASTICSEARCH_URL: '' })).to.match(/ELASTICSEARCH_URL is not set/);
    expect(await said({ EVENTS: 'off' })).to.equal('');
  });

  it('prints names without control characters', async () => {
    await keysCommand(['create', '--developer', 'dev-2', '--name', 'a\u001b[2Jb', '--tier', 'free']);
    const { out } = await keysCommand(['list']);
    expect(out).to.include('dev-2: a\ufffd[2Jb').and.not.include('\u001b');
  });

  it('rejects an invalid command line', async () => {
    const wrong: [args: string[], reason: RegExp][] = [
      [[...CREATE, '--tier', 'gold'], /--tier must be one of free, basic, standard, premium, not "gold"/],
      [[...CREATE], /create --tier .* is needed/],
      [
        ['create', '--name', 'x', '--tier', 'free', '--developer', ' '],
        /create --developer must not be empty/,
      ],
      [[...CREATE, '--tier', 'free', '--environment', 'prod'], /--environment must be one of live, test/],
      [['revoke'], /revoke needs the id/],
      [['list', '--tier', 'free'], /unknown option '--tier'/],
      [['list', 'all'], /too many arguments for 'list'/],
      [['lsit'], /create, list, rotate, revoke, export, import, not "lsit"/],
      [[], /Name one of these commands: create, list, rotate, revoke, export, import/],
      [['--frobnicate'], /frobnicate/],
    ];
    await Promise.all(
      wrong.map(async ([args, reason]) => {
        const outcome = await keysCommand(args);
        expect(outcome.err, args.join(' ')).to.match(reason);
        expect(outcome.err).to.match(/npm run keys -- --help shows how to use it/);
        expect(outcome, args.join(' ')).to.include({ code: 2, out: '' });
      }),
    );
  });

  it('reports errors', async () => {
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

  it('works the same in a separate process', async () => {
    const env = { REDIS_URL: redisUrl, INDEX_PREFIX: indexPrefix };
    const { code, out, err } = await startCommand('scripts/keys.ts', ['list'], env).ended;
    expect({ code, out, err }).to.deep.equal(await keysCommand(['list']));
    const misused = await startCommand('scripts/keys.ts', ['lsit'], env).ended;
    expect(misused).to.include({ code: 2, out: '' });
  });

  describe('export and import', () => {
    const [old, other] = [`${indexPrefix}-old`, `${indexPrefix}-other`];
    const at = (prefix: string, args: string[], stdin = '') =>
      run(main, args, { env: { REDIS_URL: redisUrl, INDEX_PREFIX: prefix, ...PATIENT_REDIS }, stdin });
    const redis = createRedis(redisUrl);
    const store = (prefix: string) => new KeyStore(new RedisBreaker(redis, { deadlineMs: 5_000 }), prefix);
    const now = new Date();
    const later = new Date(now.getTime() + 86_400_000);
    const wanted = { developerId: 'dev-3', name: 'Kiosk “é”', tier: 'premium', environment: 'live' } as const;
    let raw: Record<'plain' | 'partner' | 'revoked' | 'expired', string>;

    before(() => connected(redis));
    after(() => redis.disconnect());
    beforeEach(async () => {
      for (const prefix of [old, other]) {
        const names = await redis.keys(`${prefix}:*`);
        if (names.length > 0) await redis.del(names);
      }
      const keys = store(old);
      const make = async (more: object = {}) => keys.create({ ...wanted, ...more }, now);
      const revoked = await make();
      await keys.revoke(revoked.record.id, now);
      raw = {
        plain: (await make()).rawKey,
        partner: (await make({ scopes: ['write:shop_a'], expiresAt: later.toISOString() })).rawKey,
        revoked: revoked.rawKey,
        expired: (await make({ expiresAt: new Date(now.getTime() - 1).toISOString() })).rawKey,
      };
    });

    it('move every key with its permissions but no raw key, and change nothing the second time', async () => {
      const [exporting = ''] = recipe('docs/operations.md', 'Backups', 'umask 077 &&');
      const [importing = ''] = recipe(
        'docs/operations.md',
        'Backups',
        'docker compose run --rm -T -e REDIS_URL',
      );
      const argumentsOf = (command: string) => (/ keys ([^<>]+) [<>]/.exec(command)?.[1] ?? '').split(' ');
      const { out: file, code } = await at(old, argumentsOf(exporting));
      expect(code).to.equal(0);
      for (const rawKey of Object.values(raw)) expect(file).to.not.include(rawKey.slice(9));
      expect(file.trim().split('\n')).to.have.length(4);
      const tried = await at(other, argumentsOf(importing), file);
      expect(tried.out).to.equal('Would be 4 added, 0 ended as in the file, 0 unchanged, 0 lines refused.\n');
      expect((await at(other, ['list'])).out).to.equal('No keys yet.\n');
      const imported = await at(other, ['import', '-'], file);
      expect(imported.out).to.equal('4 added, 0 ended as in the file, 0 unchanged, 0 lines refused.\n');
      expect(imported.err.match(/info key-imported/g)).to.have.length(4);

      expect((await at(other, ['list', '--json'])).out).to.equal((await at(old, ['list', '--json'])).out);
      for (const rawKey of Object.values(raw)) {
        const found = await store(old).findByRawKey(rawKey);
        expect(await store(other).findByRawKey(rawKey)).to.deep.equal(found);
        if (found !== null) expect(await store(other).find({ id: found.id })).to.deep.equal(found);
      }
      expect(await store(other).findByRawKey(raw.partner)).to.deep.include({
        scopes: ['write:shop_a'],
        expiresAt: later.toISOString(),
      });
      expect(await store(other).findByRawKey(raw.revoked)).to.equal(null);
      const again = await at(other, ['import', '-'], file);
      expect(again).to.include({ code: 0, err: '' });
      expect(again.out).to.equal('0 added, 0 ended as in the file, 4 unchanged, 0 lines refused.\n');
      expect((await at(other, ['export'])).out).to.equal(file);
    });

    it('never extend an existing key, but end it as in the file', async () => {
      const before = (await at(old, ['export'])).out;
      await at(other, ['import', '-'], before);
      const id = (await store(old).findByRawKey(raw.plain))?.id ?? '';
      const partner = (await store(old).findByRawKey(raw.partner))?.id ?? '';
      await store(old).revoke(id, now);
      await store(old).rotate(partner, 3_600, now);
      const after = (await at(old, ['export'])).out;
      const ended = await at(other, ['import', '-'], after);
      expect(ended.out).to.equal('1 added, 2 ended as in the file, 2 unchanged, 0 lines refused.\n');
      expect(await store(other).findByRawKey(raw.plain)).to.equal(null);
      expect((await store(other).findByRawKey(raw.partner))?.expiresAt).to.equal(
        new Date(now.getTime() + 3_600_000).toISOString(),
      );
      // The import of an earlier file neither revokes nor restores a key.
      const back = await at(other, ['import', '-'], before);
      expect(back.out).to.match(/^0 added, 0 ended as in the file, 4 unchanged/);
      expect(await store(other).findByRawKey(raw.plain)).to.equal(null);
      const raised = await at(other, ['import', '-'], after.replaceAll('"premium"', '"free"'));
      expect(raised.err).to.match(/^line 1: already exists with another tier, which is kept$/m);
      expect((await store(other).findByRawKey(raw.partner))?.tier).to.equal('premium');
    });

    it('report and skip each invalid line', async () => {
      const [line = '', next = ''] = (await at(old, ['export'])).out.split('\n');
      const key = JSON.parse(line) as Record<string, unknown>;
      const change = (more: object) => JSON.stringify({ ...key, ...more });
      const { hash: _hash, ...without } = key;
      const lines = [
        line.slice(0, 40),
        '[]',
        JSON.stringify(without),
        change({ tier: 'gold', environment: 'prod' }),
        change({ hash: raw.plain }),
        change({ name: `for ${raw.plain}` }),
        change({ rawKey: 'x' }),
        change({ scopes: ['admin'] }),
        change({ createdAt: '2026-02-30T00:00:00Z' }),
        line,
        line,
        change({ id: '00000000-0000-4000-8000-000000000000' }),
        '',
        next.replace(/\n$/, ''),
      ];
      const { code, out, err } = await at(other, ['import', '-'], `${lines.join('\r\n')}\n`);
      expect(out).to.equal('2 added, 0 ended as in the file, 0 unchanged, 11 lines refused.\n');
      expect(code).to.equal(4);
      expect(err.split('\n').filter((said) => said.startsWith('line '))).to.deep.equal([
        'line 1: is not JSON',
        'line 2: is not a JSON object',
        'line 3: hash is missing',
        'line 4: tier must be one of free, basic, standard, premium; environment must be one of live, test',
        'line 5: contains a raw key, which no key file may contain',
        'line 6: contains a raw key, which no key file may contain',
        'line 7: has an unknown property',
        'line 8: scopes must be review or aggregator, or have the form write:SOURCE',
        'line 9: createdAt must be a time in UTC',
        'line 11: line 10 already has its id or its hash',
        'line 12: line 10 already has its id or its hash',
      ]);
      expect(err).to.not.include(raw.plain);
      expect(code).to.equal(4);
    });

    it('refuse a hash under another id, even that of a revoked key', async () => {
      const file = (await at(old, ['export'])).out;
      await at(other, ['import', '-'], file);
      const lines = file.trim().split('\n');
      const key = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
      const change = (more: object) => JSON.stringify({ ...key, ...more });
      const renamed = lines.map((line, i) => {
        const more = { id: `00000000-0000-4000-8000-00000000000${i}`, revokedAt: null, expiresAt: null };
        return JSON.stringify({ ...(JSON.parse(line) as object), ...more });
      });
      const stolen = await at(other, ['import', '-'], renamed.join('\n'));
      expect(stolen.out).to.equal('0 added, 0 ended as in the file, 0 unchanged, 4 lines refused.\n');
      expect(stolen.err).to.match(
        /^(line \d: another key \([0-9a-f-]{36}\) already has its id or its hash\n){4}$/,
      );
      expect(await store(other).findByRawKey(raw.revoked)).to.equal(null);
      const swapped = await at(other, ['import', '-'], change({ hash: 'a'.repeat(64) }));
      expect(swapped).to.include({ code: 4 });
      expect(await redis.exists(`${other}:key:${'a'.repeat(64)}`)).to.equal(0);
    });

    it('report a missing or empty file', async () => {
      expect((await at(other, ['import', 'no-such.ndjson'])).err).to.include('no-such.ndjson: no such file.');
      expect((await at(other, ['import', '-'], '\n')).err).to.include('- contains no key.');
      expect((await at(other, ['import'])).code).to.equal(2);
      expect(await at(other, ['export'])).to.include({ code: 0, out: '' });
    });
  });

  it('have a help text', async () => {
    const help = await keysCommand(['--help']);
    expect(help.code).to.equal(0);
    for (const word of ['create', 'list', 'revoke', 'REDIS_URL', 'premium'])
      expect(help.out).to.include(word);
    expect((await keysCommand(['create', '--help'])).out).to.include('free|basic|standard|premium');
  });
});
