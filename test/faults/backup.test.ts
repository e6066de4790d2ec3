// Chaos only (engines, 6 min): it starts an engine of its own, and restores with a file of each kind missing or damaged.
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
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
import { flipByte, keepFile, removeFile } from '../support/damage.js';
import { EXERCISED, exerciseEverything, exportEverything } from '../support/everything.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-test' };
const RESTORE = { username: 'backup-user', password: 'the-password-of-backups' };

/** The kinds of files in a backup, and whether `npm run restore -- --dry-run` finds their damage, or only a restore does. */
const FILES = [
  { name: /^redis\//, isSeenAtOnce: true },
  { name: /^elasticsearch\/index-/, isSeenAtOnce: true },
  { name: /^elasticsearch\/index\.latest$/, isSeenAtOnce: true },
  { name: /^elasticsearch\/snap-/, isSeenAtOnce: true },
  { name: /^elasticsearch\/meta-/, isSeenAtOnce: true },
  { name: /^elasticsearch\/indices\/[^/]+\/meta-/, isSeenAtOnce: true },
  { name: /^elasticsearch\/indices\/[^/]+\/\d+\/index-/, isSeenAtOnce: true },
  { name: /^elasticsearch\/indices\/[^/]+\/\d+\/snap-/, isSeenAtOnce: false },
  { name: /^elasticsearch\/indices\/[^/]+\/\d+\/__/, isSeenAtOnce: false },
];

describe('a backup of a cluster with security', function () {
  this.timeout(900_000);
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

  it('ends with an error whichever file is missing or damaged', async () => {
    const files = readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .sort();
    assert.deepEqual(
      files.filter((file) => !FILES.some(({ name }) => name.test(file))),
      [],
    );
    for (const { name, isSeenAtOnce } of FILES) {
      // Elasticsearch draws the names, so that the first file differs from run to run.
      const file = files.find((one) => name.test(one)) ?? assert.fail(String(name));
      for (const damage of [removeFile, flipByte]) {
        const restoreFile = keepFile(path.join(folder, file));
        damage(path.join(folder, file));
        if (!isSeenAtOnce) await wipe();
        // The repository is registered again, because Elasticsearch keeps what it has read.
        else await api.es.snapshot.deleteRepository({ name: 'backups' }, { ignore: [404] });
        const what = `${damage.name} ${file}`;
        const { code, out, err } = await asRestore(
          restore,
          ...['--repository', folder, ...(isSeenAtOnce ? ['--dry-run'] : [])],
        );
        assert.oneOf(code, [1, 3], what + out);
        assert.isNotEmpty(err, what);
        assert.notInclude(err, '    at ', what);
        restoreFile();
      }
    }
    await wipe();
    await ends(restored(), 0);
    assert.deepEqual(await everything(), original);
  });
});
