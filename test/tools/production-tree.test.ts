// Chaos only (builds, 2 min): it installs the packages of production, and builds.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { spawnService } from '../support/service-process.js';
import { indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'production-tree-test-'));
});
after(() => rm(folder, { recursive: true }));

describe('a tree with production packages only', function () {
  this.timeout(600_000);
  const run = promisify(execFile);
  let tree: string;
  const production = { ...process.env, NODE_ENV: 'production' };
  const prune = () => run('npm', ['prune', '--no-audit', '--offline'], { cwd: tree, env: production });
  const has = (name: string) => existsSync(join(tree, 'node_modules', name));
  before(async () => {
    tree = join(folder, 'production');
    const parts = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'tsconfig.build.json'];
    for (const part of [...parts, 'clients', 'explorer', 'mappings', 'scripts', 'src', 'tools'])
      await cp(fileURLToPath(new URL(`../../${part}`, import.meta.url)), join(tree, part), {
        recursive: true,
      });
    await run('cp', ['-a', fileURLToPath(new URL('../../node_modules', import.meta.url)), tree]);
    await prune();
  });

  it('builds and serves with npm start', async () => {
    assert.isFalse(has('typescript'));
    const env = {
      ...production,
      PORT: '0',
      EVENTS: 'off',
      INDEX_PREFIX: `${indexPrefix}-production`,
      LOG_LEVEL: 'info',
      ADMIN_SECRET: 'k3yboard-cat-9f27d1',
      JWT_SECRET: 'an-0ther-long-one-55aa-of-32-bytes',
    };
    const npm = spawn('npm', ['start'], {
      cwd: tree,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let output = '';
      npm.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
      while (!output.includes('listening on') && hasNotEnded(npm)) await sleep(100);
      const [, url = ''] = /listening on (http:\/\/[^\s",]+)/.exec(output) ?? assert.fail(output);
      // A supervisor signals npm alone.
      npm.kill('SIGTERM');
      await until(() => !hasNotEnded(npm));
      const isServed = () =>
        fetch(`${url}/livez`).then(
          () => true,
          () => false,
        );
      await until(async () => !(await isServed()));
    } finally {
      if (hasNotEnded(npm)) process.kill(-(npm.pid ?? 0), 'SIGTERM');
    }
  });

  it('runs the built commands, and installs nothing', async () => {
    await prune();
    assert.isFalse(has('tsx'));
    const { stdout } = await run('npm', ['run', '--silent', 'keys', '--', '--help'], {
      cwd: tree,
      env: production,
    });
    assert.match(stdout, /npm run keys -- COMMAND/);
    assert.isFalse(has('tsx'));
  });

  it('runs the service and the commands by one name, through any link', async () => {
    await prune();
    const catalogue = join(folder, 'catalogue');
    await symlink(join(tree, 'dist/scripts/catalogue.js'), catalogue);
    const env = { ...production, PORT: '0', EVENTS: 'off', INDEX_PREFIX: `${indexPrefix}-by-name` };
    // Each command is killed after two minutes, and fails the test with its output.
    const call = (...args: string[]) =>
      run(catalogue, args, { cwd: folder, env, timeout: 120_000 }).catch((error) => error);
    const refused = await call('keys', 'revoke');
    assert.include(refused, { code: 2, stdout: '' });
    assert.include(refused.stderr, 'catalogue keys --help shows how to use it');
    const wrong = await call('serve');
    assert.include(wrong, { code: 1, stdout: '' });
    assert.match(wrong.stderr, /^ADMIN_SECRET must be set/);
    const secrets = { ADMIN_SECRET: 'k3yboard-cat-9f27d1', JWT_SECRET: 'an-0ther-long-one-55aa-of-32-bytes' };
    const service = spawnService({ ...env, ...secrets, LOG_LEVEL: 'info' }, ['serve'], catalogue);
    try {
      await service.url();
      service.child.kill('SIGTERM');
      await until(() => !hasNotEnded(service.child));
      const { exitCode, signalCode } = service.child;
      assert.deepEqual([exitCode, signalCode], [0, null], service.output());
    } catch (error) {
      throw new Error(`the service printed:\n${service.output()}`, { cause: error });
    } finally {
      // The process is killed even after a failure, because it would keep the standard error of the test run
      // open.
      service.child.kill('SIGKILL');
    }
  });
});

const hasNotEnded = ({ exitCode, signalCode }: ChildProcess): boolean =>
  exitCode === null && signalCode === null;
