import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { main as backup } from '../../scripts/backup.js';
import { main as keys } from '../../scripts/keys.js';
import { main as reindex } from '../../scripts/reindex.js';
import { main as restore } from '../../scripts/restore.js';
import { findBackups } from '../../scripts/shared/backups.js';
import type { Main } from '../../scripts/shared/command.js';
import { KeyStore } from '../../src/platform/access/key-store.js';
import { RedisBreaker } from '../../src/platform/redis/redis-breaker.js';
import { backUp } from '../../src/usecases/backups/backup.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { kindOfIndex, kindOfRecord, SPACES, storedIndex } from '../../src/platform/stored.js';
import { removeElasticsearchTraces, removeRedisTraces } from '../../tools/local-services/traces.js';
import { useApi } from '../support/api.js';
import { ends, run } from '../support/command.js';
import { found } from '../support/doctor.js';
import {
  EXERCISED,
  type ExercisedKeys,
  exerciseEverything,
  exportEverything,
  kindsWithout,
  namesInRedis,
} from '../support/everything.js';
import { flipByte, keepFile, removeFile } from '../support/damage.js';
import { record } from '../support/listings.js';
import { argumentsOf, recipe } from '../support/recipes.js';
import { redisUrl } from '../support/services.js';
import { type SnapshotEngine, snapshotEngine } from '../support/snapshot-engine.js';

describe('a backup of everything', function () {
  this.timeout(300_000);
  let engine: SnapshotEngine;
  let redis: Redis;
  let issued: ExercisedKeys;
  const api = useApi([], async () => {
    engine = await snapshotEngine();
    return { ...EXERCISED, ELASTICSEARCH_URL: engine.url };
  });
  const command = (main: Main, ...args: string[]) =>
    run(main, args, { env: { ELASTICSEARCH_URL: engine.url, INDEX_PREFIX: api.prefix, EVENTS: 'off' } });
  // A folder becomes a repository of a fixed name, so test runs that share an engine register it under names of their own.
  const repository = () => `${api.prefix}-backups`;
  const register = (
    name = repository(),
    location = path.join(engine.folder, 'elasticsearch'),
    readonly = false,
  ) =>
    api.es.snapshot.createRepository({ name, repository: { type: 'fs', settings: { location, readonly } } });
  const backedUp = () => ends(command(backup, '--to', repository()), 0);
  const fromRepository = (...args: string[]) => command(restore, '--repository', repository(), ...args);
  const everything = () => exportEverything(api.es, redis, api.prefix);
  const wipe = async () => {
    await removeElasticsearchTraces(api.es, api.prefix);
    await removeRedisTraces(redis, api.prefix);
    await api.es.snapshot.deleteRepository({ name: repository() }, { ignore: [404] });
  };
  const restored = async (...args: string[]) => {
    await register();
    return ends(fromRepository(...args), 0);
  };

  before(async () => {
    redis = createRedis(redisUrl, { deadlineMs: 5_000 });
    await once(redis, 'ready');
    await register();
    issued = await exerciseEverything(api, redis, { ELASTICSEARCH_URL: engine.url });
  });
  after(async () => {
    await fetch(`${engine.url}/_snapshot/${repository()}`, { method: 'DELETE' });
    await removeRedisTraces(redis, api.prefix);
    redis.disconnect();
  });
  after(() => engine.stop());

  it('finds everything in the engine and in Redis named in the table, and everything of the table there', async () => {
    const { indices } = await api.es.indices.resolveIndex({
      name: `${api.prefix}-*`,
      expand_wildcards: 'all',
    });
    assert.deepEqual(
      indices.map(({ name }) => name).filter((name) => kindOfIndex(api.prefix, name) === null),
      [],
    );
    assert.deepEqual(await kindsWithout(api.es, api.prefix), []);
    const kinds = (await namesInRedis(redis, api.prefix)).map((name) => [
      kindOfRecord(api.prefix, name),
      name,
    ]);
    assert.deepEqual(
      kinds.filter(([kind]) => kind === null),
      [],
    );
    assert.sameMembers([...new Set(kinds.map(([kind]) => kind))], Object.keys(SPACES));
  });

  it('restores all of it into an empty cluster and an empty Redis', async () => {
    const before = await everything();
    for (const [kind, documents] of Object.entries(before)) assert.isNotEmpty(documents, kind);
    const { out } = await backedUp();
    assert.match(out, /^alerts: 1 documents, the newest of /m);
    const [copy = ''] = readdirSync(path.join(engine.folder, 'redis'));
    assert.equal(statSync(path.join(engine.folder, 'redis', copy)).mode & 0o777, 0o600);
    assert.equal(statSync(path.join(engine.folder, 'redis')).mode & 0o777, 0o700);
    assert.notInclude(readFileSync(path.join(engine.folder, 'redis', copy), 'utf8'), 'oauth');
    await ends(fromRepository('--drill'), 0, {
      out: /^.* {2}alerts: restored: 1 documents.*\n(.*\n)*passed/m,
    });
    assert.deepEqual(await everything(), before);

    const [dryRun = '', again = '', inNewCluster = ''] = recipe(
      'docs/operations.md',
      'Backups',
      'npm run restore',
    );
    const { out: listed } = await ends(fromRepository(...argumentsOf(dryRun)), 0);
    assert.match(listed, /alerts/);
    await wipe();
    await register();
    const named: Record<string, string> = { DIR: repository(), NAME: copy.replace(/\..*$/, '') };
    const first = await ends(
      command(restore, ...argumentsOf(inNewCluster).map((word) => named[word] ?? word)),
      0,
    );
    assert.match(first.out, /^rules: restored: 2 documents/m);
    assert.match(first.out, /^keys: as of \d{4}-.*Z: \d+ added/m);
    assert.match(first.out, /^grants: expires: /m);
    assert.deepEqual(await everything(), before);
    const second = await ends(fromRepository(...argumentsOf(again)), 0);
    assert.match(second.out, /^alerts: kept: has every write of the snapshot$/m);
    assert.deepEqual(await everything(), before);
    assert.equal((await api.get('/v1/search?q=kettle')).status, 200);
  });

  it('restores everything if a file is missing or damaged that it does not read, but fails, and does not switch', async () => {
    const before = await everything();
    await backedUp();
    const folder = path.join(engine.folder, 'elasticsearch');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => ({ file, changed: statSync(path.join(folder, file)).mtimeMs }))
      .sort((a, b) => b.changed - a.changed)
      .map(({ file }) => file);
    const unread = [/^index\.latest$/, /^meta-/, /^indices\/.*\/index-/];
    for (const file of unread.map((name) => files.find((one) => name.test(one)) ?? ''))
      for (const damage of [removeFile, flipByte]) {
        const restoreFile = keepFile(path.join(folder, file));
        damage(path.join(folder, file));
        const named = { err: new RegExp(`The repository in .* is damaged: ${file} `) };
        await ends(fromRepository('--dry-run'), 1, named);
        await ends(fromRepository('--drill'), 1, named);
        restoreFile();
      }
    rmSync(path.join(folder, 'index.latest'));
    const serving = Object.keys(await api.es.indices.getAlias({ name: api.products }));
    const { err } = await ends(fromRepository(), 1, {
      out: /^files: FAILED: The repository in .* is damaged: index\.latest is missing/m,
    });
    assert.match(err, /Everything was restored nevertheless; the alias is where it was/);
    assert.deepEqual(Object.keys(await api.es.indices.getAlias({ name: api.products })), serving);
    const [, use = ''] = /npm run restore -- --use (\S+)/.exec(err) ?? [];
    await ends(command(restore, '--use', use), 0);
    const after = await everything();
    // The events of the last requests may be written meanwhile.
    for (const kind of Object.keys(before).filter((one) => one !== 'requests'))
      assert.deepEqual(after[kind], before[kind], kind);
  });

  it('restores the index to which the alias pointed, after a rollback and further loads', async () => {
    await ends(command(reindex), 0);
    await ends(command(reindex, '--rollback'), 0);
    await api.load([record({ sku: 'after', name: 'Loaded after the rollback' })]);
    const before = await everything();
    const byHand = { repository: repository(), snapshot: 'by-hand' };
    await api.es.snapshot.create({
      ...byHand,
      indices: `${api.prefix}-*`,
      include_global_state: false,
      wait_for_completion: true,
    });
    await ends(fromRepository('--snapshot', 'by-hand'), 1, {
      err: /contains several indices of listings \(.*\), and does not state which one was in use/,
    });
    await api.es.snapshot.delete(byHand);
    await backedUp();
    await wipe();
    await restored();
    assert.deepEqual(await everything(), before);
  });

  it('succeeds without files that only later backups need if it cannot see them, because all data is restored', async () => {
    const before = await everything();
    await backedUp();
    const folder = path.join(engine.folder, 'elasticsearch');
    const metadata = readdirSync(folder).filter((name) => name.startsWith('meta-'));
    const restoreFiles = ['index.latest', ...metadata].map((name) => {
      const content = readFileSync(path.join(folder, name));
      rmSync(path.join(folder, name));
      return () => writeFileSync(path.join(folder, name), content);
    });
    await wipe();
    // A relative location is a folder of the nodes, as is that of a repository in an object store.
    const location = path.join(path.basename(engine.folder), 'elasticsearch');
    const elsewhere = `${api.prefix}-elsewhere`;
    await register(elsewhere, location, true);
    const copies = ['--redis', path.join(engine.folder, 'redis')];
    const { out } = await ends(command(restore, '--repository', elsewhere, ...copies), 0);
    assert.include(out, `files: not checked: ${elsewhere} is not in a folder\n`);
    assert.deepEqual(await everything(), before);
    await api.es.snapshot.deleteRepository({ name: elsewhere });
    for (const restoreFile of restoreFiles) restoreFile();
    await register();
  });

  it('adds what is missing to indices that a service has created since', async () => {
    const before = (await everything()) as Record<string, unknown[]>;
    await backedUp();
    await wipe();
    const { id } = await api.key('free').then(() => ({ id: 'new' }));
    await api.es.index({
      index: storedIndex(api.prefix, 'alerts'),
      id,
      document: { alert_id: id },
      refresh: true,
    });
    const { out } = await restored();
    assert.match(out, /^alerts: restored: 1 documents.*, 1 of them added to a newer index$/m);
    assert.lengthOf(((await everything()) as Record<string, unknown[]>)['alerts'] ?? [], 2);
    await api.es.delete({ index: storedIndex(api.prefix, 'alerts'), id });
    assert.deepEqual((await everything())['alerts'], before['alerts']);
  });

  it('revokes keys again that were revoked after the copy, and lists those that were created since', async () => {
    await backedUp();
    const env = { ELASTICSEARCH_URL: engine.url, INDEX_PREFIX: api.prefix, EVENTS: 'on' };
    await ends(run(keys, ['revoke', issued.writer.key_id], { env }), 0);
    const created = await ends(
      run(keys, ['create', '--developer', 'd', '--name', 'late', '--tier', 'free'], { env }),
      0,
    );
    const [late = ''] = /(?<=key id +)\S+/.exec(created.out) ?? [];
    await api.es.indices.refresh({ index: storedIndex(api.prefix, 'audit') });
    const newer = path.join(engine.folder, 'newer.ndjson');
    await ends(run(keys, ['revoke', issued.reviewer.key_id], { env: { ...env, EVENTS: 'off' } }), 0);
    writeFileSync(newer, (await ends(run(keys, ['export'], { env }), 0)).out);
    await removeRedisTraces(redis, api.prefix);
    const { out } = await restored('--yes', '--keys', newer);
    rmSync(newer);
    assert.match(out, /^1 added, 1 ended as in the file/m);
    assert.include(out, `revoked again, as the audit stream says: ${issued.writer.key_id}`);
    assert.include(out, `lost, because they were created after the copy: ${late}`);
    const listed = await ends(run(keys, ['list'], { env }), 0);
    for (const { key_id } of [issued.writer, issued.reviewer])
      assert.match(listed.out, new RegExp(`${key_id}.* revoked `));
  });

  it('ends with a clear error if the copy of Redis is missing or damaged', async () => {
    await backedUp();
    const folder = path.join(engine.folder, 'redis');
    const newest = path.join(folder, readdirSync(folder).sort().at(-1) ?? '');
    const content = readFileSync(newest, 'utf8');
    try {
      writeFileSync(newest, content.slice(0, -20));
      for (const drill of [[], ['--drill']])
        await ends(fromRepository(...drill), 1, { err: /copy of Redis of .* is damaged/ });
      rmSync(newest);
      await ends(fromRepository('--drill'), 1, { err: /has a copy of Redis of .*, which is missing/ });
      await ends(fromRepository('--drill', '--without-redis'), 0);
    } finally {
      // The next test deletes backups together with their copies.
      writeFileSync(newest, content);
    }
  });

  it('deletes old backups together with their copies', async () => {
    const copies = () => readdirSync(path.join(engine.folder, 'redis'));
    const given = { redis: undefined, withoutRedis: false };
    const { folder } = await findBackups(api.es, repository(), given);
    assert(folder);
    const breaker = new RedisBreaker(redis, { deadlineMs: 5_000 });
    const inMonths = new Date(Date.now() + 90 * 86_400_000);
    assert.isAbove(copies().length, 2);
    await backUp({
      es: api.es,
      indexPrefix: api.prefix,
      alias: api.products,
      repository: repository(),
      redis: { store: { keys: new KeyStore(breaker, api.prefix), redis: breaker }, folder },
      keep: { days: 30, count: 2 },
      now: () => inMonths,
      signal: new AbortController().signal,
      report: () => undefined,
    });
    const { snapshots = [] } = await api.es.snapshot.get({ repository: repository(), snapshot: '*' });
    assert.lengthOf(snapshots, 2);
    assert.sameMembers(
      copies(),
      snapshots.map(({ snapshot }) => `${snapshot}.ndjson`),
    );
  });

  it('registers a folder, says what to do with one that may not be used, and records that it failed', async () => {
    const elsewhere = path.join(engine.folder, '..', '..', 'elsewhere');
    // The name of the repository is fixed, and another test run may use the engine, so it is registered only for a moment.
    await findBackups(api.es, engine.folder, { redis: undefined, withoutRedis: false });
    await ends(command(backup, '--to', elsewhere), 1, {
      err: /The repository backups exists already, in .*Name it instead/,
    });
    await api.es.snapshot.deleteRepository({ name: 'backups' });
    await ends(command(backup, '--to', elsewhere), 1, { err: /Add path\.repo: \["/ });
    // The outcome is recorded, and npm run doctor shows it.
    const env = { ELASTICSEARCH_URL: engine.url, INDEX_PREFIX: api.prefix };
    assert.equal((await found('backup', env)).state, 'OK');
    await ends(command(backup, '--to', 'nowhere', '--without-redis'), 1, { err: /no repository nowhere/ });
    const { state, text, next } = await found('backup', env);
    assert.equal(state, 'WARN');
    assert.match(
      text,
      /^the last complete one began .* ago; one failed at .*Z: There is no repository nowhere/,
    );
    assert.equal(next, 'npm run backup -- --to DIR');
  });
});
