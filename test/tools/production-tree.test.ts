// Chaos only (builds): it installs the packages of production, and builds.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { assert } from 'chai';
import { indexPrefix } from '../support/services.js';
import { until } from '../support/until.js';

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'production-tree-test-'));
});
after(() => rm(folder, { recursive: true }));

/** `npm ci` of production leaves out what a build needs. */
describe('a tree with the packages of production', function () {
  this.timeout(600_000);
  const run = promisify(execFile);
  let tree: string;
  const production = { ...process.env, NODE_ENV: 'production' };
  const prune = () => run('npm', ['prune', '--no-audit', '--offline'], { cwd: tree, env: production });
  const has = (name: string) => existsSync(join(tree, 'node_modules', name));
  before(async () => {
    tree = join(folder, 'production');
    const parts = ['package.json', 'package-lock.json', '.npmrc', 'tsconfig.json', 'tsconfig.build.json'];
    for (const part of [...parts, 'mappings', 'scripts', 'src', 'tools'])
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
    const child = spawn('npm', ['start'], {
      cwd: tree,
      env,
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      let said = '';
      // An installation takes as long as it takes.
      await new Promise<void>((resolve) => {
        child.once('exit', resolve);
        child.stdout.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('listening on')) resolve();
        });
      });
      assert.match(said, /listening on/);
    } finally {
      process.kill(-(child.pid ?? 0), 'SIGTERM');
      if (child.exitCode === null) await once(child, 'exit');
    }
  });

  it('runs the commands as they were built, and installs nothing', async () => {
    await prune();
    assert.isFalse(has('tsx'));
    const { stdout } = await run('npm', ['run', '--silent', 'keys', '--', '--help'], {
      cwd: tree,
      env: production,
    });
    assert.match(stdout, /npm run keys -- COMMAND/);
    assert.isFalse(has('tsx'));
  });

  it('has the service and the commands by one name, wherever a link to it is', async () => {
    await prune();
    const catalogue = join(folder, 'catalogue');
    await symlink(join(tree, 'dist/scripts/catalogue.js'), catalogue);
    const env = { ...production, PORT: '0', EVENTS: 'off', INDEX_PREFIX: `${indexPrefix}-by-name` };
    const refused = await run(catalogue, ['keys', 'revoke'], { cwd: folder, env }).catch((error) => error);
    assert.include(refused, { code: 2, stdout: '' });
    assert.include(refused.stderr, 'catalogue keys --help says more');
    const wrong = await run(catalogue, ['serve'], { cwd: folder, env }).catch((error) => error);
    assert.include(wrong, { code: 1, stdout: '' });
    assert.match(wrong.stderr, /^ADMIN_SECRET must be set/);
    const secrets = { ADMIN_SECRET: 'k3yboard-cat-9f27d1', JWT_SECRET: 'an-0ther-long-one-55aa-of-32-bytes' };
    const child = spawn(catalogue, ['serve'], {
      cwd: folder,
      env: { ...env, ...secrets, LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      let said = '';
      child.stdout.on('data', (chunk: Buffer) => (said += chunk.toString()));
      await until(() => said.includes('listening on') || child.exitCode !== null);
      assert.match(said, /listening on/);
      child.kill('SIGTERM');
      assert.deepEqual(await ended, [0, null]);
    } finally {
      // A child that outlives a failure would hold the standard error of the whole run open.
      child.kill('SIGKILL');
    }
  });
});
