// Chaos only (engines, 12 min): it starts an engine of its own, and restores with each file of a backup missing or damaged.
import { once } from 'node:events';
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { assert } from 'chai';
import type { Redis } from 'ioredis';
import { main as backup } from '../../scripts/backup.js';
import { main as engineUsers } from '../../scripts/engine-users.js';
import { main as restore } from '../../scripts/restore.js';
import type { Main } from '../../scripts/shared/command.js';
import { giveTo, temporaryFolder, unprivilegedUser } from '../../scripts/shared/places.js';
import { createRedis } from '../../src/platform/redis/create-redis.js';
import { type LocalEngine, startLocalElasticsearch } from '../../tools/local-services/index.js';
import { removeElasticsearchTraces, removeRedisTraces } from '../../tools/local-services/traces.js';
import { useApi } from '../support/api.js';
import { ends, run, startCommand } from '../support/command.js';
import { EXERCISED, exerciseEverything, exportEverything } from '../support/everything.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-test' };
const RESTORE = { username: 'backup-user', password: 'the-password-of-backups' };

/**
 * Files that a restore does not read: the pointer of repositories that cannot be listed, the lists of the shards' snapshots,
 * which only the next snapshot needs, and the global state. Without them, a restore must be complete.
 */
const UNREAD = / elasticsearch\/(index\.latest|meta-[^/]+|indices\/[^/]+\/\d+\/index-[^/]+)$/;

/** The number of indices of which each file is damaged. */
const INDICES = 2;

describe('a backup of a cluster with security', function () {
  this.timeout(1_800_000);
  const folder = temporaryFolder('backups');
  let engine: LocalEngine;
  let redis: Redis;
  let original: Record<string, unknown>;
  const auth = { ELASTICSEARCH_USERNAME: OPERATOR.username, ELASTICSEARCH_PASSWORD: OPERATOR.password };
  const api = useApi([], async () => {
    const user = unprivilegedUser();
    if (user) giveTo(user, folder);
    engine = await startLocalElasticsearch({
      log: () => undefined,
      superuser: OPERATOR,
      settings: { 'path.repo': [folder] },
    });
    return { ...EXERCISED, ...auth, ELASTICSEARCH_URL: engine.url };
  });
  const asOperator = () => ({ ...auth, ELASTICSEARCH_URL: engine.url, INDEX_PREFIX: api.prefix });
  const asRestore = (main: Main, ...args: string[]) =>
    run(main, args, {
      env: {
        ...asOperator(),
        ELASTICSEARCH_USERNAME: RESTORE.username,
        ELASTICSEARCH_PASSWORD: RESTORE.password,
      },
    });
  const everything = () => exportEverything(api.es, redis, api.prefix);
  const wipe = async () => {
    await removeElasticsearchTraces(api.es, api.prefix);
    await removeRedisTraces(redis, api.prefix);
    await api.es.snapshot.deleteRepository({ name: 'backups' }, { ignore: [404] });
  };
  const restored = () => asRestore(restore, '--repository', folder);

  before(async () => {
    redis = createRedis(redisUrl, { deadlineMs: 5_000 });
    await once(redis, 'ready');
    const users = {
      API_USERNAME: 'backup-api',
      API_PASSWORD: 'the-password-of-the-api',
      DATA_USERNAME: 'backup-data',
      DATA_PASSWORD: 'the-password-of-the-data-team',
      RESTORE_USERNAME: RESTORE.username,
      RESTORE_PASSWORD: RESTORE.password,
    };
    await ends(run(engineUsers, [], { env: { ...asOperator(), ...users } }), 0);
    await exerciseEverything(api, redis, asOperator());
  });
  after(async () => {
    await removeRedisTraces(redis, api.prefix);
    redis.disconnect();
    await engine.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('is taken, rehearsed and restored by the restore role, also after a killed reindex', async () => {
    const { child } = startCommand('scripts/reindex.ts', [], asOperator());
    await until(() => api.es.indices.exists({ index: `${api.products}-v3` }));
    child.kill('SIGKILL');
    await once(child, 'close');
    original = await everything();
    await ends(asRestore(backup, '--to', folder), 0);
    await wipe();
    await ends(restored(), 0);
    assert.deepEqual(await everything(), original);
    await ends(asRestore(restore, '--drill'), 0, { out: /passed/ });
    await ends(restored(), 0);
    assert.deepEqual(await everything(), original);
  });

  it('is never restored in part without an error, whichever file is missing or damaged', async () => {
    await wipe();
    await ends(restored(), 0);
    const files = damagedFiles(folder);
    assert.isAbove(files.length, 20);
    const silent: string[] = [];
    for (const file of files)
      for (const damage of [missing, flipped]) {
        const kept = path.join(tmpdir(), `kept-${process.pid}`);
        copyFileSync(file, kept);
        const { mode } = statSync(file);
        damage(file);
        await wipe();
        const { code, out, err } = await restored();
        const what = `${damage.name} ${path.relative(folder, file)}`;
        if (code === 0) {
          assert.deepEqual(await everything(), original, what);
          silent.push(what);
        } else {
          assert.isNotEmpty(err, what + out);
          assert.notInclude(err, '    at ', what);
        }
        copyFileSync(kept, file);
        chmodSync(file, mode);
        rmSync(kept);
      }
    assert.deepEqual(
      silent.filter((what) => !UNREAD.test(what)),
      [],
    );
    await wipe();
    await ends(restored(), 0);
    assert.deepEqual(await everything(), original);
  });
});

/** All files of a backup, except that of its indices only a few, which differ from run to run, because of random names. */
function damagedFiles(folder: string): string[] {
  const files = filesIn(folder);
  const indexOf = (file: string) => /\/indices\/([^/]+)\//.exec(file)?.[1];
  const chosen = [...new Set(files.map(indexOf))].slice(0, 1 + INDICES);
  return files.filter((file) => chosen.includes(indexOf(file)));
}

function filesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

function missing(file: string): void {
  rmSync(file);
}

/** Changes one byte in the middle of a file. */
function flipped(file: string): void {
  const content = readFileSync(file);
  const middle = Math.floor(content.length / 2);
  content[middle] = (content[middle] ?? 0) ^ 0xff;
  writeFileSync(file, content);
}
