// Chaos only (engines, 20 min): it starts an engine of its own, and restores with each file missing or damaged.
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
import { isBrief } from '../support/chaos.js';
import { ends, run, startCommand } from '../support/command.js';
import { flipByte, keepFile, removeFile } from '../support/damage.js';
import { EXERCISED, exerciseEverything, exportEverything } from '../support/everything.js';
import { redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

const OPERATOR = { username: 'operator', password: 'the-operator-of-this-test' };
const RESTORE = { username: 'backup-user', password: 'the-password-of-backups' };

/** The kinds of files in a backup, and which command finds their damage at the earliest. */
const FILES: readonly { name: RegExp; found: '--dry-run' | '--drill' }[] = [
  { name: /^redis\//, found: '--dry-run' },
  { name: /^elasticsearch\/index-/, found: '--dry-run' },
  { name: /^elasticsearch\/index\.latest$/, found: '--dry-run' },
  { name: /^elasticsearch\/snap-/, found: '--dry-run' },
  { name: /^elasticsearch\/meta-/, found: '--dry-run' },
  { name: /^elasticsearch\/indices\/[^/]+\/meta-/, found: '--dry-run' },
  { name: /^elasticsearch\/indices\/[^/]+\/\d+\/index-/, found: '--dry-run' },
  { name: /^elasticsearch\/indices\/[^/]+\/\d+\/snap-/, found: '--drill' },
  { name: /^elasticsearch\/indices\/[^/]+\/\d+\/__/, found: '--drill' },
];

describe('a backup of a cluster with security', function () {
  this.timeout(3_600_000);
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

  it('ends with an error whichever single file is missing or damaged', async () => {
    const files = readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
      .sort();
    const tried = new Set<RegExp>();
    for (const [nth, file] of files.entries()) {
      const { name, found } = FILES.find((kind) => kind.name.test(file)) ?? assert.fail(file);
      // Files of one kind are removed and damaged in turn. The first one is both, and restored in earnest.
      const isFirst = !tried.has(name);
      if (isBrief && !isFirst) continue;
      tried.add(name);
      const damages = [removeFile, flipByte].filter((_, at) => isFirst || at === nth % 2);
      for (const damage of damages) {
        const restoreFile = keepFile(path.join(folder, file));
        damage(path.join(folder, file));
        const mode = isFirst && found === '--drill' ? [] : [found];
        if (mode.length === 0) await wipe();
        // The repository is registered again, because Elasticsearch keeps what it has read.
        else await api.es.snapshot.deleteRepository({ name: 'backups' }, { ignore: [404] });
        const { code, out, err } = await asRestore(restore, '--repository', folder, ...mode);
        const what = `${damage.name} ${file}`;
        assert.oneOf(code, [1, 3], what + out);
        assert.isNotEmpty(err, what);
        assert.notInclude(err, '    at ', what);
        restoreFile();
        if (mode.length > 0) continue;
        await wipe();
        await ends(restored(), 0);
      }
    }
    assert.equal(tried.size, FILES.length);
    await wipe();
    await ends(restored(), 0);
    assert.deepEqual(await everything(), original);
  });
});
