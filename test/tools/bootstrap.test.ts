import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { assert } from 'chai';
import { withLock } from '../../tools/local-services/lock.mjs';
import { areCurrent } from '../../tools/local-services/packages.mjs';
import { identify, isRunning } from '../../src/platform/process-identity.mjs';
import { until } from '../support/until.js';

const BOOTSTRAP = fileURLToPath(new URL('../../tools/bootstrap.mjs', import.meta.url));

let folder: string;
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bootstrap-test-'));
});
after(() => rm(folder, { recursive: true }));

describe('installed packages', () => {
  const wanted = {
    packages: {
      '': {},
      'node_modules/a': { version: '1.0.0' },
      'node_modules/only-on-macos': { version: '1.0.0', optional: true },
    },
  };

  it('are current if they match the lock file, except for optional ones', () => {
    assert.isTrue(areCurrent(wanted, { packages: { 'node_modules/a': { version: '1.0.0' } } }));
  });
  it('are outdated if there are none, or npm was interrupted', () => {
    assert.isFalse(areCurrent(wanted, undefined));
  });
  it('are outdated if one is missing', () => {
    assert.isFalse(areCurrent(wanted, { packages: {} }));
  });
  it('are outdated if one has another version', () => {
    assert.isFalse(areCurrent(wanted, { packages: { 'node_modules/a': { version: '1.0.1' } } }));
  });
  it('are outdated if one is no longer required', () => {
    const packages = { 'node_modules/a': { version: '1.0.0' }, 'node_modules/b': { version: '1.0.0' } };
    assert.isFalse(areCurrent(wanted, { packages }));
  });
});

describe('the lock', () => {
  it('lets one process work at a time', async () => {
    const path = join(folder, 'one.lock');
    let inside = 0;
    let most = 0;
    const work = () =>
      withLock(path, async () => {
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setTimeout(resolve, 20));
        inside--;
      });
    await Promise.all([work(), work(), work()]);
    assert.equal(most, 1);
  });
  it('is broken if its holder has died', async () => {
    const path = join(folder, 'stale.lock');
    const holder = spawn(process.execPath, ['--eval', '']);
    const identity = identify(holder.pid);
    await once(holder, 'exit');
    await writeFile(path, JSON.stringify(identity));
    assert.equal(await withLock(path, () => 'done'), 'done');
  });
  it('is released if the work fails', async () => {
    const path = join(folder, 'failed.lock');
    const failure = await withLock(path, () => Promise.reject(new Error('no'))).catch(
      (error: Error) => error,
    );
    assert.equal((failure as Error).message, 'no');
    assert.equal(await withLock(path, () => 'done'), 'done');
  });
});

describe('bootstrap', () => {
  async function script(name: string, text: string): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, text);
    return path;
  }

  it('runs a TypeScript file with its arguments and ends with its exit code', async () => {
    const out = join(folder, 'arguments.json');
    const file = await script(
      'arguments.mts',
      `import { writeFileSync } from 'node:fs';
       const code: number = 7;
       writeFileSync(process.argv[2] as string, JSON.stringify(process.argv.slice(1)));
       process.exitCode = code;`,
    );
    const child = spawn(process.execPath, [BOOTSTRAP, file, out, '--flag', 'two words'], { stdio: 'ignore' });
    assert.deepEqual(await once(child, 'exit'), [7, null]);
    assert.deepEqual(JSON.parse(await readFile(out, 'utf8')), [file, out, '--flag', 'two words']);
  });

  it('reports where a file failed', async () => {
    const file = await script(
      'fails.mts',
      `const reason: string = 'for a reason';\nthrow new Error(reason);`,
    );
    const child = spawn(process.execPath, [BOOTSTRAP, file], { stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
    assert.deepEqual(await once(child, 'close'), [1, null]);
    assert.match(said, /for a reason[\s\S]*fails\.mts:2/);
  });

  it('reports a damaged file of the service without a stack, but no other error', async () => {
    const root = join(fileURLToPath(new URL('../..', import.meta.url)));
    const damaged = relative(root, await script('products.json', '{"settings": {"index'));
    const files = new URL('../../src/platform/shipped-files.ts', import.meta.url).href;
    const file = await script(
      'reads.mts',
      `import { shippedJson } from '${files}';\nshippedJson(process.argv[2] as string);`,
    );
    for (const [name, wrong] of [
      [damaged, 'is truncated or not JSON'],
      [`${damaged}.gone`, 'cannot be read'],
    ] as const) {
      const child = spawn(process.execPath, [BOOTSTRAP, file, name], { stdio: ['ignore', 'ignore', 'pipe'] });
      let said = '';
      child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
      assert.deepEqual(await once(child, 'close'), [1, null]);
      assert.include(said, `${name} ${wrong}`);
      assert.match(said, /restore it as it was shipped\.\n$/);
      assert.lengthOf(said.trim().split('\n'), 1);
    }
  });

  it('ends if npm is killed', async () => {
    const out = join(folder, 'pid');
    const file = await script(
      'stays.mts',
      `import { writeFileSync } from 'node:fs';
       writeFileSync(process.argv[2] as string, String(process.pid));
       setInterval(() => {}, 1000);`,
    );
    // A shell stands in for npm. It has a second command, because a shell would replace itself by a single
    // command.
    const npm = spawn('/bin/sh', ['-c', `'${process.execPath}' '${BOOTSTRAP}' '${file}' '${out}'; exit`], {
      stdio: 'ignore',
      env: { ...process.env, npm_lifecycle_event: 'demo' },
    });
    const pid = Number(await until(() => readFile(out, 'utf8').catch(() => '')));
    const started = identify(pid);
    assert.isTrue(isRunning(started));
    npm.kill('SIGKILL');
    await until(() => !isRunning(started));
  });
});
