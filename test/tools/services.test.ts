import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@elastic/elasticsearch';
import { assert } from 'chai';
import { Redis } from 'ioredis';
import { startLocalRedis, startServices } from '../../tools/local-services/index.js';
import { chooseJdk, majorVersion } from '../../tools/local-services/jdk.js';
import { SpawnError, startKept } from '../../tools/local-services/kept.js';
import { identify, isRunning } from '../../src/platform/process-identity.mjs';
import { readDemoState, removeDemoState, writeDemoState } from '../../scripts/shared/demo-state.js';
import { removeElasticsearchTraces, removeRedisTraces } from '../../tools/local-services/traces.js';
import { elasticsearchUrl, indexPrefix, redisUrl } from '../support/services.js';
import { until } from '../support/until.js';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'services-test-'));
});
after(() => rm(folder, { recursive: true }));

describe('choice of a JDK', () => {
  const jdk = (major: number) => ({ home: `/jdk-${major}`, major });

  it('reads the version of old and new JDKs', () => {
    assert.equal(majorVersion('IMPLEMENTOR="x"\nJAVA_VERSION="25.0.3"\n'), 25);
    assert.equal(majorVersion('JAVA_VERSION="1.8.0_292"\n'), 8);
    assert.isUndefined(majorVersion('nothing of the kind'));
  });
  it('rejects a JDK that is too old, even in JAVA_HOME', () => {
    assert.isUndefined(chooseJdk([jdk(8), jdk(17), jdk(20)], '/jdk-17'));
  });
  it('prefers the newest tested version to newer ones', () => {
    assert.deepEqual(chooseJdk([jdk(17), jdk(21), jdk(30), jdk(25), jdk(24)]), jdk(25));
    assert.deepEqual(chooseJdk([jdk(30), jdk(21), jdk(27)]), jdk(21));
    assert.deepEqual(chooseJdk([jdk(30), jdk(27)]), jdk(27));
  });
  it('prefers JAVA_HOME', () => {
    assert.deepEqual(chooseJdk([jdk(21), jdk(25)], '/jdk-21'), jdk(21));
  });
});

describe('a kept process', () => {
  const KEPT = new URL('../../tools/local-services/kept.ts', import.meta.url).href;
  // A process that ignores SIGTERM and has a frozen child, which is the hardest case to stop.
  const STUBBORN = `
    process.on('SIGTERM', () => {});
    const child = require('node:child_process').spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
    child.on('spawn', () => {
      child.kill('SIGSTOP');
      require('node:fs').writeFileSync(process.argv[1], JSON.stringify([process.pid, child.pid]));
    });`;

  /** Starts a keeper of the stubborn process, and returns it with the process ids and the temporary folder. */
  async function startParent(name: string) {
    const temporary = join(folder, `${name}-data`);
    const pids = join(temporary, 'pids.json');
    await mkdir(temporary);
    const file = join(folder, `${name}.mts`);
    const spec = {
      command: process.execPath,
      args: ['--eval', STUBBORN, pids],
      cwd: folder,
      log: join(temporary, 'output.log'),
      removeAfter: [temporary],
      graceMs: 50,
    };
    await writeFile(
      file,
      `import { startKept } from '${KEPT}';
       await startKept(${JSON.stringify(spec)});
       setInterval(() => {}, 1000);`,
    );
    const parent = spawn(process.execPath, ['--import', 'tsx', file], { stdio: 'ignore' });
    await until(() => existsSync(pids) && readFileSync(pids, 'utf8') !== '');
    const kept = (JSON.parse(readFileSync(pids, 'utf8')) as number[]).map((pid) => identify(pid));
    return { parent, kept, temporary };
  }

  for (const signal of ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) {
    it(`ends with its children and its temporary folder after ${signal} of its parent`, async () => {
      const { parent, kept, temporary } = await startParent(signal);
      assert.isTrue(kept.every(isRunning));
      parent.kill(signal);
      await until(() => !kept.some(isRunning) && !existsSync(temporary));
    });
  }

  it('leaves no child of its own behind when it is stopped', async () => {
    const pids = join(folder, 'polite.json');
    const args = ['--eval', STUBBORN.replace('() => {}', '() => process.exit()'), pids];
    const polite = await startKept({
      command: process.execPath,
      args,
      cwd: folder,
      log: join(folder, 'polite.log'),
    });
    await until(() => existsSync(pids) && readFileSync(pids, 'utf8') !== '');
    const kept = (JSON.parse(readFileSync(pids, 'utf8')) as number[]).map((pid) => identify(pid));
    assert.isTrue(kept.every(isRunning));
    await polite.stop();
    await until(() => !kept.some(isRunning));
  });

  it('reports how it ended, and may be stopped again', async () => {
    const log = join(folder, 'ended.log');
    const args = ['--eval', 'console.log("last words"); process.exitCode = 3'];
    const kept = await startKept({ command: process.execPath, args, cwd: folder, log });
    assert.deepEqual(await kept.exited, { code: 3, signal: null });
    assert.deepEqual(kept.exit(), { code: 3, signal: null });
    assert.equal(readFileSync(log, 'utf8'), 'last words\n');
    await kept.stop();
    await kept.stop();
  });

  it('fails with the reason if the command does not exist', async () => {
    const spec = { command: 'no-such-command', args: [], cwd: folder, log: join(folder, 'none.log') };
    const failure: unknown = await startKept(spec).catch((error: unknown) => error);
    assert.instanceOf(failure, SpawnError);
    assert.match((failure as SpawnError).message, /no-such-command/);
  });
});

describe('the state of the demo', () => {
  const state = {
    elasticsearchUrl: 'http://127.0.0.1:1',
    redisUrl: 'redis://127.0.0.1:2',
    apiUrl: 'http://127.0.0.1:3',
  };

  it('is read while its process runs', () => {
    const file = join(folder, 'made', 'running.json');
    assert.isNull(readDemoState(file));
    writeDemoState({ ...state, pid: process.pid }, file);
    assert.deepEqual(readDemoState(file), { ...state, pid: process.pid });
    removeDemoState(file);
    assert.isNull(readDemoState(file));
    removeDemoState(file);
  });
  it('is null after its process has ended', async () => {
    const file = join(folder, 'gone.json');
    const demo = spawn(process.execPath, ['--eval', 'setInterval(() => {}, 1000)']);
    await once(demo, 'spawn');
    const pid = demo.pid ?? 0;
    writeDemoState({ ...state, pid }, file);
    assert.deepEqual(readDemoState(file), { ...state, pid });
    demo.kill('SIGKILL');
    await once(demo, 'exit');
    assert.isNull(readDemoState(file));
  });
  it('is null if another process has its id', async () => {
    const file = join(folder, 'reused.json');
    writeDemoState({ ...state, pid: process.pid }, file);
    const written = JSON.parse(readFileSync(file, 'utf8')) as { process: { birth: string } };
    written.process.birth = 'another';
    await writeFile(file, JSON.stringify(written));
    assert.isNull(readDemoState(file));
  });
});

describe('servers', () => {
  it('are those of the environment if it contains URLs, and keep running', async () => {
    const lines: string[] = [];
    const services = await startServices({ purpose: 'test', log: (line) => lines.push(line) });
    assert.equal(services.elasticsearchUrl, elasticsearchUrl);
    assert.equal(services.redisUrl, redisUrl);
    assert.deepEqual(services.ways, { elasticsearch: 'ELASTICSEARCH_URL', redis: 'REDIS_URL' });
    assert.lengthOf(lines, 2);
    await services.stop();
    assert.equal((await fetch(elasticsearchUrl)).status, 200);
  });

  it('a private Redis syncs to disk, evicts nothing, and has its data again after a restart', async () => {
    const dataDir = join(folder, 'redis');
    const first = await startLocalRedis({ log: () => {}, dataDir });
    const before = new Redis(first.url);
    assert.deepEqual(await before.config('GET', 'appendonly'), ['appendonly', 'yes']);
    assert.deepEqual(await before.config('GET', 'maxmemory-policy'), ['maxmemory-policy', 'noeviction']);
    await before.set('kept', 'yes');
    before.disconnect();
    await first.stop();
    assert.isFalse(isRunning(identify(first.pid)));
    const second = await startLocalRedis({ log: () => {}, dataDir });
    const again = new Redis(second.url);
    assert.equal(await again.get('kept'), 'yes');
    again.disconnect();
    await second.stop();
  });
});

describe('traces of a test run', () => {
  it('are removed from Elasticsearch, and nothing else', async () => {
    const client = new Client({ node: elasticsearchUrl });
    const prefix = `${indexPrefix}-traces`;
    const other = `${indexPrefix}-untouched`;
    await client.indices.create({
      index: `${prefix}-v1`,
      aliases: { [`${prefix}-read`]: {}, [`${other}-read`]: {} },
    });
    await client.indices.create({
      index: other,
      aliases: { [`${prefix}-write`]: {}, [`${other}-write`]: {} },
    });
    await removeElasticsearchTraces(client, prefix);
    const { indices } = await client.indices.resolveIndex({ name: [`${prefix}*`, `${other}*`] });
    assert.deepEqual(
      indices.map(({ name, aliases }) => ({ name, aliases })),
      [{ name: other, aliases: [`${other}-write`] }],
    );
    await removeElasticsearchTraces(client, other);
    await client.close();
  });

  it('are removed from Redis, and nothing else', async () => {
    const redis = new Redis(redisUrl);
    const prefix = `${indexPrefix}-traces`;
    const others = [`${prefix}`, `${prefix}x:key`, `${indexPrefix}:${prefix}:key`];
    for (const key of [...others, `${prefix}:key`, `${prefix}:a:b`]) await redis.set(key, '1');
    await removeRedisTraces(redis, prefix);
    assert.equal(await redis.exists(`${prefix}:key`, `${prefix}:a:b`), 0);
    assert.equal(await redis.exists(...others), others.length);
    await redis.del(...others);
    redis.disconnect();
  });
});
